import { MISMATCH_KINDS } from "../schema/expectation.ts";
import { VERDICTS } from "../schema/verdict.ts";
import type { Agreement, Matrix } from "../validation/index.ts";
import type { Comparison, StudyResult } from "./compare.ts";
import { visible } from "./escape.ts";
import type { GateResult } from "./gates.ts";
import { seenShare } from "./seen.ts";
import { ratio } from "./tally.ts";
import { textTable } from "./text-table.ts";

/** A comparison for a terminal: counts and n/N, never a percentage. Every part says what it counts. */
export function printComparison(data: Comparison, gates: readonly GateResult[] = []): string {
  const agreement = data.expectation_agreement;
  const parts = [
    `${data.claim_text}\nNo accuracy claim: counts describe these conversations and definitions only.`,
    sides(data),
    changes(data),
    labels(data),
    ...(data.same_scan
      ? [expected("Expected (rows) by observed (columns)", agreement.new)]
      : [
          expected("Expected (rows) by observed (columns), old", agreement.old),
          expected("Expected (rows) by observed (columns), new", agreement.new),
        ]),
    perCheck(data),
    ...data.studies.new.map((study, index) => boundaries(data, study, data.studies.old[index])),
    differences(data),
    gates
      .map((gate) => `gate ${gate.name} <= ${gate.most}: ${gate.observed}, ${gate.met ? "met" : "NOT MET"}`)
      .join("\n"),
  ];
  return `${parts.filter((part) => part !== "").join("\n\n")}\n`;
}

function sides(data: Comparison): string {
  const both = [data.old, data.new];
  const row = (name: string, cell: (side: (typeof both)[number]) => string | number): (string | number)[] => [
    name,
    ...both.map(cell),
  ];
  return textTable([
    ["", "old", "new"],
    row("plan", (side) => side.plan_sha256.slice(0, 12)),
    row("judge", (side) => side.judge.name),
    row("context", (side) => side.judge.context),
    row("thresholds", ({ judge: { thresholds } }) => `${thresholds.low} / ${thresholds.high}`),
    row("claim", (side) => side.claim),
    row("judgments", (side) => side.judgments),
    row("judged", ({ coverage }) => ratio(coverage)),
    ...VERDICTS.map((verdict) => row(verdict, (side) => side.verdicts[verdict])),
    row("fixed without asking", (side) => side.not_asked),
    row("UNCLEAR of all", (side) => ratio(side.unclear_rate_all)),
    row("UNCLEAR of applicable", (side) => ratio(side.unclear_rate_applicable)),
    row("seen cases", ({ seen }) => seen.map((label) => visible(seenShare(label))).join("; ") || "no study"),
    row("technical attempts", (side) => side.execution.technical_attempts),
    row("cost USD (estimate)", ({ cost }) => `${cost.actual_cost_usd} (${cost.estimated_cost_usd ?? "unknown"})`),
  ]);
}

function changes(data: Comparison): string {
  const { conversations: c, judgments: j, applicability_transitions: a } = data;
  const lines = [
    `conversations: ${c.shared} shared, ${c.old_only} old only, ${c.new_only} new only; ` +
      `same transcripts: ${yes(data.same_transcripts)}; same evidence context: ${yes(data.same_evidence_context)}`,
    `judgments: ${j.shared} shared, ${j.old_only} old only, ${j.new_only} new only`,
    `judge settings changed: ${data.judge_settings_changed.join(", ") || "none"}`,
    ...data.changed_checks.map((check) => `changed definition: ${check.check_id} (${transitions(check.transitions)})`),
  ];
  const answers = data.answer_changes;
  if (answers !== null)
    lines.push(
      `identical requests: ${answers.shared_requests} (${answers.shared_questions} questions); other band: ` +
        `${answers.changed_bands}/${answers.shared_questions}; largest change of a probability: ${answers.max_absolute_delta ?? "-"}`,
    );
  if (data.same_scan) return lines.slice(0, 2).join("\n");
  lines.push(
    `changed verdicts: ${ratio(data.changed_verdicts)}; became applicable: ${a.became_applicable}, ` +
      `became not applicable: ${a.became_not_applicable}; not judged on a side: ${data.shared_not_judged.either}`,
    "A lower UNCLEAR rate alone is no improvement; read it beside the lines around it.",
    "",
    "Old verdict (rows) by new verdict (columns)",
    matrix(data.transition_table),
  );
  return lines.join("\n");
}

