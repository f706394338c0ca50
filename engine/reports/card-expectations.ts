import { MISMATCH_KINDS } from "../schema/expectation.ts";
import { VERDICTS, type Verdict } from "../schema/verdict.ts";
import type { Agreement, Power } from "../validation/index.ts";
import type { StudyResult } from "./study-results.ts";
import { markdown } from "./escape.ts";
import { markdownTable } from "./markdown-table.ts";
import type { ScanView } from "./scan-view.ts";
import { ratio } from "./tally.ts";

interface Rejected {
  run_id: string;
  path: string;
  reason: string;
}

/** What was declared beforehand beside what was observed, or why there is nothing to set beside it. */
export function expectationSection(
  scan: ScanView,
  rejected: readonly Rejected[],
  agreement: Agreement,
  studies: readonly StudyResult[],
  powers: ReadonlyMap<string, Power>,
): string {
  const parts = ["## Expectations"];
  for (const row of rejected)
    parts.push(
      `**Rejected.** The expectations of ${markdown(row.run_id)} are rejected whole: ${markdown(row.reason)}. ` +
        "Verdicts are untouched; comparing this scan needs an explicit file of labels.",
    );
  const none = agreement.labeled_judgments === 0 && agreement.unbound_expectations.length === 0;
  if (none) return [...parts, ...(rejected.length > 0 ? [] : ["None were frozen with the sources."])].join("\n\n");
  parts.push(
    "**Accepted.** Expectations were frozen with the sources before any answer. The record keeps their provenance; it cannot prove their independence.",
    ...caveats(scan),
    counts(scan, agreement),
    `Expected (rows) by observed (columns), judged labels only.\n\n${confusion(agreement)}`,
    perCheck(agreement),
    ...studies.map((result) => study(result, powers.get(result.study_id))),
    ...unbound(agreement),
    `### Every labelled judgment\n\n${labelled(agreement)}`,
  );
  return parts.join("\n\n");
}

/** The shipped lexicon knows the words of the shipped cases: the reader must know that before the counts. */
function caveats({ plan, sources }: ScanView): string[] {
  const said: string[] = [];
  if (plan.judge.adapter === "lexicon" && sources.some((source) => source.study !== null))
    said.push(
      "**Development evidence, never validation.** The lexicon's patterns were written by the author of the shipped checks and studies, so what it gets right shows only that these fit each other.",
    );
  if (plan.judge.adapter === "constant" || plan.judge.adapter === "overlap")
    said.push(
      "**Baseline.** This judge understands nothing; its agreement is what agreement costs without understanding.",
    );
  return said;
}

function counts({ attachments }: ScanView, agreement: Agreement): string {
  const left = attachments.reduce((sum, row) => sum + row.not_selected, 0);
  return markdownTable(
    ["What", "Count"],
    [
      ["Labelled judgments", agreement.labeled_judgments],
      ["Unlabelled judgments", agreement.unlabeled_judgments],
      ["Labelled checks", agreement.labeled_checks.length],
      ["As expected, of labels that expect PASS, FAIL or NOT\\_APPLICABLE", ratio(agreement.agreed)],
      ["As expected, of labels that expect PASS or FAIL", asserted(agreement)],
      ["As expected, of those the judge was asked about", ratio(agreement.agreed_asked)],
      ["Expected UNCLEAR: recorded ambiguities, not in the lines above", agreement.expected_unclear],
      ["Labelled, not judged", agreement.not_judged],
      [
        "Differences from expectation, of all labels that were judged",
        `${agreement.mismatches}/${agreement.labeled_judgments - agreement.not_judged}`,
      ],
      ["False passes, of judged labels that expect FAIL", `${agreement.false_pass}/${rowTotal(agreement, "FAIL")}`],
      ["False failures, of judged labels that expect PASS", `${agreement.false_fail}/${rowTotal(agreement, "PASS")}`],
      ["Applicability differences", agreement.applicability],
      ["Unresolved: PASS or FAIL expected, UNCLEAR observed", agreement.unresolved],
      ["Decided: UNCLEAR expected, PASS or FAIL observed", agreement.decided],
      ["Labels of conversations or checks not selected here", left],
      ["Labels not bound to this scan", agreement.unbound_expectations.length],
    ],
  );
}

/** Most labels of a battery expect NOT_APPLICABLE; these are the ones that a judge can fail people by. */
function asserted({ confusion }: Agreement): string {
  const total = rowTotal({ confusion }, "PASS") + rowTotal({ confusion }, "FAIL");
  return ratio({ numerator: confusion.PASS.PASS + confusion.FAIL.FAIL, denominator: total });
}

