import { rows } from "./db.js";
import type { Row } from "./db.js";
import { h } from "./dom.js";
import type { Child } from "./dom.js";
import { figure } from "./figure.js";
import { checkLink, conversationLink, viewLink } from "./links.js";
import { rate } from "./rate.js";
import type { Claim } from "./rate.js";
import { number, text } from "./read.js";
import { verdictsOf } from "./saved-scan.js";
import type { Rules } from "./saved-scan.js";
import { scanLabel } from "./scan.js";
import { emptyState } from "./states.js";
import { dataTable } from "./table.js";
import { VERDICTS, verdictChip, verdictShort } from "./verdict.js";
import type { Verdict } from "./verdict.js";

/** One judgment with the verdict that each repeat of its answers gives. */
interface Repeated {
  conversation: string;
  check_id: string;
  verdicts: Verdict[];
}

/** Judges that were asked each request several times: how often one judge contradicts itself. */
export async function selfSection(scans: readonly Row[], claim: Claim, rules: () => Promise<Rules>): Promise<Child[]> {
  const repeated = scans.filter((scan) => number(scan, "repeats") > 1);
  if (repeated.length === 0)
    return [
      emptyState(
        "No judge here was asked twice",
        "Plan a scan with --repeats 2 or more, and its verdicts are derived from each repeat and compared here.",
      ),
    ];
  return (await Promise.all(repeated.map((scan) => selfOf(scan, claim, rules)))).flat();
}

async function selfOf(scan: Row, claim: Claim, rules: () => Promise<Rules>): Promise<Child[]> {
  const judgments = await repeatsOf(scan, rules);
  const checks = [...new Set(judgments.map(({ check_id }) => check_id))].map((check) => ({
    check,
    own: judgments.filter(({ check_id }) => check_id === check),
  }));
  const split = judgments.filter(isSplit);
  const id = text(scan, "scan_id");
  return [
    figure(
      {
        title: `${scanLabel(scan)}, ${number(scan, "repeats")} answers to each request: the same verdict from each`,
        claim,
        note: "Only judgments that asked the judge something; the rules derive a verdict from each repeat. A judge that always gives one verdict never contradicts itself: stability is no sign of being right.",
      },
      dataTable(
        checks,
        [
          { title: "Check", header: true, cell: ({ check }) => h("a", { href: checkLink(check) }, check) },
          {
            title: "Same in all repeats",
            align: "right",
            cell: ({ check, own }) =>
              rate(own.filter((row) => !isSplit(row)).length, own.length, {
                claim,
                href: viewLink("questions", { scan: id, check }),
                label: "the answers behind these judgments",
              }),
          },
          {
            title: "A constant over all repeats",
            align: "right",
            cell: ({ own }) => {
              const all = own.flatMap(({ verdicts }) => verdicts);
              const most = VERDICTS.map((verdict) => ({ verdict, n: all.filter((given) => given === verdict).length }));
              const best = most.reduce((a, b) => (b.n > a.n ? b : a));
              return [h("span", { class: "quiet" }, `always ${verdictShort(best.verdict)} `), rate(best.n, all.length)];
            },
          },
        ],
        { label: `Self-agreement of ${id}` },
      ),
    ),
    figure(
      { title: `${split.length} judgments split between repeats`, claim },
      dataTable(
        split,
        [
          {
            title: "Conversation",
            header: true,
            cell: ({ conversation, check_id }) =>
              h("a", { href: conversationLink(id, conversation, { check: check_id }) }, conversation),
            sort: ({ conversation }) => conversation,
          },
          { title: "Check", cell: ({ check_id }) => check_id, sort: ({ check_id }) => check_id },
          {
            title: "Repeat by repeat",
            cell: ({ verdicts }) =>
              h(
                "span",
                { class: "repeat-chips" },
                verdicts.flatMap((value) => [verdictChip(value), " "]),
              ),
          },
        ],
        { label: `Split judgments of ${id}`, page: 15, empty: "No judgment is split." },
      ),
    ),
  ];
}

const isSplit = ({ verdicts }: Repeated): boolean => new Set(verdicts).size > 1;

async function repeatsOf(scan: Row, rules: () => Promise<Rules>): Promise<Repeated[]> {
  const verdicts = await verdictsOf(scan, rules);
  const band = { low: number(scan, "threshold_low"), high: number(scan, "threshold_high") };
  const judgments = new Map<string, Repeated>();
  for (let repeat = 0; repeat < number(scan, "repeats"); repeat += 1)
    for (const { conversation, check_id, verdict, asked } of verdicts(band, repeat)) {
      if (asked === 0 || verdict === null) continue;
      const key = `${conversation} ${check_id}`;
      const known = judgments.get(key) ?? { conversation, check_id, verdicts: [] };
      known.verdicts.push(verdict);
      judgments.set(key, known);
    }
  return [...judgments.values()]
    .filter((row) => row.verdicts.length > 1)
    .sort((a, b) => a.check_id.localeCompare(b.check_id) || a.conversation.localeCompare(b.conversation));
}

/** Another engine's judge against itself, as its engine recorded the repeats. */
export async function foreignRepeats(table: string, set: string): Promise<Row[]> {
  return await rows(
    `select foreign_id, count(*)::integer as judgments, (count(*) filter (where not split))::integer as same
     from ${table} where foreign_set = ? and len(repeats) > 1 group by all order by same / count(*)::double, foreign_id`,
    [set],
  );
}
