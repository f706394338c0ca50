import { createReadStream } from "node:fs";
import type { z } from "zod";
import { AssayError } from "./errors.ts";
import { fileError } from "./files.ts";
import { parseLine } from "./json.ts";
import { decodeUtf8 } from "./utf8.ts";

export interface Line {
  text: string;
  /** 1-based. */
  number: number;
  /** Byte offset of the line's first byte, and its length without the newline. */
  start: number;
  length: number;
}

/** The lines of a file as a stream: memory holds one chunk and one line. A last line without newline counts. */
export async function* readLines(path: string): AsyncGenerator<Line> {
  let rest: Buffer[] = [];
  let start = 0;
  let number = 0;
  const take = (bytes: Buffer): Line => {
    const line = { text: decodeUtf8(bytes, path), number: ++number, start, length: bytes.length };
    start += bytes.length + 1;
    return line;
  };
  try {
    for await (const chunk of createReadStream(path, { highWaterMark: 1 << 18 }) as AsyncIterable<Buffer>) {
      let from = 0;
      for (let at = chunk.indexOf(10); at !== -1; at = chunk.indexOf(10, from)) {
        const piece = chunk.subarray(from, at);
        yield take(rest.length === 0 ? piece : Buffer.concat([...rest, piece]));
        rest = [];
        from = at + 1;
      }
      if (from < chunk.length) rest.push(chunk.subarray(from));
    }
  } catch (error) {
    throw error instanceof AssayError ? error : fileError(error, path);
  }
  if (rest.length > 0) yield take(Buffer.concat(rest));
}

/** The records of a JSONL file, each parsed with `schema`; a bad line is named by number. Blank lines are refused. */
export async function* readJsonl<T>(path: string, schema: z.ZodType<T>): AsyncGenerator<T> {
  for await (const line of readLines(path)) {
    yield parseLine(line.text, schema, { file: path, line: line.number });
  }
}
