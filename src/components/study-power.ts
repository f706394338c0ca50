import { rows } from "./db.js";
import type { Row } from "./db.js";
import { h } from "./dom.js";
import type { Child } from "./dom.js";
import { figure } from "./figure.js";
import { checkLink, quote, sqlLink } from "./links.js";
import { count, rate } from "./rate.js";
import { number, text } from "./read.js";
import { scanLabel } from "./scan.js";
import { emptyState } from "./states.js";
import type { StudyData } from "./study-data.js";
import { dataTable } from "./table.js";

const CLAIM = "frozen_validation_cases";

const LABELS = `
select run_id, judge, context, position, (count(*) filter (where counted and correct))::integer as met,
  (count(*) filter (where counted))::integer as labels, (count(*) filter (where counted and correct and asked = 0))::integer as met_not_asked
from trivial_verdicts where study_sha256 = ? group by all order by run_id, position`;

/** Pairs with two counted labels: for how many trivial judges both come out right, and which these are. */
const PAIRS = `
select b.run_id, p.position, p.pair_id, p.check_id, p.case_before, p.case_after, b.judge, b.context, b.position as place,
  b.correct and a.correct as consistent
from pairs p
join trivial_verdicts b on b.study_sha256 = p.study_sha256 and b.case_id = p.case_before and b.check_id = p.check_id and b.counted
join trivial_verdicts a on a.run_id = b.run_id and a.judge = b.judge and a.context = b.context
  and a.case_id = p.case_after and a.check_id = p.check_id and a.counted
where p.study_sha256 = ? order by b.run_id, p.position, place`;

interface PairPower {
  pair: Row;
  judges: number;
  rightFor: string[];
}

/** What judges that understand nothing reach on these cases: the floor under every count, and the pairs above it. */
export async function battery({ study }: StudyData): Promise<Child[]> {
  const sha = text(study, "study_sha256");
  const [labels, pairs] = await Promise.all([rows(LABELS, [sha]), rows(PAIRS, [sha])]);
  const runs = [...new Set(labels.map((row) => text(row, "run_id")))];
  if (runs.length === 0)
    return [
      emptyState(
        "Not known for this study",
        "The scans here hold only a part of its cases, so nothing is said of the whole.",
      ),
    ];
  const of = (found: readonly Row[], run: string): Row[] => found.filter((row) => row["run_id"] === run);
  return runs.flatMap((run) => batteryOf(run, of(labels, run), of(pairs, run), runs.length > 1));
}

function batteryOf(run: string, labels: readonly Row[], lines: readonly Row[], named: boolean): Child[] {
  const pairs = pairPowers(lines);
  const weak = pairs.filter(({ rightFor }) => rightFor.length > 0);
  const total = (row: Row): { n: number; right: number } => {
    const own = lines.filter((line) => line["judge"] === row["judge"] && line["context"] === row["context"]);
    return { n: own.length, right: own.filter((line) => line["consistent"] === true).length };
  };
  const only = `run_id = ${quote(run)}`;
  const judge = (row: Row): string =>
    `judge = ${quote(text(row, "judge"))} and context = ${quote(text(row, "context"))}`;
  return [
    named && h("h3", {}, run),
    h(
      "p",
      {},
      rate(pairs.length - weak.length, pairs.length, {
        href: sqlLink(`select * from battery_pairs where ${only} order by discriminating, position`),
        label: "discriminating pairs",
      }),
      " pairs discriminate: no trivial judge gets both of their cases right. Only these can tell a judge that understands from one that does not.",
    ),
    figure(
      {
        title: "What trivial judges reach on this battery",
        claim: CLAIM,
        note: "Asked by the engine itself under the default thresholds. A judge's count says something about it only above these.",
        rows: sqlLink(`select * from battery where ${only} order by position`),
      },
      dataTable(
        labels,
        [
          { title: "Trivial judge", header: true, cell: (row) => scanLabel(row) },
          {
            title: "Expectations met",
            align: "right",
            cell: (row) =>
              rate(number(row, "met"), number(row, "labels"), {
                href: sqlLink(
                  `select case_id, check_id, expected, observed, asked, correct\nfrom trivial_verdicts\nwhere ${only} and ${judge(row)} and counted\norder by correct, case_id, check_id`,
                ),
                label: "expectations met",
              }),
          },
          {
            title: "of these, not asked",
            align: "right",
            cell: (row) =>
              count(
                number(row, "met_not_asked"),
                sqlLink(
                  `select case_id, check_id, expected, observed\nfrom trivial_verdicts\nwhere ${only} and ${judge(row)} and counted and correct and asked = 0\norder by case_id, check_id`,
                ),
                "met without asking",
              ),
          },
          {
            title: "Pairs consistent",
            align: "right",
            cell: (row) => {
              const { n, right } = total(row);
              const name = `${text(row, "judge")} ${text(row, "context")}`;
              return rate(right, n, {
                href: sqlLink(
                  `select *\nfrom battery_pairs\nwhere ${only} and list_contains(string_split(right_for_judges, ', '), ${quote(name)})\norder by position`,
                ),
                label: "pairs consistent",
              });
            },
          },
        ],
        { label: `Trivial judges${named ? `, ${run}` : ""}` },
      ),
    ),
    figure(
      { title: `Pairs that a trivial judge gets right: ${weak.length}/${pairs.length}`, claim: CLAIM },
      dataTable(
        weak,
        [
          {
            title: "Check",
            header: true,
            cell: ({ pair }) => h("a", { href: checkLink(text(pair, "check_id")) }, text(pair, "check_id")),
          },
          { title: "Cases", cell: ({ pair }) => `${text(pair, "case_before")} → ${text(pair, "case_after")}` },
          { title: "Right for", align: "right", cell: ({ rightFor, judges }) => rate(rightFor.length, judges) },
          { title: "Which", cell: ({ rightFor }) => rightFor.join("; "), class: "prose-cell" },
        ],
        {
          label: `Pairs that a trivial judge gets right${named ? `, ${run}` : ""}`,
          page: 20,
          empty: pairs.length === 0 ? "The study has no pair with two counted labels." : "Every pair discriminates.",
        },
      ),
    ),
  ];
}

function pairPowers(lines: readonly Row[]): PairPower[] {
  const found = new Map<string, PairPower>();
  for (const line of lines) {
    const id = text(line, "pair_id");
    const entry = found.get(id) ?? { pair: line, judges: 0, rightFor: [] };
    entry.judges += 1;
    if (line["consistent"] === true) entry.rightFor.push(scanLabel(line));
    found.set(id, entry);
  }
  return [...found.values()];
}
