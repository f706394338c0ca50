import { visible } from "../reports/escape.ts";
import { textTable } from "../reports/text-table.ts";
import type { RenderedStudy } from "../schema/study.ts";
import { invariantName } from "./invariants.ts";

/** A rendered study for a terminal. */
export function printStudy({ study, cases, proved }: RenderedStudy, run_id: string): string {
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
      ["pair", "boundary", "check", "cases", "proved"],
      ...study.pairs.map((pair) => [
        pair.id,
        pair.boundary,
        pair.check,
        pair.cases.join(" / "),
        proved.flatMap((row) => (row.pair === pair.id ? [invariantName(row.invariant)] : [])).join("; "),
      ]),
    ]),
  ];
  return parts.join("\n\n");
}
