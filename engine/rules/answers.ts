import { AssayError } from "../canon/errors.ts";
import type { Thresholds } from "../schema/judge.ts";
import type { AnswerValue, Observation } from "../schema/request.ts";

/** The saved answer of an observation, or undefined where there is none. */
export type Lookup = (observation: Observation) => AnswerValue | undefined;

/**
 * How an observation may still resolve, as a bit set. yes/no: bit 0 is no, bit 1 is yes. Choice: bit i is the
 * i-th of `observation.options`. One bit: resolved.
 */
export type Resolutions = number;
export const NO = 1;
export const YES = 2;
export const EITHER = 3;

/** Bits of a 32-bit integer, sign left out. A check that parses has no more. */
export const MOST_OPTIONS = 31;

/** Which side of the thresholds P(yes) lies on; both thresholds are inclusive. */
export function bandOf(p: number, thresholds: Thresholds): "yes" | "no" | "open" {
  return p >= thresholds.high ? "yes" : p <= thresholds.low ? "no" : "open";
}

export function isOpen(resolutions: Resolutions): boolean {
  return (resolutions & (resolutions - 1)) !== 0;
}

/**
 * The resolutions a saved answer leaves. A choice is resolved by an option at or above `high` (several such, under
 * a low `high`: any of these); else it may be any option with p > 0.
 * Throws AssayError "missing_answer" or "bad_answer", naming `role:turn` and key.
 */
export function resolutionsOf(
  observation: Observation,
  value: AnswerValue | undefined,
  thresholds: Thresholds,
): Resolutions {
  if (value === undefined) throw answerError("missing_answer", observation, "has no saved answer");
  if (observation.type === "noul") {
    if (typeof value !== "number" || !(value >= 0 && value <= 1))
      throw answerError("bad_answer", observation, "needs one probability between 0 and 1");
    return value >= thresholds.high ? YES : value <= thresholds.low ? NO : EITHER;
  }
  const options = observation.options ?? [];
  if (typeof value === "number") throw answerError("bad_answer", observation, "needs one probability per option");
  if (options.length > MOST_OPTIONS)
    throw answerError("bad_answer", observation, `has ${options.length} options; the most is ${MOST_OPTIONS}`);
  let chosen = 0;
  let possible = 0;
  for (let i = 0; i < options.length; i++) {
    const p = Object.hasOwn(value, options[i]!) ? value[options[i]!]! : 0;
    if (p > 0) possible |= 1 << i;
    if (p >= thresholds.high && p > 0) chosen |= 1 << i;
  }
  if (possible === 0) throw answerError("bad_answer", observation, "gives no option a probability above 0");
  return chosen !== 0 ? chosen : possible;
}

/** The single resolution nearest to the probabilities: yes from 0.5 up; the likeliest option, the first of equals. */
export function nearest(observation: Observation, value: AnswerValue, resolutions: Resolutions): Resolutions {
  if (!isOpen(resolutions)) return resolutions;
  if (typeof value === "number") return value >= 0.5 ? YES : NO;
  let best = 0;
  let most = -1;
  (observation.options ?? []).forEach((option, i) => {
    const p = value[option] ?? 0;
    if ((resolutions & (1 << i)) !== 0 && p > most) [best, most] = [1 << i, p];
  });
  return best;
}

/** The name of one resolution: `yes`, `no` or the option. */
export function resolutionName(observation: Observation, bit: number): string {
  if (observation.type === "noul") return bit === YES ? "yes" : "no";
  return observation.options![31 - Math.clz32(bit)]!;
}

function answerError(code: string, { role, turn, key }: Observation, problem: string): AssayError {
  return new AssayError(code, `${role}:${turn} ${key} ${problem}`, { role, turn, key });
}
