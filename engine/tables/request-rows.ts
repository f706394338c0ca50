import { existsSync } from "node:fs";
import { readJournal } from "../canon/journal.ts";
import { confined } from "../canon/paths.ts";
import { answerKey, answersOf, JournalIndex, type Answers } from "../scan/answers.ts";
import { JOURNAL_FILE, type Bundle } from "../scan/bundle.ts";
import type { JournalEntry } from "../schema/journal.ts";
import type { RequestLine } from "../schema/request.ts";
import type { Row } from "./schema.ts";

interface Call {
  answered: boolean;
  first_attempt: boolean;
  attempts: number;
  technical_attempts: number;
  last_error: string | null;
  model: string | null;
  uncovered: number;
  input_tokens: number;
  output_tokens: number;
  cost_usd: number;
}

interface Use {
  bytes: number;
  questions: number;
  conversations: number;
}

/** What was asked and what it took. Grows with the number of distinct requests; no answer is kept. */
export class RequestLedger {
  readonly #calls = new Map<string, Call>();
  readonly #uses = new Map<string, Use>();
  /** Reservations not settled yet, by call and attempt; what is left at the end was lost in a crash and stays charged. */
  readonly #reserved = new Map<string, { call: Call; usd: number }>();

  add(entry: JournalEntry): void {
    // What an earlier run reserved and never settled stays charged.
    if (entry.kind === "run") this.settle();
    if (entry.kind === "plan" || entry.kind === "run" || entry.kind === "close") return;
    const key = answerKey(entry.input_sha256, entry.repeat);
    let call = this.#calls.get(key);
    if (call === undefined) this.#calls.set(key, (call = newCall()));
    const attempt = `${key}/${entry.attempt}`;
    if (entry.kind === "reserve") {
      this.#reserved.set(attempt, { call, usd: entry.reserved_usd });
      return;
    }
    this.#reserved.delete(attempt);
    if (entry.kind === "release") return;
    call.attempts = Math.max(call.attempts, entry.attempt);
    call.cost_usd += entry.cost_usd;
    if (entry.kind === "retry") return;
    if (entry.kind === "error") {
      call.technical_attempts += 1;
      call.last_error = entry.code;
      return;
    }
    call.answered = true;
    call.first_attempt = entry.attempt === 1;
    call.model = entry.model;
    call.uncovered = entry.uncovered?.length ?? 0;
    call.input_tokens = entry.input_tokens;
    call.output_tokens = entry.output_tokens;
  }

  settle(): void {
    for (const { call, usd } of this.#reserved.values()) call.cost_usd += usd;
    this.#reserved.clear();
  }

  /** One line of the inventory: a request as one conversation uses it. */
  use({ input_sha256, bytes, places }: RequestLine): void {
    const known = this.#uses.get(input_sha256);
    if (known === undefined) this.#uses.set(input_sha256, { bytes, questions: places.length, conversations: 1 });
    else known.conversations += 1;
  }

  *rows(scan_id: string, repeats: number): Generator<Row<"requests">> {
    for (const [input_sha256, use] of this.#uses)
      for (let repeat = 0; repeat < repeats; repeat++) {
        const { first_attempt: _, ...call } = this.#calls.get(answerKey(input_sha256, repeat)) ?? newCall();
        yield { scan_id, input_sha256, repeat, ...use, ...call, cost_usd: rounded(call.cost_usd) };
      }
  }

  totals() {
    const calls = [...this.#calls.values()];
    const sum = (of: (call: Call) => number): number => calls.reduce((total, call) => total + of(call), 0);
    return {
      answered_requests: calls.filter(({ answered }) => answered).length,
      valid_first_attempts: calls.filter(({ answered, first_attempt }) => answered && first_attempt).length,
      technical_attempts: sum((call) => call.technical_attempts),
      uncovered_questions: sum((call) => call.uncovered),
      input_tokens: sum((call) => call.input_tokens),
      output_tokens: sum((call) => call.output_tokens),
      cost_usd: rounded(sum((call) => call.cost_usd)),
    };
  }
}

/** One pass over the journal: the ledger, and the answers to be read when a conversation needs them. */
export async function openJournal({
  directory,
  plan_sha256,
}: Bundle): Promise<{ ledger: RequestLedger; answers: Answers }> {
  const file = confined(directory, JOURNAL_FILE);
  const ledger = new RequestLedger();
  const index = new JournalIndex();
  if (existsSync(file))
    await readJournal(file, plan_sha256, (entry, span) => {
      ledger.add(entry);
      index.add(entry, span);
    });
  ledger.settle();
  return { ledger, answers: answersOf(file, index) };
}

function newCall(): Call {
  return {
    answered: false,
    first_attempt: false,
    attempts: 0,
    technical_attempts: 0,
    last_error: null,
    model: null,
    uncovered: 0,
    input_tokens: 0,
    output_tokens: 0,
    cost_usd: 0,
  };
}

/** Sums of decimal prices in binary, without the noise of their last digits. */
function rounded(usd: number): number {
  return Number(usd.toFixed(12));
}
