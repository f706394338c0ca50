import { VERDICTS } from "../schema/verdict.ts";
import type { AgreementReport, JudgePair } from "./agreement.ts";
import { visible } from "./escape.ts";
import { FEWEST_FOR_A_RATE, type Coefficient, type PairAgreement } from "./pair-agreement.ts";
import type { SelfAgreement } from "./self-agreement.ts";
import { ratio } from "./tally.ts";
import { textTable } from "./text-table.ts";

const MOST_DISAGREEMENTS = 30;

/** The report for a terminal: counts first, a constant judge's row in every table, coefficients with intervals. */
export function printAgreement(data: AgreementReport): string {
  const parts = [
    `${data.claim_text}\n${data.note}`,
    textTable([
      ["judge", "kind", "named", "under", "judgments", "conversations"],
      ...data.judges.map((row) => [row.id, row.kind, row.judge, row.under, row.judgments, row.conversations]),
    ]),
    ...mapped(data),
    ...data.pairs.flatMap(pair),
    ...allJudges(data),
    ...data.self.flatMap(({ id, ...self }) => [selfTable(id, self)]),
    `Intervals are 95 %, over judgments as if independent; those of one conversation are not, so they are rather narrow. Fewer than ${FEWEST_FOR_A_RATE} judgments have none here.`,
  ];
  return `${parts.join("\n\n")}\n`;
}

function mapped(data: AgreementReport): string[] {
  const said: string[] = [];
  if (data.map.length > 0)
    said.push(
      `Declared map: the definitions differ, and someone says they are about one thing\n${textTable([
        ["foreign id", "check", "author", "reason"],
        ...data.map.map((row) => [row.foreign_id, row.check_id, row.author, row.reason]),
      ])}`,
    );
  if (data.map_unused.length > 0)
    said.push(
      `Entries of the map that nothing here meets: ${data.map_unused.map((row) => visible(row.foreign_id)).join(", ")}`,
    );
  for (const { id, unmapped } of data.judges)
    if (unmapped.length > 0)
      said.push(
        `Not in the map, so left out of ${visible(id)}: ${unmapped.map((row) => visible(row.foreign_id)).join(", ")}`,
      );
  return said;
}

function pair(data: JudgePair): string[] {
  const { conversations: c } = data;
  const lines = [
    `a: ${data.a}`,
    `b: ${data.b}`,
    `conversations: ${c.shared} shared, ${c.a_only} of a only, ${c.b_only} of b only` +
      (c.other_bytes === 0 ? "" : `, ${c.other_bytes} with other bytes`) +
      (c.other_context === 0 ? "" : `, ${c.other_context} with other memory context`),
  ];
  if (data.changed_definitions.length > 0)
    lines.push(`left out, other definition: ${data.changed_definitions.join(", ")}`);
  if (data.checks.length === 0) return [[...lines, "No check in common."].map(visible).join("\n")];
  const title = lines.map(visible).join("\n");
  const table = textTable([
    ["a (rows) by b (columns)", ...VERDICTS],
    ...VERDICTS.map((row) => [row, ...VERDICTS.map((column) => data.overall.table[row][column])]),
  ]);
  const rows = [
    ...data.checks.flatMap((check) => agreementRows(check.check_id, check, check)),
    ...agreementRows("all checks", data.overall, data.overall),
  ];
  const head = ["check", "agreed", "kappa", "alpha", "AC1", "not asked", "not judged"];
  return [`${title}\n\n${table}\n\n${textTable([head, ...rows])}`, ...disagreements(data)];
}

function agreementRows(
  name: string,
  data: PairAgreement,
  { not_asked, not_judged }: { not_asked: number; not_judged: number },
): (string | number)[][] {
  const cells = ({ agreed, kappa, alpha, ac1 }: Omit<PairAgreement, "table" | "baselines">): string[] => [
    ratio(agreed),
    ...[kappa, alpha, ac1].map((value) => coefficient(value, agreed.denominator)),
  ];
  return [
    [name, ...cells(data), not_asked, not_judged],
    ...data.baselines.map((row) => [`  always ${row.always}, against ${row.against}`, ...cells(row), "", ""]),
  ];
}

function coefficient({ value, ci }: Coefficient, n: number): string {
  if (value === null) return "-";
  return ci === null || n < FEWEST_FOR_A_RATE ? fixed(value) : `${fixed(value)} [${ci.map(fixed).join(", ")}]`;
}

function fixed(value: number): string {
  return value.toFixed(3).replace(/^-(0\.000)$/, "$1");
}

function disagreements({ disagreements: rows }: JudgePair): string[] {
  if (rows.length === 0) return [];
  const table = textTable([
    ["check", "model", "scenario", "a", "b", ""],
    ...rows
      .slice(0, MOST_DISAGREEMENTS)
      .map((row) => [
        row.check_id,
        row.model_id,
        row.scenario_id,
        row.verdict_a,
        row.verdict_b,
        row.not_asked ? "not asked" : "",
      ]),
  ]);
  const more =
    rows.length > MOST_DISAGREEMENTS ? `\nand ${rows.length - MOST_DISAGREEMENTS} more; --json lists all` : "";
  return [`Disagreements: ${rows.length}\n${table}${more}`];
}

function allJudges({ all_judges }: AgreementReport): string[] {
  if (all_judges.length === 0) return [];
  return [
    `All judges of a check at once\n${textTable([
      ["check", "judges", "judgments", "alpha", "AC1"],
      ...all_judges.map((row) => [
        row.check_id,
        row.judges.length,
        row.units,
        row.alpha.value?.toFixed(3) ?? "-",
        coefficient(row.ac1, row.units),
      ]),
    ])}`,
  ];
}

function selfTable(id: string, self: SelfAgreement): string {
  const rows = [...self.checks, { about: "all", ...self.overall }];
  return `${visible(id)} against itself, ${self.from}\n${textTable([
    ["about", "one verdict in all repeats", "split", "alpha", "most frequent verdict, of all repeats"],
    ...rows.map((row) => [
      row.about,
      ratio(row.unanimous),
      row.split,
      row.alpha.value?.toFixed(3) ?? "-",
      `${row.constant ?? "-"} ${ratio(row.constant_share)}`,
    ]),
    [
      "  a constant judge",
      ratio({ numerator: self.overall.judgments, denominator: self.overall.judgments }),
      0,
      "-",
      "",
    ],
  ])}`;
}