function labels(data: Comparison): string {
  const { source, count } = data.expectations;
  if (source === "none") return "No expectations: nothing here says whether a verdict is right.";
  const columns: [string, Agreement][] = data.same_scan
    ? [["count", data.expectation_agreement.new]]
    : [
        ["old", data.expectation_agreement.old],
        ["new", data.expectation_agreement.new],
      ];
  const row = (name: string, cell: (agreement: Agreement) => string | number): (string | number)[] => [
    name,
    ...columns.map(([, agreement]) => cell(agreement)),
  ];
  return [
    `Expectations: ${count}, ${source === "file" ? "from the named file" : "frozen with the sources"}`,
    textTable([
      ["", ...columns.map(([name]) => name)],
      row("labelled judgments", (a) => a.labeled_judgments),
      row("unlabelled judgments", (a) => a.unlabeled_judgments),
      row("labelled checks", (a) => a.labeled_checks.length),
      row("as expected", (a) => ratio(a.agreed)),
      row("  of those, asked of the judge", (a) => ratio(a.agreed_asked)),
      row("expected UNCLEAR (not in the lines above)", (a) => a.expected_unclear),
      row("labelled, not judged", (a) => a.not_judged),
      row("differences", (a) => a.mismatches),
      ...MISMATCH_KINDS.map((kind) => row(`  ${kind}`, (a) => a[kind])),
      row("not bound to this scan", (a) => a.unbound_expectations.length),
    ]),
  ].join("\n");
}

function expected(title: string, agreement: Agreement): string {
  return agreement.labeled_judgments === 0 ? "" : `${title}\n${matrix(agreement.confusion)}`;
}

function matrix(cells: Matrix): string {
  return textTable([["", ...VERDICTS], ...VERDICTS.map((from) => [from, ...VERDICTS.map((to) => cells[from][to])])]);
}

function perCheck(data: Comparison): string {
  const { old, new: next } = data.expectation_agreement;
  if (next.labeled_judgments === 0) return "";
  const before = new Map(old.checks.map((check) => [check.check_id, check]));
  return textTable([
    ["check", ...(data.same_scan ? [] : ["old as expected"]), "as expected", "false pass", "false fail", "unlabelled"],
    ...next.checks.map((check) => [
      check.check_id,
      ...(data.same_scan ? [] : [ratio(before.get(check.check_id)?.agreed ?? NONE)]),
      ratio(check.agreed),
      check.false_pass,
      check.false_fail,
      check.unlabeled_judgments,
    ]),
  ]);
}

function boundaries(data: Comparison, study: StudyResult, old: StudyResult | undefined): string {
  const before = new Map((old?.study_id === study.study_id ? old.boundaries : []).map((row) => [row.boundary_id, row]));
  return [
    `Study ${study.study_id}: pairs with both members right ${ratio(study.pairs_consistent)}`,
    textTable([
      ["boundary", ...(data.same_scan ? [] : ["old as expected", "old pairs right"]), "as expected", "pairs right"],
      ...study.boundaries.map((row) => [
        row.boundary_id,
        ...(data.same_scan ? [] : both(before.get(row.boundary_id))),
        ratio(row.agreed),
        ratio(row.pairs_consistent),
      ]),
    ]),
  ].join("\n");
}

function differences(data: Comparison): string {
  const { rows } = data.expectation_agreement.new;
  const different = rows.filter((row) => row.mismatch !== null || row.observed === null);
  if (different.length === 0) return "";
  const seen = new Set(data.new.seen.flatMap(({ seen_cases }) => seen_cases));
  return [
    `Differences from expectation${data.same_scan ? "" : ", new scan"}`,
    textTable([
      ["case", "check", "expected", "observed", "kind", "seen"],
      ...different
        .slice(0, MOST_DIFFERENCES)
        .map((row) => [
          row.scenario_id,
          row.check_id,
          row.expected,
          row.observed === null ? "not judged" : row.asked === 0 ? `${row.observed} (not asked)` : row.observed,
          row.mismatch ?? "",
          seen.has(row.scenario_id) ? "seen" : "",
        ]),
    ]),
    ...(different.length > MOST_DIFFERENCES
      ? [`and ${different.length - MOST_DIFFERENCES} more; --json lists all`]
      : []),
  ].join("\n");
}

const MOST_DIFFERENCES = 60;

function both(row: StudyResult["boundaries"][number] | undefined): string[] {
  return [ratio(row?.agreed ?? NONE), ratio(row?.pairs_consistent ?? NONE)];
}

const NONE = { numerator: 0, denominator: 0 };

function transitions(cells: Record<string, number>): string {
  return (
    Object.entries(cells)
      .map(([name, n]) => `${visible(name)} ${n}`)
      .join(", ") || "no shared judgment"
  );
}

function yes(value: boolean): string {
  return value ? "yes" : "no";
}