function rowTotal({ confusion }: Pick<Agreement, "confusion">, expected: Verdict): number {
  return VERDICTS.reduce((sum, observed) => sum + confusion[expected][observed], 0);
}

function confusion({ confusion }: Agreement): string {
  const names = VERDICTS.map((verdict) => verdict.replace("_", "\\_"));
  return markdownTable(
    ["Expected", ...names],
    VERDICTS.map((from, index) => [names[index]!, ...VERDICTS.map((to) => confusion[from][to])]),
  );
}

function perCheck(agreement: Agreement): string {
  return markdownTable(
    ["Check", "labelled", "unlabelled", "as expected", ...MISMATCH_KINDS.map((kind) => kind.replace("_", " "))],
    agreement.checks.map((check) => [
      markdown(check.check_id),
      check.labeled_judgments,
      check.unlabeled_judgments,
      ratio(check.agreed),
      ...MISMATCH_KINDS.map((kind) => check[kind]),
    ]),
  );
}

function study({ study_id, boundaries, pairs, pairs_consistent }: StudyResult, power: Power | undefined): string {
  const wrong = pairs.filter((pair) => pair.consistent === false);
  return [
    `### Study ${markdown(study_id)}`,
    `Pairs with both members as expected: ${ratio(pairs_consistent)}.`,
    markdownTable(
      ["Boundary", "as expected", "differences", "pairs right"],
      boundaries.map((row) => [
        markdown(row.boundary_id),
        ratio(row.agreed),
        `${row.mismatches}/${row.labeled_judgments}`,
        ratio(row.pairs_consistent),
      ]),
    ),
    ...(wrong.length === 0
      ? []
      : [
          markdownTable(
            ["Pair not right", "Check", "Case", "Expected", "Observed"],
            wrong.flatMap((pair) =>
              pair.members.map((member) => [
                markdown(pair.pair_id),
                markdown(pair.check_id),
                markdown(member.case_id),
                verdict(member.expected),
                verdict(member.observed),
              ]),
            ),
            [],
          ),
        ]),
    ...(power === undefined ? [] : [trivial(power, pairs)]),
  ].join("\n\n");
}

/** The floor under the counts: a pair that habit alone gets right says little about any judge. */
function trivial({ judges, pairs: powers, discriminating }: Power, pairs: StudyResult["pairs"]): string {
  const telling = new Set(powers.filter((pair) => pair.discriminating).map(({ pair_id }) => pair_id));
  const right = pairs.filter((pair) => pair.consistent === true && telling.has(pair.pair_id)).length;
  return [
    `Discriminating pairs, which no trivial judge gets right on both sides: ${ratio(discriminating)}. ` +
      `This judge gets both sides of ${ratio({ numerator: right, denominator: telling.size })} of them right.`,
    markdownTable(
      ["Trivial judge", "context", "as expected", "of these not asked", "pairs right"],
      judges.map((row) => [
        markdown(row.judge),
        markdown(row.context),
        ratio(row.right),
        row.right_not_asked,
        ratio(row.pairs),
      ]),
    ),
  ].join("\n\n");
}

function unbound({ unbound_expectations: rows }: Agreement): string[] {
  if (rows.length === 0) return [];
  const table = markdownTable(
    ["Case", "Check", "Expected", "What differs"],
    rows.map((row) => [
      markdown(row.scenario_id),
      markdown(row.check_id),
      verdict(row.expected),
      row.differs.map(markdown).join(", "),
    ]),
    [],
  );
  return [`### Labels not bound to this scan\n\nThey are about other bytes, and count for nothing here.\n\n${table}`];
}

function labelled({ rows }: Agreement): string {
  return markdownTable(
    ["Case", "Check", "Expected", "Observed", "Difference", "Basis", "Source", "Author", "Reason"],
    rows.map((row) => [
      markdown(row.scenario_id),
      markdown(row.check_id),
      verdict(row.expected),
      verdict(row.observed) + (row.asked === 0 && row.observed !== null ? " (not asked)" : ""),
      row.mismatch?.replace("_", " ") ?? "",
      markdown(row.basis),
      markdown(row.source),
      markdown(row.author),
      markdown(row.reason),
    ]),
    [],
  );
}

function verdict(value: string | null): string {
  return value === null ? "not judged" : value.replace("_", "\\_");
}
