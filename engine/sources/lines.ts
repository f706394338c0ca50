import { createReadStream } from "node:fs";
import { AssayError } from "../canon/errors.ts";
import { fileError } from "../canon/files.ts";
import { decodeUtf8 } from "../canon/utf8.ts";
import { tooLarge } from "./limits.ts";

const CHUNK = 1 << 18;

/**
 * The lines of a foreign file as a stream, without a byte order mark. A line above `most` bytes is refused before it
 * is held, so that one line cannot take the machine's memory.
 */
export async function* cappedLines(file: string, most: number): AsyncGenerator<{ text: string; number: number }> {
  let rest: Buffer[] = [];
  let held = 0;
  let number = 0;
  const take = (): { text: string; number: number } => {
    number++;
    let text;
    try {
      text = decodeUtf8(Buffer.concat(rest), file);
    } catch {
      throw new AssayError("not_utf8", "is not UTF-8 text", { file, line: number, fix: "save the file as UTF-8" });
    }
    rest = [];
    held = 0;
    return { text: number === 1 ? text.replace(/^\ufeff/, "") : text, number };
  };
  const hold = (piece: Buffer): void => {
    held += piece.length;
    if (held > most) throw tooLarge("a line", most, { file, line: number + 1 }, "write one conversation a line");
    if (piece.length > 0) rest.push(piece);
  };
  try {
    for await (const chunk of createReadStream(file, { highWaterMark: CHUNK }) as AsyncIterable<Buffer>) {
      let from = 0;
      for (let at = chunk.indexOf(10); at !== -1; at = chunk.indexOf(10, from)) {
        hold(chunk.subarray(from, at));
        yield take();
        from = at + 1;
      }
      hold(chunk.subarray(from));
    }
  } catch (error) {
    throw error instanceof AssayError ? error : fileError(error, file);
  }
  if (held > 0) yield take();
}
