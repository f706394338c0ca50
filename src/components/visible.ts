/*
 * Characters that show nothing and still change what a reader sees: marks that reverse the direction of text, and
 * control codes. A model can write them; the pages name them instead of obeying them. Joiners stay: emoji and several
 * scripts are spelled with them.
 */

// eslint-disable-next-line no-control-regex
const CONTROLS = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/;

/** The character as its code point, such as U+202E. */
export function codePoint(character: string): string {
  return `U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0")}`;
}

/** The text in pieces, each control a piece of its own. */
export function splitControls(text: string): { text: string; control: boolean }[] {
  if (!CONTROLS.test(text)) return [{ text, control: false }];
  return text
    .split(new RegExp(`(${CONTROLS.source})`))
    .map((piece, i) => ({ text: piece, control: i % 2 === 1 }))
    .filter((piece) => piece.text !== "");
}

/** The same as one string, for places that hold no element: titles, labels, charts. */
export function visible(text: string): string {
  return splitControls(text)
    .map((piece) => (piece.control ? `[${codePoint(piece.text)}]` : piece.text))
    .join("");
}
