import { AssayError } from "../../canon/errors.ts";
import type { Reading } from "./text.ts";

/**
 * A phrase is words with five marks: `(a|b)` one of these, `(a )?` or not, `wor*` any ending, `...` up to sixty
 * characters of the same sentence, `^` in front: only where a line begins. Nothing repeats without bound except
 * the ending of one word, so every phrase is matched in time linear in the text.
 */
export interface Phrase {
  pattern: RegExp;
  /** The phrase cannot match a text that holds none of these words; empty where no word is certain. */
  anchors: readonly string[];
}

const compiled = new Map<string, Phrase>();

export function compilePhrase(source: string): Phrase {
  let phrase = compiled.get(source);
  if (phrase === undefined) compiled.set(source, (phrase = compile(source)));
  return phrase;
}

export function matches(phrase: Phrase, reading: Reading): boolean {
  if (!mayMatch(phrase, reading)) return false;
  phrase.pattern.lastIndex = 0;
  return phrase.pattern.test(reading.text);
}

/** The text with every match blanked out. */
export function without(phrases: readonly Phrase[], reading: Reading): Reading {
  let text = reading.text;
  for (const phrase of phrases) if (mayMatch(phrase, reading)) text = text.replace(phrase.pattern, " ~ ");
  return text === reading.text ? reading : { text, words: reading.words };
}

function mayMatch({ anchors }: Phrase, { words }: Reading): boolean {
  return anchors.length === 0 || anchors.some((word) => words.has(word));
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

/** The most telling certain word; else the first words of one certain group; else nothing. */
function anchorsOf(source: string): string[] {
  if (/\|/.test(source.replace(/\([^()]*\)/g, ""))) return [];
  const outside = source.replace(/\([^()]*\)\??/g, " | ");
  if (/[()]/.test(outside)) return [];
  const whole = outside.split(/[ |]+|\.\.\./).filter((word) => /^[a-z0-9']+$/.test(word));
  // A word that touches a group may be only the beginning or the end of a longer one.
  const certain = whole.filter((word) => new RegExp(`(?:^|[ .])${word}(?:$|[ .])`).test(source));
  const best = [...certain].sort((a, b) => b.length - a.length)[0];
  if (best !== undefined && best.length > 3) return [best];
  const group = /(?:^|[ .])\(([^()]*)\)(?=$|[ .])/.exec(source)?.[1]?.split("|") ?? [];
  const firsts = group.map((alternative) => alternative.split(" ")[0] ?? "");
  if (firsts.length > 0 && firsts.every((word) => /^[a-z0-9']+$/.test(word))) return firsts;
  return best === undefined ? [] : [best];
}
