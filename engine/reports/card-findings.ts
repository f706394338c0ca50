import type { EvidenceSpan, Judgment, UsedObservation } from "../schema/judgment.ts";
import type { Thresholds } from "../schema/judge.ts";
import type { ScanPlan } from "../schema/plan.ts";
import { markdown, quoted } from "./escape.ts";

const MOST_ANSWERS = 12;

/** One FAIL or UNCLEAR judgment: where it stands, why, exact quotes, and the answers it rests on. */
export function finding(plan: ScanPlan, judgment: Judgment, line: number): string {
  const { check_id, scenario_id, model_id, possible, asked } = judgment;
  const suspects = plan.conversations[judgment.conversation]?.suspect_turns.length ?? 0;
  const facts = [
    `line ${line}`,
    `conversation ${judgment.conversation + 1}`,
    `possible ${possible.join(" or ")}`,
    asked === 0 ? "fixed without asking" : `${asked} observation${asked === 1 ? "" : "s"} asked`,
    ...(suspects === 0 ? [] : [`${suspects} suspect turns`]),
  ];
  return [
    `### ${markdown(check_id)}: ${markdown(scenario_id)}`,
    "",
    `- Model ${markdown(model_id)}; ${facts.join("; ")}`,
    `- Why: ${markdown(judgment.rationale)}`,
    ...judgment.evidence.map(quote),
    ...answers(judgment, plan.judge.thresholds),
  ].join("\n");
}

function quote({ role, turn, start, end, kind, quote }: EvidenceSpan): string {
  const place = `${markdown(role)} turn ${turn}, ${start}-${end}`;
  return `- ${kind === "absence" ? "Absent from" : "Quote"} (${kind}, ${place}): ${quoted(quote)}`;
}

/** Unresolved answers first: they are what keeps a verdict open. */
function answers({ observations }: Judgment, thresholds: Thresholds): string[] {
  const open = observations.filter((row) => isOpen(row, thresholds));
  const ordered = [...open, ...observations.filter((row) => !open.includes(row))];
  const rest = ordered.length - MOST_ANSWERS;
  return [
    ...ordered.slice(0, MOST_ANSWERS).map((row) => `- Answer at ${answer(row, thresholds)}`),
    ...(rest > 0 ? [`- and ${rest} more answers in the ledger`] : []),
  ];
}

function answer(row: UsedObservation, thresholds: Thresholds): string {
  const place = `${markdown(row.role)}:${row.turn} ${markdown(row.key)}`;
  if (row.value === null) return `${place}: not answered`;
  if (typeof row.value === "number")
    return `${place}: P(yes) ${row.value} (${isOpen(row, thresholds) ? "open" : row.value >= thresholds.high ? "yes" : "no"})`;
  const options = Object.entries(row.value).map(([option, p]) => `${markdown(option)} ${p}`);
  return `${place}: ${options.join(", ")} (${isOpen(row, thresholds) ? "open" : "chosen"})`;
}

function isOpen({ value }: UsedObservation, { low, high }: Thresholds): boolean {
  if (value === null) return true;
  if (typeof value === "number") return value > low && value < high;
  return !Object.values(value).some((p) => p >= high);
}
