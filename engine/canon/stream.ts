import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { open, rename, rm } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { AssayError } from "./errors.ts";
import { fileError, syncDirectory } from "./files.ts";

const CHUNK = 1 << 18;

/** What was written: SHA-256 of the bytes. */
export interface Written {
  sha256: string;
  lines: number;
}

/**
 * Write lines (newlines are added) to a file as they come, then fsync and rename: a reader sees the old file or
 * the whole new one, and memory holds one chunk.
 */
export async function writeLines(path: string, lines: AsyncIterable<string> | Iterable<string>): Promise<Written> {
  const temporary = join(dirname(path), `.${basename(path)}.${process.pid}.tmp`);
  const hash = createHash("sha256");
  let count = 0;
  try {
    const file = await open(temporary, "w");
    try {
      let waiting: string[] = [];
      let size = 0;
      const flush = async (): Promise<void> => {
        const bytes = Buffer.from(waiting.join(""));
        hash.update(bytes);
        await file.writeFile(bytes);
        waiting = [];
        size = 0;
      };
      for await (const line of lines) {
        waiting.push(line, "\n");
        count++;
        size += line.length + 1;
        if (size >= CHUNK) await flush();
      }
      await flush();
      await file.sync();
    } finally {
      await file.close();
    }
    await rename(temporary, path);
    syncDirectory(dirname(path));
  } catch (error) {
    await rm(temporary, { force: true });
    throw isErrno(error) ? fileError(error, path) : error;
  }
  return { sha256: hash.digest("hex"), lines: count };
}

/** SHA-256 of a file's bytes, read as a stream. */
export async function sha256OfFile(path: string): Promise<string> {
  const hash = createHash("sha256");
  try {
    for await (const chunk of createReadStream(path, { highWaterMark: CHUNK }) as AsyncIterable<Buffer>)
      hash.update(chunk);
  } catch (error) {
    throw fileError(error, path);
  }
  return hash.digest("hex");
}

function isErrno(error: unknown): boolean {
  return !(error instanceof AssayError) && error instanceof Error && "errno" in error;
}
