import type { Evidence, RequestQuestion } from "../../schema/request.ts";
import { anyMatches, compilePhrase, without, type Phrase } from "./phrase.ts";
import { contentWords, readText, readUnquoted } from "./text.ts";

/** A field of the evidence, or `item`: the list item the question is bound to. */
type Place = string;

/**
 * How the lexicon answers one question; plain data, digested into `lexicon_sha256`.
 *
 * A yes/no sign is worth 0.95 (yes), 0.05 (no) or 0.5 (the signs conflict). `all` is the smallest of its parts,
 * `any` the largest, `not` one minus.
 */
export type Sign =
  /**
   * Yes phrases only: yes. No phrases only: no. Both, or `maybe` phrases only: 0.5. None: `otherwise`. What
   * `except` matches is blanked out first.
   */
  | (Phrased & { in: readonly Place[] })
  /**
   * The same message by message, in the order of the places; the last message that shows something decides. A
   * `weakens` phrase makes an earlier yes 0.5, a `maybe` phrase an earlier no.
   */
  | (Phrased & { latest: readonly Place[]; weakens?: readonly string[] })
  /**
   * Share of the content words of one text that the other holds: yes from `yes_at`, no up to `no_at`, 0.5 between.
   * With `exact`, a number, weekday or month that the other text lacks is a no by itself.
   */
  | { covered: Place; by: Place; yes_at: number; no_at: number; exact?: boolean }
  | { all: readonly Sign[] }
  | { any: readonly Sign[] }
  | { not: Sign };

interface Phrased {
  yes?: readonly string[];
  no?: readonly string[];
  maybe?: readonly string[];
  except?: readonly string[];
  /** Default: no. */
  otherwise?: Lean;
  /** What stands in double quotes is somebody else's, or to be sent, and is not read. */
  quotes?: "ignore";
}

/** Signs per option, normalised to sum 1; spread evenly where no option shows a sign. */
export interface ChoiceSigns {
  options: Readonly<Record<string, Sign>>;
}

type Lean = "yes" | "no" | "open";
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
  const sum = worth.reduce((a, b) => a + b, 0);
  return Object.fromEntries(options.map((option, i) => [option, round(worth[i]! / sum)]));
}

function present(sign: Extract<Sign, { in: unknown }>, state: Evidence, question: RequestQuestion): Lean {
  const seen = { yes: false, no: false, maybe: false };
  for (const raw of textsAt(sign.in, state, question)) look(sign, raw, seen);
  return leanOf(seen) ?? sign.otherwise ?? "no";
}

function latest(sign: Extract<Sign, { latest: unknown }>, state: Evidence, question: RequestQuestion): Lean {
  let lean = sign.otherwise ?? "no";
  for (const raw of textsAt(sign.latest, state, question)) {
    const seen = { yes: false, no: false, maybe: false };
    const weakened = look(sign, raw, seen);
    if (seen.yes || seen.no) lean = leanOf(seen) ?? lean;
    else if (seen.maybe && lean === "no") lean = "open";
    else if (weakened && lean === "yes") lean = "open";
  }
  return lean;
}

interface Seen {
  yes: boolean;
  no: boolean;
  maybe: boolean;
}

function leanOf({ yes, no, maybe }: Seen): Lean | undefined {
  if (yes && no) return "open";
  return yes ? "yes" : no ? "no" : maybe ? "open" : undefined;
}

/** Adds what one text shows to `seen`; tells whether it weakens an earlier yes. */
function look(sign: Extract<Sign, Phrased>, raw: string, seen: Seen): boolean {
  const { yes, no, maybe, weakens, except } = phrasesOf(sign);
  const whole = sign.quotes === "ignore" ? readUnquoted(raw) : readText(raw);
  const reading = without(except, whole);
  seen.yes ||= anyMatches(yes, reading);
  // A phrase that excuses a yes may be a no of its own, so the contrary is looked for in the whole text.
  seen.no ||= anyMatches(no, whole);
  seen.maybe ||= anyMatches(maybe, reading);
  return anyMatches(weakens, reading);
}

const EXACT =
  /^(?:\d+(?:[a-z]{2})?|(?:mon|tues|wednes|thurs|fri|satur|sun)day|january|february|march|april|june|july|august|september|october|november|december|free)$/;

function coverage(sign: Extract<Sign, { covered: unknown }>, state: Evidence, question: RequestQuestion): Lean {
  const wanted = textsAt([sign.covered], state, question).flatMap(contentWords);
  const held = new Set(textsAt([sign.by], state, question).flatMap(contentWords));
  if (wanted.length === 0) return "open";
  if (sign.exact === true && wanted.some((word) => EXACT.test(word) && !held.has(word))) return "no";
  const share = wanted.filter((word) => held.has(word)).length / wanted.length;
  return share >= sign.yes_at ? "yes" : share <= sign.no_at ? "no" : "open";
}

function textsAt(places: readonly Place[], state: Evidence, question: RequestQuestion): readonly string[] {
  if (places.length === 1) return textsIn(places[0]!, state, question);
  return places.flatMap((place) => textsIn(place, state, question));
}

function textsIn(place: Place, state: Evidence, { bind }: RequestQuestion): readonly string[] {
  if (place !== "item") return textsOf(state[place]);
  const item = bind === undefined ? undefined : state[bind.field]?.[bind.index];
  return typeof item === "string" ? [item] : [];
}

/** The texts of an evidence field; a memory record is one text. */
export function textsOf(value: Evidence[string] | undefined): readonly string[] {
  if (value === undefined) return [];
  if (typeof value === "string") return [value];
  return value.map((item) => (typeof item === "string" ? item : Object.values(item).join(" ")));
}

type Phrases = Record<"yes" | "no" | "maybe" | "weakens" | "except", readonly Phrase[]>;
const compiledSigns = new WeakMap<Sign, Phrases>();

function phrasesOf(sign: Extract<Sign, Phrased>): Phrases {
  let phrases = compiledSigns.get(sign);
  if (phrases === undefined) {
    const all = (sources: readonly string[] | undefined): Phrase[] => (sources ?? []).map(compilePhrase);
    phrases = {
      yes: all(sign.yes),
      no: all(sign.no),
      maybe: all(sign.maybe),
      weakens: all("weakens" in sign ? sign.weakens : undefined),
      except: all(sign.except),
    };
    compiledSigns.set(sign, phrases);
  }
  return phrases;
}

function round(p: number): number {
  return Math.round(p * 1e6) / 1e6;
}
