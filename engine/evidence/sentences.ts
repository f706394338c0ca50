/** A sentence of a reply: `text === reply.slice(start, end)`, offsets in UTF-16 code units. */
export interface Sentence {
  text: string;
  start: number;
  end: number;
}

/** The last of these holds all the rest, so that a long reply has a bounded number of questions. */
export const MAX_SENTENCES = 40;

const ENDING = new Set([".", "!", "?", "…", "。", "！", "？"]);
const CLOSING = new Set(['"', "'", ")", "]", "}", "”", "’", "»"]);
const ABBREVIATIONS = new Set(["dr", "mr", "mrs", "ms", "mx", "prof", "st", "mt", "sr", "jr", "vs", "e.g", "i.e"]);
const cache = new Map<string, readonly Sentence[]>();
const CACHED = 512;

/**
 * The sentences of a reply, in order, without surrounding white space. One pass over the text, no backtracking.
 * Recent results are kept: evidence, requests and rules all ask about the same reply.
 */
export function splitSentences(reply: string): readonly Sentence[] {
  const known = cache.get(reply);
  if (known !== undefined) return known;
  const sentences = split(reply);
  if (cache.size >= CACHED) cache.clear();
  cache.set(reply, sentences);
  return sentences;
}

function split(reply: string): Sentence[] {
  const sentences: Sentence[] = [];
  let start = 0;
  /** Where the present piece has its first character that is not white space. */
  let ink = -1;
  const take = (end: number): void => {
    const sentence = trimmed(reply, start, end);
    if (sentence !== undefined) sentences.push(sentence);
    start = end;
    ink = -1;
  };
  for (let at = 0; at < reply.length && sentences.length < MAX_SENTENCES - 1; at++) {
    const char = reply[at]!;
    if (ink === -1 && !isSpace(char)) ink = at;
    if (char === "\n") take(at + 1);
    else if (ENDING.has(char)) {
      let end = at + 1;
      while (end < reply.length && ENDING.has(reply[end]!)) end++;
      const single = end === at + 1;
      while (end < reply.length && CLOSING.has(reply[end]!)) end++;
      const boundary = end < reply.length && isSpace(reply[end]!) && reply[end] !== "\n";
      if (boundary && !(char === "." && single && isOpenPeriod(reply, ink, at))) take(end);
      at = end - 1;
    }
  }
  take(reply.length);
  return sentences;
}

/** A lone period that ends an abbreviation, a capital initial or a list number ends no sentence. */
function isOpenPeriod(reply: string, ink: number, at: number): boolean {
  let from = at;
  // No abbreviation is longer; a long word is not walked back in full at each of its periods.
  while (from > ink && at - from <= 8 && !isSpace(reply[from - 1]!)) from--;
  const word = reply.slice(from, at).replace(/^["'([{“‘«]+/, "");
  if (ABBREVIATIONS.has(word.toLowerCase())) return true;
  if (/^\p{Lu}$/u.test(word)) return true;
  return at - ink <= 6 && /^[0-9]+$/.test(reply.slice(ink, at));
}

function trimmed(reply: string, start: number, end: number): Sentence | undefined {
  while (start < end && isSpace(reply[start]!)) start++;
  while (end > start && isSpace(reply[end - 1]!)) end--;
  return start === end ? undefined : { text: reply.slice(start, end), start, end };
}

function isSpace(char: string): boolean {
  return /\s/.test(char);
}
