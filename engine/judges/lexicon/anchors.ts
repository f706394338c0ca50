import type { Reading } from "./text.ts";

/** A word, or the beginning of one, that a text must hold for a phrase to match there. */
export interface Anchor {
  word: string;
  prefix: boolean;
}

/** Letters of a word's beginning that a reading keeps for `wor*`. */
export const PREFIX = 3;

/** False only where the phrase cannot match: none of its anchors is in the text. No anchors: may match. */
export function mayMatch(anchors: readonly Anchor[], { words, prefixes }: Reading): boolean {
  if (anchors.length === 0) return true;
  for (const { word, prefix } of anchors) if (prefix ? prefixes.has(word) : words.has(word)) return true;
  return false;
}

/**
 * The most telling anchors of a phrase: every text it matches holds one of them. A required group contributes
 * one anchor per alternative; an optional one none.
 */
export function anchorsOf(source: string): Anchor[] {
  const reader: Reader = { source, at: 0 };
  const anchors = alternatives(reader, true);
  return anchors ?? [];
}

interface Reader {
  source: string;
  at: number;
}

/** Reads up to `)` or the end. `bounded`: a word may begin here. */
function alternatives(reader: Reader, bounded: boolean): Anchor[] | undefined {
  const sets: (Anchor[] | undefined)[] = [sequence(reader, bounded)];
  while (reader.source[reader.at] === "|") {
    reader.at++;
    sets.push(sequence(reader, bounded));
  }
  return sets.every((set) => set !== undefined) ? sets.flat() : undefined;
}

function sequence(reader: Reader, begins: boolean): Anchor[] | undefined {
  const { source } = reader;
  let best: Anchor[] | undefined;
  let bounded = begins;
  while (reader.at < source.length && source[reader.at] !== ")" && source[reader.at] !== "|") {
    const char = source[reader.at]!;
    let found: Anchor[] | undefined;
    if (char === "(") {
      const from = ++reader.at;
      found = alternatives(reader, bounded);
      const inside = source.slice(from, reader.at++);
      const optional = source[reader.at] === "?";
      if (optional) {
        reader.at++;
        found = undefined;
      }
      bounded = inside.split("|").every((alternative) => alternative.endsWith(" ")) && (!optional || bounded);
      if (!optional && touchesWord(source[reader.at])) found = undefined;
    } else if (/[a-z0-9']/.test(char)) {
      const word = /^[a-z0-9'-]+/.exec(source.slice(reader.at))![0];
      reader.at += word.length;
      const next = source[reader.at];
      const first = /^[a-z0-9]+(?:'[a-z]+)?/.exec(word)?.[0];
      if (bounded && first !== undefined) {
        const whole = first !== word ? word[first.length] === "-" : !touchesWord(next) && next !== "(" && next !== "*";
        if (whole) found = [{ word: first, prefix: false }];
        else if (first.length >= PREFIX) found = [{ word: first.slice(0, PREFIX), prefix: true }];
      }
      bounded = false;
    } else {
      reader.at++;
      bounded = char === " " || (char === "." && source[reader.at - 2] === ".");
    }
    if (found !== undefined && (best === undefined || weight(found) > weight(best))) best = found;
  }
  return best;
}

function touchesWord(char: string | undefined): boolean {
  return char !== undefined && /[a-z0-9'*]/.test(char);
}

/** Long words are rare; a set is as rare as its commonest member. */
function weight(anchors: readonly Anchor[]): number {
  return Math.min(...anchors.map(({ word }) => word.length)) - anchors.length / 4;
}
