import { AssayError } from "../../canon/errors.ts";
import { anchorsOf, mayMatch, type Anchor } from "./anchors.ts";
import type { Reading } from "./text.ts";

/**
 * A phrase is words with five marks: `(a|b)` one of these, `(a )?` or not, `wor*` any ending, `...` up to sixty
 * characters of the same sentence, `^` in front: only where a line begins. Nothing repeats without bound except
 * the ending of one word, so every phrase is matched in time linear in the text.
 */
export interface Phrase {
  pattern: RegExp;
  /** The phrase cannot match a text that holds none of these; empty where no word is certain. */
  anchors: readonly Anchor[];
}

const compiled = new Map<string, Phrase>();

export function compilePhrase(source: string): Phrase {
  let phrase = compiled.get(source);
  if (phrase === undefined) compiled.set(source, (phrase = compile(source)));
  return phrase;
}

export function matches(phrase: Phrase, reading: Reading): boolean {
  if (!mayMatch(phrase.anchors, reading)) return false;
  phrase.pattern.lastIndex = 0;
  return phrase.pattern.test(reading.text);
}

export function anyMatches(phrases: readonly Phrase[], reading: Reading): boolean {
  for (const phrase of phrases) if (matches(phrase, reading)) return true;
  return false;
}

/** The text with every match blanked out. */
export function without(phrases: readonly Phrase[], reading: Reading): Reading {
  let text = reading.text;
  for (const phrase of phrases) if (mayMatch(phrase.anchors, reading)) text = text.replace(phrase.pattern, " ~ ");
  return text === reading.text ? reading : { ...reading, text };
}

const REFUSED = /[^a-z0-9 '()|?*.,:/$%-]|(?<!\))\?|(?<![a-z])\*|(?<!\.)\.(?!\.)|\?\?/;

function compile(marked: string): Phrase {
  const source = marked.replace(/^\^/, "");
  if (source === "" || source.trim() !== source || REFUSED.test(source))
    throw new AssayError("bad_phrase", `the phrase ${JSON.stringify(marked)} uses a mark that phrases do not have`, {
      fix: "use words, (a|b), (a )?, wor*, ... and a leading ^",
    });
  const body = source
    .replace(/[$/]/g, "\\$&")
    .replace(/\*/g, "[a-z']*")
    .replace(/\(/g, "(?:")
    .replace(/ ?\.\.\. ?/g, "(?![a-z0-9'])[^.!?\\n]{0,60}?(?<![a-z0-9'])");
  const start = marked !== source ? "(?<=^[^a-z0-9\\n]{0,6})" : /^[a-z0-9(]/.test(source) ? "(?<![a-z0-9'])" : "";
  const end = /[a-z0-9)?]$/.test(source) ? "(?![a-z0-9])" : "";
  return { pattern: new RegExp(`${start}(?:${body})${end}`, "gm"), anchors: anchorsOf(source) };
}
