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
  bytes: Buffer;
  span: Span;
  onWritten: () => void;
  resolve: (span: Span) => void;
  reject: (error: unknown) => void;
}

/** Makes bytes durable; replaced in tests to see what a failing disk does. */
export type Sync = (fd: number) => Promise<void>;

/**
 * An append-only JSONL file in which every line carries the digest of the line before it.
 *
 * Group commit without a timer: lines go to the file once a turn of the event loop, and one fdatasync is in flight;
 * lines written meanwhile join the next. A timer would add its window to every append, and this batches as well under
 * load (one sync serves all that wait).
 */
export class Journal {
  readonly #path: string;
  readonly #file: FileHandle;
  readonly #makeDurable: Sync;
  #seq: number;
  #prev: string;
  #offset: number;
  /** Appended, and not yet in the file. */
  #queued: Waiting[] = [];
  /** In the file, and no sync has begun for them. */
  #written: Waiting[] = [];
  #syncing: Promise<void> | undefined;
  #failed: AssayError | undefined;

  private constructor(path: string, file: FileHandle, end: ChainEnd, sync: Sync) {
    this.#path = path;
    this.#file = file;
    this.#makeDurable = sync;
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

  /**
   * Resolves with the line's place once it is on the disk; `onWritten` is called before that, when the line is in the
   * file and outlives this process, though not the machine. After a failed write or sync every append rejects.
   */
  append(entry: NewJournalEntry, onWritten: () => void = () => undefined): Promise<Span> {
    if (this.#failed !== undefined) return Promise.reject(this.#failed);
    const bytes = Buffer.from(canonicalJson({ ...entry, seq: this.#seq, prev: this.#prev }));
    const span = { offset: this.#offset, length: bytes.length };
    this.#seq++;
    this.#prev = sha256(bytes);
    this.#offset += bytes.length + 1;
    return new Promise((resolve, reject) => {
      // The other callers of this turn of the event loop add their lines first.
      if (this.#queued.length === 0) setImmediate(() => this.#write());
      this.#queued.push({ bytes, span, onWritten, resolve, reject });
    });
  }

  #write(): void {
    const queued = this.#queued;
    this.#queued = [];
    if (queued.length === 0) return;
    try {
      // To the page cache, which takes microseconds; what takes time is the sync.
      writeAll(this.#file.fd, Buffer.concat(queued.flatMap(({ bytes }) => [bytes, NEWLINE])));
    } catch (error) {
      this.#fail(error, queued);
      return;
    }
    this.#written.push(...queued);
    for (const { onWritten } of queued) onWritten();
    this.#syncing ??= this.#sync();
  }

  async #sync(): Promise<void> {
    while (this.#written.length > 0) {
      const written = this.#written;
      this.#written = [];
      try {
        await this.#makeDurable(this.#file.fd);
        // A file removed under its writer takes every line and keeps none; answers are paid for.
        if (fstatSync(this.#file.fd).nlink === 0) throw Object.assign(new Error("removed"), { code: "ENOENT" });
      } catch (error) {
        this.#fail(error, written);
        break;
      }
      for (const { resolve, span } of written) resolve(span);
    }
    this.#syncing = undefined;
  }

  /** What reached the disk is unknown now; only reading the file again can tell. */
  #fail(error: unknown, lost: readonly Waiting[]): void {
    this.#failed ??= new AssayError("journal_failed", `could not be written: ${reasonOf(error)}`, {
      file: this.#path,
      fix: "free space or repair the disk, then run again",
    });
    for (const { reject } of [...lost, ...this.#written, ...this.#queued]) reject(this.#failed);
    this.#written = [];
    this.#queued = [];
  }

  async close(): Promise<void> {
    this.#write();
    await this.#syncing;
    await this.#file.close();
  }
}
