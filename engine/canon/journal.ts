import { fdatasync, fstatSync } from "node:fs";
import { open, type FileHandle } from "node:fs/promises";
import { dirname } from "node:path";
import { promisify } from "node:util";
import { JOURNAL_FORMAT, JournalEntry, type NewJournalEntry } from "../schema/journal.ts";
import { AssayError } from "./errors.ts";
import { fileError, syncDirectory, writeAll } from "./files.ts";
import { canonicalJson, parseLine, sha256 } from "./json.ts";
import { scanLines, type Span } from "./spans.ts";

export type { Span } from "./spans.ts";

const FIRST_PREV = "0".repeat(64);
const NEWLINE = Buffer.from("\n");

/** Where a chain ends: what the next line must carry, and the bytes that are whole lines. */
export interface ChainEnd {
  seq: number;
  prev: string;
  bytes: number;
  /** Bytes after the last newline: a line that a crash tore. */
  torn: number;
}

/**
 * Read a journal from its start, checking that every line parses, follows the one before it, and that the first
 * binds `plan_sha256`. `visit` sees each entry and where it lies; no line is kept. Throws `journal_corrupt` with
 * the line's number; bytes after the last newline are reported, not an error.
 */
export async function readJournal(
  path: string,
  planSha256: string,
  visit: (entry: JournalEntry, span: Span) => void,
): Promise<ChainEnd> {
  const end: ChainEnd = { seq: 0, prev: FIRST_PREV, bytes: 0, torn: 0 };
  end.torn = await scanLines(path, (bytes, span) => {
    const where = { file: path, line: end.seq + 1 };
    const corrupt = (problem: string): AssayError =>
      new AssayError("journal_corrupt", problem, {
        ...where,
        fix: "restore the journal from a copy; it is never repaired by guessing",
      });
    let entry: JournalEntry;
    try {
      entry = parseLine(bytes.toString("utf8"), JournalEntry, where);
    } catch (error) {
      throw corrupt(`is not a journal entry (${error instanceof AssayError ? error.code : "unreadable"})`);
    }
    if (entry.seq !== end.seq) throw corrupt(`has sequence number ${entry.seq}, not ${end.seq}`);
    if (entry.prev !== end.prev) throw corrupt("does not carry the digest of the line before it");
    if ((entry.kind === "plan") !== (end.seq === 0)) throw corrupt("a journal has one plan line, its first");
    if (entry.kind === "plan" && entry.plan_sha256 !== planSha256)
      throw new AssayError("journal_other_plan", "belongs to another plan", {
        ...where,
        fix: "keep a journal with the scan_plan.json it was written under",
        plan_sha256: planSha256,
        bound_to: entry.plan_sha256,
      });
    visit(entry, span);
    end.seq++;
    end.prev = sha256(bytes);
    end.bytes = span.offset + span.length + 1;
  });
  return end;
}

/** Why, without the path, which the error names itself. */
function reasonOf(error: unknown): string {
  const { message, details } = fileError(error, "");
  return message.replace(/^: /, "") || String(details["errno"]);
}

interface Waiting {
  resolve: (span: Span) => void;
  reject: (error: unknown) => void;
  span: Span;
}

/** Makes bytes durable; replaced in tests to see what a failing disk does. */
export type Sync = (fd: number) => Promise<void>;

/**
 * An append-only JSONL file in which every line carries the digest of the line before it.
 *
 * Group commit without a timer: one write and fdatasync is in flight; lines that arrive meanwhile join the next.
 * A timer would add its window to every append, and this batches as well under load (one sync serves all that wait).
 */
export class Journal {
  readonly #path: string;
  readonly #file: FileHandle;
  readonly #sync: Sync;
  #seq: number;
  #prev: string;
  #offset: number;
  #lines: Buffer[] = [];
  #waiting: Waiting[] = [];
  #flushing: Promise<void> | undefined;
  #failed: AssayError | undefined;

  private constructor(path: string, file: FileHandle, end: ChainEnd, sync: Sync) {
    this.#path = path;
    this.#file = file;
    this.#sync = sync;
    this.#seq = end.seq;
    this.#prev = end.prev;
    this.#offset = end.bytes;
  }

  /**
   * Open for appending, creating the file with its plan line where there is none. A torn last line is cut off; a
   * bad line anywhere else is an error. `visit` sees every entry already there. The caller holds the run lock.
   */
  static async open(
    path: string,
    planSha256: string,
    visit: (entry: JournalEntry, span: Span) => void,
    sync: Sync = promisify(fdatasync),
  ): Promise<Journal> {
    let file: FileHandle;
    try {
      file = await open(path, "a");
      syncDirectory(dirname(path));
    } catch (error) {
      throw fileError(error, path);
    }
    try {
      const end = await readJournal(path, planSha256, visit);
      if (end.torn > 0) {
        await file.truncate(end.bytes);
        await file.sync();
      }
      const journal = new Journal(path, file, end, sync);
      if (end.seq === 0) await journal.append({ kind: "plan", format: JOURNAL_FORMAT, plan_sha256: planSha256 });
      return journal;
    } catch (error) {
      await file.close();
      throw error;
    }
  }

  /** Resolves with the line's place once it is on the disk. After a failed write or sync every append rejects. */
  append(entry: NewJournalEntry): Promise<Span> {
    if (this.#failed !== undefined) return Promise.reject(this.#failed);
    const bytes = Buffer.from(canonicalJson({ ...entry, seq: this.#seq, prev: this.#prev }));
    const span = { offset: this.#offset, length: bytes.length };
    this.#seq++;
    this.#prev = sha256(bytes);
    this.#offset += bytes.length + 1;
    this.#lines.push(bytes, NEWLINE);
    return new Promise((resolve, reject) => {
      this.#waiting.push({ resolve, reject, span });
      this.#flushing ??= this.#flush();
    });
  }

  async #flush(): Promise<void> {
    // Let the callers of this turn of the event loop add their lines first.
    await Promise.resolve();
    while (this.#waiting.length > 0) {
      const lines = this.#lines;
      const waiting = this.#waiting;
      this.#lines = [];
      this.#waiting = [];
      try {
        // To the page cache, which takes microseconds; what takes time is the sync.
        writeAll(this.#file.fd, Buffer.concat(lines));
        await this.#sync(this.#file.fd);
        // A file removed under its writer takes every line and keeps none; answers are paid for.
        if (fstatSync(this.#file.fd).nlink === 0) throw Object.assign(new Error("removed"), { code: "ENOENT" });
      } catch (error) {
        // What reached the disk is unknown now; only reading the file again can tell.
        this.#failed = new AssayError("journal_failed", `could not be written: ${reasonOf(error)}`, {
          file: this.#path,
          fix: "free space or repair the disk, then run again",
        });
        for (const { reject } of [...waiting, ...this.#waiting]) reject(this.#failed);
        this.#lines = [];
        this.#waiting = [];
        break;
      }
      for (const { resolve, span } of waiting) resolve(span);
    }
    this.#flushing = undefined;
  }

  async close(): Promise<void> {
    await this.#flushing;
    await this.#file.close();
  }
}
