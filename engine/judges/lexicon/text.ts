import { PREFIX } from "./anchors.ts";

/** A text as patterns see it: lower case, straight quotes, no Markdown marks, single spaces, newlines kept. */
export interface Reading {
  text: string;
  /** Every word, and the part of a contraction before its apostrophe. */
  words: ReadonlySet<string>;
  /** The first letters of every word. */
  prefixes: ReadonlySet<string>;
}

/** A judge reads the same message for many questions; the bound keeps a long run's memory flat. */
const KEPT = 4096;
const readings = new Map<string, Reading>();
const unquoted = new Map<string, Reading>();

export function readText(raw: string): Reading {
  return cached(readings, raw, () => reading(normalise(raw)));
}

/** The same without what stands in double quotes: somebody else's words, or words to be sent. */
export function readUnquoted(raw: string): Reading {
  return cached(unquoted, raw, () => {
    const whole = readText(raw);
    const text = whole.text.replace(/"[^"\n]{1,400}"/g, " ");
    return text === whole.text ? whole : reading(text);
  });
}

function normalise(raw: string): string {
  return raw
    .toLowerCase()
    .replace(/[\u2018\u2019\u02bc]/g, "'")
    .replace(/[\u201c\u201d\u201e]/g, '"')
    .replace(/[\u2013\u2014]/g, " - ")
    .replace(/[*_`#>]/g, "")
    .replace(/[^\S\n]+/g, " ");
}

const WORD = /[a-z0-9]+(?:'[a-z]+)?/g;

function wordsOf(text: string): string[] {
  return text.match(WORD) ?? [];
}

function reading(text: string): Reading {
  const words = new Set<string>();
  const prefixes = new Set<string>();
  for (const word of wordsOf(text)) {
    words.add(word);
    prefixes.add(word.slice(0, PREFIX));
    const apostrophe = word.indexOf("'");
    if (apostrophe > 0) words.add(word.slice(0, apostrophe));
  }
  return { text, words, prefixes };
}

function cached(store: Map<string, Reading>, raw: string, make: () => Reading): Reading {
  const known = store.get(raw);
  if (known !== undefined) return known;
  if (store.size >= KEPT) store.clear();
  const made = make();
  store.set(raw, made);
  return made;
}

const EMPTY_WORDS = new Set(
  (
    "a an the and or but if so to of in on at by for from with as is are was were be been am do does did have has had " +
    "it its this that these those there here i you he she we they me him her us them my your his our their not no " +
    "will would can could should may might just then than when what which who how also please up out about into"
  ).split(" "),
);

/** The words that carry content, cut down to a rough stem, so that `opens` meets `open`. */
export function contentWords(text: string): string[] {
  return wordsOf(normalise(text))
    .filter((word) => !EMPTY_WORDS.has(word))
    .map(stem);
}

function stem(word: string): string {
  const bare = cut(word.replace(/'.*$/, ""));
  return bare.length > 3 && bare.endsWith("e") ? bare.slice(0, -1) : bare;
}

function cut(word: string): string {
  if (word.length > 5 && word.endsWith("ing")) return word.slice(0, -3);
  if (word.length > 4 && word.endsWith("ed")) return word.slice(0, -2);
  if (word.length > 3 && word.endsWith("s") && !word.endsWith("ss")) return word.slice(0, -1);
  return word;
}
