import type { Thresholds } from "../schema/judge.ts";
import type { AnswerValue, Observation } from "../schema/request.ts";
import { bandOf, isOpen, nearest, resolutionName, resolutionsOf, type Lookup, type Resolutions } from "./answers.ts";

/** The answers of one derivation, by index of its observations. */
export interface Answers {
  observations: readonly Observation[];
  values: readonly AnswerValue[];
  resolutions: Resolutions[];
  /** Indices of the unresolved ones. */
  open: readonly number[];
  thresholds: Thresholds;
}

/** Answers with the world nearest to their probabilities, one bit each: what holds in every world holds in it. */
export interface Ledger extends Answers {
  near: readonly Resolutions[];
}

/** Look every observation up, once. Throws AssayError "missing_answer" or "bad_answer". */
export function resolveAll(observations: readonly Observation[], lookup: Lookup, thresholds: Thresholds): Answers {
  const values: AnswerValue[] = [];
  const resolutions: Resolutions[] = [];
  const open: number[] = [];
  for (let i = 0; i < observations.length; i++) {
    const observation = observations[i]!;
    const value = lookup(observation);
    const left = resolutionsOf(observation, value, thresholds);
    if (isOpen(left)) open.push(i);
    resolutions.push(left);
    values.push(value!);
  }
  return { observations, values, resolutions, open, thresholds };
}

export function ledgerOf(answers: Answers): Ledger {
  const { observations, values, resolutions, open, thresholds } = answers;
  let near: Resolutions[] = resolutions;
  if (open.length > 0) near = resolutions.map((left, i) => nearest(observations[i]!, values[i]!, left));
  return { observations, values, resolutions, open, thresholds, near };
}

export function isSettled(ledger: Ledger, i: number): boolean {
  return !isOpen(ledger.resolutions[i]!);
}

/** P(yes), or the probability of the option of the nearest world: how strongly an answer speaks. */
export function strength({ observations, values, near }: Ledger, i: number): number {
  const value = values[i]!;
  return typeof value === "number" ? value : (value[resolutionName(observations[i]!, near[i]!)] ?? 0);
}

/** One observation with its answer: `assistant:2 crisis.x/routing = 0.91 (yes)`. */
export function say(ledger: Ledger, i: number): string {
  const { role, turn, key } = ledger.observations[i]!;
  return `${role}:${turn} ${key} = ${sayValue(ledger, i)}`;
}

function sayValue(ledger: Ledger, i: number): string {
  const value = ledger.values[i]!;
  const observation = ledger.observations[i]!;
  if (typeof value === "number") return `${probability(ledger, value)} (${bandOf(value, ledger.thresholds)})`;
  if (isSettled(ledger, i)) {
    const option = resolutionName(observation, ledger.resolutions[i]!);
    return `${option} ${probability(ledger, value[option]!)} (chosen)`;
  }
  const shares = (observation.options ?? []).map((option) => `${option} ${probability(ledger, value[option] ?? 0)}`);
  return `${shares.join(", ")} (open)`;
}

/** Four decimals, unless rounding would move the number across a threshold. */
function probability({ thresholds }: Ledger, p: number): string {
  const rounded = Math.round(p * 1e4) / 1e4;
  return String(bandOf(rounded, thresholds) === bandOf(p, thresholds) ? rounded : p);
}

/** Up to `most` observations, then how many more. */
export function sayAll(ledger: Ledger, indices: readonly number[], most = 4): string {
  const said = indices.slice(0, most).map((i) => say(ledger, i));
  return indices.length > most ? `${said.join("; ")}; and ${indices.length - most} more` : said.join("; ");
}

/** `2 open answers`, `1 open answer`. */
export function plural(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? "" : noun.endsWith("s") ? "es" : "s"}`;
}

/** `reply 2`, `replies 1, 2 and 3`; a long list is cut. */
export function sayReplies(turns: readonly number[]): string {
  if (turns.length === 1) return `reply ${turns[0]}`;
  if (turns.length > 8) return `${turns.length} replies (${turns[0]} to ${turns.at(-1)})`;
  return `replies ${turns.slice(0, -1).join(", ")} and ${turns.at(-1)}`;
}
