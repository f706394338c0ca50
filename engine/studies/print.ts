import { visible } from "../reports/escape.ts";
import { textTable } from "../reports/text-table.ts";
import type { RenderedStudy } from "../schema/study.ts";
import type { Power, Share } from "../validation/index.ts";
import { invariantName } from "./invariants.ts";

/** A rendered study for a terminal, with what trivial judges reach on it. */
export function printStudy({ study, cases, proved }: RenderedStudy, run_id: string, power: Power): string {
  const digests = new Map(cases.map((row) => [row.id, row.transcript_sha256]));
  const parts = [
    [
      visible(study.title),
      `${run_id}, ${study.date}, ${visible(study.author)}`,
      `claim: ${visible(study.claim)}`,
      `selection: ${visible(study.selection)}`,
      `excluded: ${visible(study.excluded)}`,
      `checks: ${study.checks.join(", ")}`,
      `judges: ${study.judges.map(({ judge, context }) => `${judge} (${context})`).join(", ")}`,
    ].join("\n"),
    textTable([
      ["boundary", "change", "expected effect"],
      ...study.boundaries.map((row) => [row.id, row.change, row.expected_effect]),
    ]),
    textTable([
      ["case", "check", "expected", "from", "transcript"],
      ...study.cases.flatMap((row) => {
        const about = ["from" in row ? row.from : "", (digests.get(row.id) ?? "").slice(0, 12)];
        return row.expectations.length === 0
          ? [[row.id, "", "", ...about]]
          : row.expectations.map((label) => [row.id, label.check, label.expected, ...about]);
      }),
    ]),
    textTable([
      ["pair", "boundary", "check", "cases", "proved", "discriminating"],
      ...study.pairs.map((pair, i) => [
        pair.id,
        pair.boundary,
        pair.check,
        pair.cases.join(" / "),
        proved.flatMap((row) => (row.pair === pair.id ? [invariantName(row.invariant)] : [])).join("; "),
        isDiscriminating(power.pairs[i]),
      ]),
    ]),
    printPower(power),
  ];
  return parts.join("\n\n");
}

/** What trivial judges reach: the floor under every result on this study. */
function printPower({ judges, discriminating }: Power): string {
  const share = (n: Share): string => (n.denominator === 0 ? "- (0/0)" : `${n.numerator}/${n.denominator}`);
  return [
    textTable([
      ["trivial judge", "context", "right", "of these not asked", "pairs right"],
      ...judges.map((row) => [row.judge, row.context, share(row.right), row.right_not_asked, share(row.pairs)]),
    ]),
    `${share(discriminating)} pairs are discriminating: no trivial judge gets both cases right.`,
  ].join("\n");
}

function isDiscriminating(pair: Power["pairs"][number] | undefined): string {
  if (pair === undefined || pair.discriminating === null) return "not counted";
  return pair.discriminating ? "yes" : `no: ${pair.right_for.join(", ")}`;
}
