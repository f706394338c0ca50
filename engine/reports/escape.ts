/**
 * Text of transcripts, labels and providers is data wherever it is shown. Controls, bidi marks, invisible
 * formatting and lone surrogates become visible escapes; the joiners that emoji and scripts need stay.
 */
export function visible(text: string): string {
  return text
    .replace(/\r\n|[\n\r\u2028\u2029\u0085]/g, " ⏎ ")
    .replace(/\t/g, " ")
    .replace(/[\p{Cc}\p{Cf}\p{Cs}\p{Co}]/gu, (char) =>
      char === "\u200c" || char === "\u200d" ? char : `\\u{${char.codePointAt(0)!.toString(16)}}`,
    );
}

/**
 * One line of Markdown that shows exactly this text: no emphasis, link, image, code, table cell, HTML, entity,
 * comment, autolink or math can begin in it, wherever in a line it stands except at its start.
 */
export function markdown(text: string): string {
  return visible(text)
    .replace(/&/g, "&amp;")
    .replace(/</g, "&lt;")
    .replace(/>/g, "&gt;")
    .replace(/[\\`*_[\]|~#$]/g, "\\$&")
    .replace(/:(?=\/\/)/g, "\\:")
    .replace(/\b(www)\./gi, "$1\\.")
    .replace(/@/g, "&#64;");
}

/** A quotation: typographic quotes keep its first character from opening a list, heading or quote block. */
export function quoted(text: string, limit = 600): string {
  const shown =
    text.length > limit
      ? text
          .slice(0, limit)
          .toWellFormed()
          .replace(/\ufffd$/, "")
      : text;
  const rest = text.length - shown.length;
  return `“${markdown(shown)}”${rest > 0 ? ` (and ${rest} more characters)` : ""}`;
}
