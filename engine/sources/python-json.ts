import { AssayError, type ErrorDetails } from "../canon/errors.ts";
import { parseJson } from "../canon/json.ts";

const WORDS = ["NaN", "-Infinity", "Infinity"];

/**
 * JSON as Python writes it: numbers that JSON cannot hold stand there as words. They are read as null, and
 * `replaced` says how many there were. Throws `bad_json`.
 */
export function parsePythonJson(text: string, where: ErrorDetails): { value: unknown; replaced: number } {
  try {
    return { value: parseJson(text, where), replaced: 0 };
  } catch (error) {
    const { plain, replaced } = withoutWords(text);
    if (replaced === 0 || !(error instanceof AssayError)) throw error;
    return { value: parseJson(plain, where), replaced };
  }
}

/** A loop, since a regular expression over a string of a hundred megabytes runs out of stack. */
function withoutWords(text: string): { plain: string; replaced: number } {
  const pieces: string[] = [];
  let from = 0;
  let replaced = 0;
  for (let at = 0; at < text.length; at++) {
    const char = text[at];
    if (char === '"') {
      for (at++; at < text.length && text[at] !== '"'; at++) if (text[at] === "\\") at++;
    } else if (char === "N" || char === "I" || char === "-") {
      const word = WORDS.find((one) => text.startsWith(one, at));
      if (word === undefined) continue;
      pieces.push(text.slice(from, at), "null");
      replaced++;
      from = at + word.length;
      at = from - 1;
    }
  }
  pieces.push(text.slice(from));
  return { plain: pieces.join(""), replaced };
}
