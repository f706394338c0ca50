import { leaves, readingOf, type Reading } from "../evidence/reading.ts";
import type { Check, Clause, Formula, MemoryState, Question } from "../schema/check.ts";

/** What one applicable turn can come to, over every way its questions could be answered. */
export interface Outcomes {
  applies: boolean;
  fails: boolean;
  passes: boolean;
}

/** Beyond this many combinations the enumeration is not worth its time, and nothing is claimed. */
const MAX_COMBINATIONS = 20_000;

/**
 * The outcomes of a `clauses` check in one memory state at a turn its cue opens. Windows and cues only choose turns,
 * so a check that cannot fail at one turn can never fail. Undefined where the definition has too many combinations.
 */
export function clauseOutcomes(check: Check, state: MemoryState): Outcomes | undefined {
  const reading = readingOf(check, state);
  const names = reading.questions.map(({ name }) => name);
  const choices = reading.questions.map(({ name, question }) => answersOf(question, clausesOf(reading, name)));
  if (choices.reduce((product, answers) => product * answers.length, 1) > MAX_COMBINATIONS) return undefined;
  const found: Outcomes = { applies: false, fails: false, passes: false };
  for (const combination of combinations(choices.map((answers) => answers.length))) {
    const answers = new Map(names.map((name, i) => [name, choices[i]![combination[i]!]!]));
    const outcome = outcomeOf(reading, (clause) => answers.get(clause.question)!(clause));
    if (outcome !== "out") found.applies = true;
    if (outcome === "fail") found.fails = true;
    if (outcome === "pass") found.passes = true;
  }
  return found;
}

function outcomeOf({ applies_if, fail_if, pass_if_any }: Reading, holds: (clause: Clause) => boolean): "out" | "fail" | "pass" {
  if (!applies_if.every(holds)) return "out";
  if (fail_if.some(holds)) return "fail";
  return pass_if_any.length > 0 && !pass_if_any.every(holds) ? "fail" : "pass";
}

/** The answers that some clause could tell apart, each as what it says to a clause. */
type Answer = (clause: Clause) => boolean;

function answersOf(question: Question, clauses: readonly Clause[]): Answer[] {
  if (question.type === "choice")
    return Object.keys(question.criteria ?? {}).map((option) => (clause) => (clause.option === option) === clause.is);
  if (question.unit === "turn") return [true, false].map((yes) => (clause) => yes === clause.is);
  // Of a reply's sentences only the place of the first yes matters: before which of the limits it falls, if any.
  const limits = [...new Set(clauses.map((clause) => clause.within_first ?? Infinity))];
  return [...limits, undefined].map((first) => (clause) => {
    const some = first !== undefined && first <= (clause.within_first ?? Infinity);
    return some === clause.is;
  });
}

function clausesOf({ applies_if, fail_if, pass_if_any }: Reading, name: string): Clause[] {
  return [...applies_if, ...fail_if, ...pass_if_any].filter((clause) => clause.question === name);
}

function* combinations(sizes: readonly number[]): Generator<number[]> {
  const at = sizes.map(() => 0);
  while (true) {
    yield at;
    let i = sizes.length - 1;
    while (i >= 0 && at[i] === sizes[i]! - 1) at[i--] = 0;
    if (i < 0) return;
    at[i]!++;
  }
}

/** Whether a formula can be true and can be false; undefined where it has too many questions to try. */
export function formulaOutcomes(formula: Formula): { true: boolean; false: boolean } | undefined {
  const names = leaves(formula);
  if (2 ** names.length > MAX_COMBINATIONS) return undefined;
  const found = { true: false, false: false };
  for (const combination of combinations(names.map(() => 2))) {
    const yes = new Set(names.filter((_, i) => combination[i] === 1));
    found[evaluate(formula, yes) ? "true" : "false"] = true;
  }
  return found;
}

function evaluate(formula: Formula, yes: ReadonlySet<string>): boolean {
  if (typeof formula === "string") return yes.has(formula);
  if ("not" in formula) return !evaluate(formula.not, yes);
  if ("all" in formula) return formula.all.every((part) => evaluate(part, yes));
  return formula.any.some((part) => evaluate(part, yes));
}
