import { createReadStream, openSync, readSync, closeSync } from "node:fs";
import { fileError } from "./files.ts";
import { AssayError } from "./errors.ts";

/** A line's place in a file, in bytes, without its newline. */
export interface Span {
  offset: number;
  length: number;
}

/**
 * Visit the whole lines of a file as bytes, in order; memory holds one chunk and one line. The bytes are only valid
 * during the visit. Resolves with the number of bytes after the last newline.
 */
export async function scanLines(path: string, visit: (bytes: Buffer, span: Span) => void): Promise<number> {
  let rest: Buffer[] = [];
  let held = 0;
  let offset = 0;
  try {
    for await (const chunk of createReadStream(path, { highWaterMark: 1 << 20 }) as AsyncIterable<Buffer>) {
      let from = 0;
      for (let at = chunk.indexOf(10); at !== -1; at = chunk.indexOf(10, from)) {
        const piece = chunk.subarray(from, at);
        const bytes = held === 0 ? piece : Buffer.concat([...rest, piece]);
        rest = [];
        held = 0;
        visit(bytes, { offset, length: bytes.length });
        offset += bytes.length + 1;
        from = at + 1;
      }
      if (from < chunk.length) {
        rest.push(chunk.subarray(from));
        held += chunk.length - from;
      }
    }
  } catch (error) {
    throw error instanceof AssayError ? error : fileError(error, path);
  }
  return held;
}

/** Reads spans of one file on demand. */
export class SpanReader {
  readonly #path: string;
  readonly #fd: number;

  constructor(path: string) {
    this.#path = path;
    try {
      this.#fd = openSync(path, "r");
    } catch (error) {
      throw fileError(error, path);
    }
  }

  read({ offset, length }: Span): Buffer {
    const bytes = Buffer.allocUnsafe(length);
    let done = 0;
    while (done < length) {
      const n = readSync(this.#fd, bytes, done, length - done, offset + done);
      if (n === 0) throw new AssayError("file_error", `ends before byte ${offset + length}`, { file: this.#path });
      done += n;
    }
    return bytes;
  }

  close(): void {
    closeSync(this.#fd);
  }
}
