import { readingOf, type ReadQuestion, type Reading } from "../evidence/reading.ts";
import type { Check, Clause, MemoryState } from "../schema/check.ts";
import { NO, YES, type Resolutions } from "./answers.ts";

/** How one outcome of one question bears on its reply: it meets its `applies_if`, a `fail_if`, its `pass_if_any`. */
export const APPLIES = 1;
export const FAILS = 2;
export const SATISFIES = 4;

/** A question of a check with what its answers at one reply may do. */
export interface QuestionBearings {
  name: string;
  sentence: boolean;
  /** The ways (bit b: bearing b) the question may bear on a reply whose observations are `first` to `first + count`. */
  ways(resolutions: readonly Resolutions[], first: number, count: number): number;
}

const cache = new WeakMap<Check, Map<MemoryState, readonly QuestionBearings[]>>();

/** In the order of `readingOf(check, state).questions`. */
export function bearingsOf(check: Check, state: MemoryState): readonly QuestionBearings[] {
  let states = cache.get(check);
  if (states === undefined) cache.set(check, (states = new Map<MemoryState, readonly QuestionBearings[]>()));
  let bearings = states.get(state);
  if (bearings === undefined) {
    const reading = readingOf(check, state);
    states.set(state, (bearings = reading.questions.map((question) => compile(question, reading))));
  }
  return bearings;
}

function compile({ name, question }: ReadQuestion, reading: Reading): QuestionBearings {
  const bearing = (says: (clause: Clause) => boolean): number => {
    const holds = (clause: Clause): boolean => says(clause) === clause.is;
    const own = (clauses: readonly Clause[]): Clause[] => clauses.filter((clause) => clause.question === name);
    return (
      (own(reading.applies_if).every(holds) ? APPLIES : 0) |
      (own(reading.fail_if).some(holds) ? FAILS : 0) |
      (own(reading.pass_if_any).every(holds) ? SATISFIES : 0)
    );
  };
  if (question.unit === "sentence") return sentenceQuestion(name, reading, bearing);
  const outcomes =
    question.type === "choice"
      ? Object.keys(question.criteria ?? {})
          .sort()
          .map((option) => bearing((clause) => clause.option === option))
      : [bearing(() => false), bearing(() => true)];
  return {
    name,
    sentence: false,
    ways: (resolutions, first) => {
      let ways = 0;
      for (let open = resolutions[first]!; open !== 0; open &= open - 1)
        ways |= 1 << outcomes[31 - Math.clz32(open & -open)]!;
      return ways;
    },
  };
}

/**
 * Clauses read "some sentence within the limit is yes", so all that matters is which limits take in the first yes.
 * With limits ascending, `outcomes[j]` is for a first yes that limit j is the first to take in, the last for none.
 */
function sentenceQuestion(
  name: string,
  reading: Reading,
  bearing: (says: (clause: Clause) => boolean) => number,
): QuestionBearings {
  const clauses = [...reading.applies_if, ...reading.fail_if, ...reading.pass_if_any];
  const limitOf = (clause: Clause): number => clause.within_first ?? Infinity;
  const limits = [...new Set(clauses.filter((clause) => clause.question === name).map(limitOf))].sort((a, b) => a - b);
  const outcomes = [...limits, undefined].map((taken) =>
    bearing((clause) => taken !== undefined && limitOf(clause) >= taken),
  );
  return {
    name,
    sentence: true,
    ways: (resolutions, first, count) => {
      let ways = 0;
      let limit = 0;
      for (let i = 0; i < count; i++) {
        while (i >= limits[limit]!) limit++;
        const says = resolutions[first + i]!;
        if ((says & YES) !== 0) ways |= 1 << outcomes[limit]!;
        if ((says & NO) === 0) return ways;
      }
      return ways | (1 << outcomes[limits.length]!);
    },
  };
}
