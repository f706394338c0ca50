import type { Evidence, RequestQuestion } from "../../schema/request.ts";
import { compilePhrase, lastMatch, matches, without, type Phrase } from "./phrase.ts";
import { contentWords, readText, readUnquoted, type Reading } from "./text.ts";

/** A field of the evidence, or `item`: the list item the question is bound to. */
export type Place = keyof Evidence & string;

/**
 * How the lexicon answers one question; plain data, digested into `lexicon_sha256`.
 *
 * A yes/no sign is worth 0.95 (yes), 0.05 (no) or 0.5 (the signs conflict). `all` is the smallest of its parts,
 * `any` the largest, `not` one minus.
 */
export type Sign =
  /** Yes phrases only: yes. No phrases only: no. Both: 0.5. Neither: `otherwise`. `except` is blanked out first. */
  | { in: readonly Place[]; yes: readonly string[]; no?: readonly string[]; except?: readonly string[]; otherwise?: Lean; quotes?: "ignore" }
  /** The last message, in the order of the places, that shows either; both in one message: 0.5. */
  | { latest: readonly Place[]; yes: readonly string[]; no: readonly string[]; except?: readonly string[]; otherwise?: Lean }
  /**
   * Share of the content words of one text that the other holds: yes from `yes_at`, no up to `no_at`, 0.5 between.
   * With `exact`, a number, weekday or month that the other text lacks is a no by itself.
   */
  | { covered: Place; by: Place; yes_at: number; no_at: number; exact?: boolean }
  | { all: readonly Sign[] }
  | { any: readonly Sign[] }
  | { not: Sign };

/** Signs per option, normalised to sum 1; where none is above one half, `otherwise` counts as a yes. */
export interface ChoiceSigns {
  options: Readonly<Record<string, Sign>>;
  otherwise: string;
}

export type Lean = "yes" | "no" | "open";
const WORTH: Record<Lean, number> = { yes: 0.95, no: 0.05, open: 0.5 };

export function answerSign(sign: Sign, state: Evidence, question: RequestQuestion): number {
  if ("all" in sign) return Math.min(...sign.all.map((part) => answerSign(part, state, question)));
  if ("any" in sign) return Math.max(...sign.any.map((part) => answerSign(part, state, question)));
  if ("not" in sign) return round(1 - answerSign(sign.not, state, question));
  if ("covered" in sign) return WORTH[coverage(sign, state, question)];
  if ("latest" in sign) return WORTH[latest(sign, state, question)];
  return WORTH[present(sign, state, question)];
}

export function answerChoice(signs: ChoiceSigns, state: Evidence, question: RequestQuestion): Record<string, number> {
  const options = Object.keys(signs.options).sort();
  const worth = options.map((option) => answerSign(signs.options[option]!, state, question));
  if (worth.every((p) => p <= 0.5)) worth[options.indexOf(signs.otherwise)] = WORTH.yes;
  const sum = worth.reduce((a, b) => a + b, 0);
  return Object.fromEntries(options.map((option, i) => [option, round(worth[i]! / sum)]));
}

function present(sign: Extract<Sign, { in: unknown }>, state: Evidence, question: RequestQuestion): Lean {
  const { yes, no, except } = phrasesOf(sign);
  let sawYes = false;
  let sawNo = false;
  for (const raw of textsAt(sign.in, state, question)) {
    const reading = without(except, sign.quotes === "ignore" ? readUnquoted(raw) : readText(raw));
    sawYes ||= yes.some((phrase) => matches(phrase, reading));
    sawNo ||= no.some((phrase) => matches(phrase, reading));
  }
  if (sawYes && sawNo) return "open";
  return sawYes ? "yes" : sawNo ? "no" : (sign.otherwise ?? "no");
}

function latest(sign: Extract<Sign, { latest: unknown }>, state: Evidence, question: RequestQuestion): Lean {
  const { yes, no, except } = phrasesOf(sign);
  const shows = (phrases: readonly Phrase[], reading: Reading): boolean =>
    phrases.some((phrase) => lastMatch(phrase, reading) >= 0);
  for (const raw of textsAt(sign.latest, state, question).reverse()) {
    const reading = without(except, readUnquoted(raw));
    const sawYes = shows(yes, reading);
    const sawNo = shows(no, reading);
    if (sawYes || sawNo) return sawYes && sawNo ? "open" : sawYes ? "yes" : "no";
  }
  return sign.otherwise ?? "no";
}

const EXACT = /^(?:\d+(?:[a-z]{2})?|(?:mon|tues|wednes|thurs|fri|satur|sun)day|january|february|march|april|june|july|august|september|october|november|december|free)$/;

function coverage(sign: Extract<Sign, { covered: unknown }>, state: Evidence, question: RequestQuestion): Lean {
  const wanted = textsAt([sign.covered], state, question).flatMap(contentWords);
  const held = new Set(textsAt([sign.by], state, question).flatMap(contentWords));
  if (wanted.length === 0) return "open";
  if (sign.exact === true && wanted.some((word) => EXACT.test(word) && !held.has(word))) return "no";
  const share = wanted.filter((word) => held.has(word)).length / wanted.length;
  return share >= sign.yes_at ? "yes" : share <= sign.no_at ? "no" : "open";
}

function textsAt(places: readonly string[], state: Evidence, question: RequestQuestion): string[] {
  return places.flatMap((place) => (place === "item" ? boundItem(state, question) : textsOf(state[place])));
}

function boundItem(state: Evidence, { bind }: RequestQuestion): string[] {
  if (bind === undefined) return [];
  const item = textsOf(state[bind.field])[bind.index];
  return item === undefined ? [] : [item];
}

export function textsOf(value: Evidence[string] | undefined): string[] {
  if (value === undefined) return [];
  if (typeof value === "string") return [value];
  return value.map((item) => (typeof item === "string" ? item : Object.values(item).join(" ")));
}

interface Phrases {
  yes: readonly Phrase[];
  no: readonly Phrase[];
  except: readonly Phrase[];
}
const compiledSigns = new WeakMap<Sign, Phrases>();

function phrasesOf(sign: Extract<Sign, { yes: unknown }>): Phrases {
  let phrases = compiledSigns.get(sign);
  if (phrases === undefined) {
    const all = (sources: readonly string[] | undefined): Phrase[] => (sources ?? []).map(compilePhrase);
    compiledSigns.set(sign, (phrases = { yes: all(sign.yes), no: all(sign.no), except: all(sign.except) }));
  }
  return phrases;
}

function round(p: number): number {
  return Math.round(p * 1e6) / 1e6;
}
