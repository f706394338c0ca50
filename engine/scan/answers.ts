import { existsSync } from "node:fs";
import { readJournal, type Span } from "../canon/journal.ts";
import { confined } from "../canon/paths.ts";
import { SpanReader } from "../canon/spans.ts";
import { AssayError } from "../canon/errors.ts";
import { parseLine } from "../canon/json.ts";
import { fromNano, toNano } from "../canon/money.ts";
import { JournalAnswer, type NewJournalEntry } from "../schema/journal.ts";
import { JOURNAL_FILE, readPlan } from "./bundle.ts";
import type { Spent } from "./ledger.ts";

export interface Failure {
  attempts: number;
  code: string;
  message: string;
}

export function answerKey(inputSha256: string, repeat: number): string {
  return `${inputSha256}/${repeat}`;
}

/**
 * What a journal says, without its lines: where each answer lies, which requests failed last, what was spent.
 * Grows with the number of distinct requests, not with their size.
 */
export class JournalIndex {
  readonly answers = new Map<string, Span>();
  /** Requests whose latest attempt was a technical error; an answer removes its entry. */
  readonly failures = new Map<string, Failure>();
  attempts = 0;
  errors = 0;
  /** Tries within attempts that a wait and another try followed. */
  retries = 0;
  ceiling_usd: number | null = null;
  closed = false;
  /** Requests answered more than once; a sound journal has none. */
  readonly repeated: string[] = [];
  readonly #reserved = new Map<string, number>();
  #reservedNano = 0;
  #billedNano = 0;
  #unknownNano = 0;

  /** Tries as billed, and reservations that nothing settled, in full. */
  get spent_usd(): number {
    return fromNano(this.#billedNano + this.#unknownNano + this.#reservedNano);
  }

  /** What is gone before a run sends anything; reservations of an earlier run that nothing settled have no known bill. */
  get spent(): Spent {
    return { billedNano: this.#billedNano, unknownNano: this.#unknownNano + this.#reservedNano };
  }

  add(entry: NewJournalEntry, span: Span): void {
    switch (entry.kind) {
      case "plan":
        return;
      case "run":
        this.ceiling_usd = entry.ceiling_usd;
        // What an earlier run reserved and never settled may have been billed: it stays charged, whatever comes.
        this.#unknownNano += this.#reservedNano;
        this.#reservedNano = 0;
        this.#reserved.clear();
        return;
      case "close":
        this.closed = true;
        return;
      case "reserve":
        this.#reserve(callKey(entry), entry.reserved_usd);
        return;
      case "release":
        this.#release(callKey(entry));
        return;
      case "retry":
        this.#settle(entry);
        this.retries++;
        return;
      case "answer":
      case "error": {
        const key = answerKey(entry.input_sha256, entry.repeat);
        this.#settle(entry);
        this.attempts++;
        if (entry.kind === "error") {
          this.errors++;
          this.failures.set(key, { attempts: entry.attempt, code: entry.code, message: entry.message });
          return;
        }
        if (this.answers.has(key)) this.repeated.push(key);
        else this.answers.set(key, span);
        this.failures.delete(key);
      }
    }
  }

  #reserve(call: string, usd: number): void {
    this.#reserved.set(call, toNano(usd));
    this.#reservedNano += toNano(usd);
  }

  #settle(entry: Extract<NewJournalEntry, { cost_usd: number }>): void {
    const call = callKey(entry);
    const reserved = this.#reserved.get(call) ?? 0;
    const nano = toNano(entry.cost_usd);
    // A failure charged exactly its reservation is one whose bill never came.
    if (entry.kind !== "answer" && nano === reserved) this.#unknownNano += nano;
    else this.#billedNano += nano;
    this.#release(call);
  }

  #release(call: string): void {
    this.#reservedNano -= this.#reserved.get(call) ?? 0;
    this.#reserved.delete(call);
  }
}

function callKey({ input_sha256, repeat, attempt }: { input_sha256: string; repeat: number; attempt: number }): string {
  return `${answerKey(input_sha256, repeat)}/${attempt}`;
}

/** The saved answers of a scan, read from the journal one at a time. */
export interface Answers {
  index: JournalIndex;
  get(inputSha256: string, repeat: number): JournalAnswer | undefined;
  close(): void;
}

const KEPT = 512;

/** Opens the journal that `index` was built from; a few answers stay in memory, the rest is read when asked for. */
export function answersOf(path: string, index: JournalIndex): Answers {
  const reader = index.answers.size === 0 ? undefined : new SpanReader(path);
  const recent = new Map<string, JournalAnswer>();
  return {
    index,
    get(inputSha256, repeat) {
      const key = answerKey(inputSha256, repeat);
      const span = index.answers.get(key);
      if (span === undefined || reader === undefined) return undefined;
      let answer = recent.get(key);
      if (answer === undefined) answer = parseLine(reader.read(span).toString("utf8"), JournalAnswer, { file: path });
      else recent.delete(key);
      recent.set(key, answer);
      if (recent.size > KEPT) recent.delete(recent.keys().next().value!);
      return answer;
    },
    close: () => reader?.close(),
  };
}

/**
 * The answers of a scan, finished or not; a torn last line is left out. Throws `journal_corrupt`,
 * `journal_other_plan`. Close it when done.
 */
export async function openAnswers(directory: string): Promise<Answers> {
  const { plan_sha256 } = readPlan(directory);
  const path = confined(directory, JOURNAL_FILE);
  const index = new JournalIndex();
  if (existsSync(path)) await readJournal(path, plan_sha256, (entry, span) => index.add(entry, span));
  return answersOf(path, index);
}

/** The journal of a scan that should have one. */
export function requireOneAnswerEach({ repeated }: JournalIndex, file: string): void {
  if (repeated.length > 0)
    throw new AssayError("answered_twice", `holds two answers to ${repeated[0]}`, { file, repeated });
}
