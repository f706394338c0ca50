import type { Check, Clause, Formula, MemoryState, Question } from "../schema/check.ts";
import type { Conversation } from "../schema/transcript.ts";
import { timeline } from "./timeline.ts";

/** A question of a `clauses` check as some present clause reads it. */
export interface ReadQuestion {
  name: string;
  question: Question;
  /** Sentences read from the start of a reply; Infinity where one clause reads them all. Turn questions: 0. */
  sentences: number;
}

/** What exists of a `clauses` check in one memory state: gated clauses and questions of the other are absent. */
export interface Reading {
  applies_if: readonly Clause[];
  fail_if: readonly Clause[];
  pass_if_any: readonly Clause[];
  /** Only questions that some present clause reads, by name in code-unit order. */
  questions: readonly ReadQuestion[];
}

const readings = new WeakMap<Check, Map<MemoryState, Reading>>();

export function memoryState(conversation: Conversation): MemoryState {
  return conversation.memory.persistent_memory ? "declared" : "undeclared";
}

export function readingOf(check: Check, state: MemoryState): Reading {
  let states = readings.get(check);
  if (states === undefined) readings.set(check, (states = new Map<MemoryState, Reading>()));
  let reading = states.get(state);
  if (reading === undefined) states.set(state, (reading = read(check, state)));
  return reading;
}

function read(check: Check, state: MemoryState): Reading {
  const exists = (gate: MemoryState | undefined): boolean => gate === undefined || gate === state;
  const present = (clauses: readonly Clause[]): Clause[] =>
    clauses.filter((clause) => exists(clause.memory) && exists(check.questions[clause.question]?.memory));
  const lists = {
    applies_if: present(check.applies_if),
    fail_if: present(check.fail_if),
    pass_if_any: present(check.pass_if_any),
  };
  const clauses = [...lists.applies_if, ...lists.fail_if, ...lists.pass_if_any];
  const questions: ReadQuestion[] = [];
  // Sorted, not in the order of the file: a frozen check is canonical JSON, which does not keep that order.
  for (const name of Object.keys(check.questions).sort()) {
    const question = check.questions[name]!;
    const readers = clauses.filter((clause) => clause.question === name);
    if (readers.length === 0) continue;
    const sentences =
      question.unit === "sentence" ? Math.max(...readers.map((clause) => clause.within_first ?? Infinity)) : 0;
    questions.push({ name, question, sentences });
  }
  return { ...lists, questions };
}

/** Whether some cue answers would put the reply of a turn in a window. */
export function windows(check: Check, conversation: Conversation): (turn: number, hasUser: boolean) => boolean {
  const role = check.cue?.role;
  if (role === undefined) return () => true;
  if (check.window === "reply") return (_turn, hasUser) => role === "assistant" || hasUser;
  const first = timeline(conversation).find((moment) => moment[role] !== undefined)?.turn ?? Infinity;
  return (turn) => (role === "user" ? turn >= first : turn > first);
}

/** The question names of formulas, without repeats, in code-unit order. */
export function leaves(...formulas: Formula[]): string[] {
  const names = new Set<string>();
  const walk = (formula: Formula): void => {
    if (typeof formula === "string") names.add(formula);
    else if ("not" in formula) walk(formula.not);
    else for (const part of "all" in formula ? formula.all : formula.any) walk(part);
  };
  formulas.forEach(walk);
  return [...names].sort();
}
