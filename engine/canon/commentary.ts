/** The line after which a Jury Card belongs to its readers: commentary is kept over rewrites and never sealed. */
export const COMMENTARY_MARKER = "<!-- commentary -->";

/** The part of a card that is sealed: everything before the marker line, or the whole text where there is none. */
export function cardWithoutCommentary(text: string): string {
  return text.slice(0, markerAt(text));
}

/** The marker line and all that follows; empty where a card has no marker. */
export function commentaryOf(text: string): string {
  return text.slice(markerAt(text));
}

/** The same cut in bytes, so that a card that is no longer UTF-8 can still be digested. */
export function sealedCardBytes(bytes: Uint8Array): Uint8Array {
  return bytes.subarray(0, markerAt(Buffer.from(bytes).toString("latin1")));
}

const NOTE = /<!-- seen register -->\n[\s\S]*?\n<!-- end of seen register -->\n\n/;

/** A note that is written anew with the card and is, like commentary, not under the seal. */
export function registerNote(text: string): string {
  return `<!-- seen register -->\n\n${text}\n\n<!-- end of seen register -->\n\n`;
}

/** `kept` with the note that `fresh` holds, in place of its own or before everything else. */
export function withNoteOf(fresh: string, kept: string): string {
  const note = NOTE.exec(fresh)?.[0];
  if (note === undefined) return kept;
  if (NOTE.test(kept)) return kept.replace(NOTE, () => note);
  return `${COMMENTARY_MARKER}\n\n${note}${kept.slice(COMMENTARY_MARKER.length).replace(/^\n+/, "")}`;
}

export function countMarkers(text: string): number {
  return text.split("\n").filter((line) => line === COMMENTARY_MARKER).length;
}

function markerAt(text: string): number {
  for (let at = text.indexOf(COMMENTARY_MARKER); at !== -1; at = text.indexOf(COMMENTARY_MARKER, at + 1)) {
    const end = text[at + COMMENTARY_MARKER.length];
    if ((at === 0 || text[at - 1] === "\n") && (end === undefined || end === "\n")) return at;
  }
  return text.length;
}
