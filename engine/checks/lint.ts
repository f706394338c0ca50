import { leaves } from "../evidence/reading.ts";
import type { Check, LoadedCheck, MemoryState } from "../schema/check.ts";
import { clauseOutcomes, formulaOutcomes } from "./outcomes.ts";

export interface LintFinding {
  check_id: string;
  file: string;
  message: string;
  fix: string;
}

type Say = (message: string, fix: string) => void;

/**
 * Definitions that parse and yet cannot be useful, in either memory state: a check that can never fail, never pass or
 * never apply, a question that nothing reads.
 */
export function lintChecks(checks: readonly LoadedCheck[]): LintFinding[] {
  return checks.flatMap(({ check, path }) => {
    const found: LintFinding[] = [];
    const say: Say = (message, fix) => found.push({ check_id: check.id, file: path, message, fix });
    lintReaders(check, say);
    if (check.rule === "clauses") for (const state of statesOf(check)) lintClauses(check, state, say);
    if (check.rule === "episode") lintEpisode(check, say);
    return found;
  });
}

function lintReaders(check: Check, say: Say): void {
  // A task rule reads each of its fixed questions.
  if (check.rule === "task_completion" || check.rule === "source_support") return;
  const { applies_if, fail_if, pass_if_any, episode } = check;
  const read = new Set([...applies_if, ...fail_if, ...pass_if_any].map((clause) => clause.question));
  if (episode !== undefined) for (const name of leaves(...Object.values(episode))) read.add(name);
  for (const name of Object.keys(check.questions))
    if (!read.has(name)) say(`nothing reads the question ${name}`, "remove it or read it in the rule");
}

/** Both memory states where anything is gated; otherwise they are the same. */
function statesOf(check: Check): (MemoryState | undefined)[] {
  const parts = [...check.applies_if, ...check.fail_if, ...check.pass_if_any, ...Object.values(check.questions)];
  return parts.some(({ memory }) => memory !== undefined) ? ["declared", "undeclared"] : [undefined];
}

function lintClauses(check: Check, state: MemoryState | undefined, say: Say): void {
  const outcomes = clauseOutcomes(check, state ?? "undeclared");
  if (outcomes === undefined) return;
  const where = state === undefined ? "" : ` where memory is ${state}`;
  if (!outcomes.applies) return say(`can never apply${where}`, "its applies_if clauses contradict each other");
  if (!outcomes.fails) say(`can never fail${where}`, "add a fail_if or pass_if_any clause that can fail there");
  if (!outcomes.passes) say(`can never pass${where}`, "no answers satisfy pass_if_any without a fail_if");
}

function lintEpisode(check: Check, say: Say): void {
  const { episode } = check;
  if (episode === undefined) return;
  const outcomes = (part: keyof typeof episode) => formulaOutcomes(episode[part]) ?? { true: true, false: true };
  if (!outcomes("opens").true) say("no episode can ever open", "opens contradicts itself");
  if (!outcomes("violates").true) say("can never fail", "violates contradicts itself");
  if (!outcomes("violates").false) say("every open episode fails at the next reply", "violates is always true");
  if (!outcomes("confirms").true) say("no message can confirm an episode", "confirms contradicts itself");
  if (!outcomes("reopens").false) say("every message reopens the episode", "reopens is always true");
}
