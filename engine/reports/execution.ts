import { readJsonl } from "../canon/lines.ts";
import { fromNano, toNano } from "../canon/money.ts";
import { JournalEntry } from "../schema/journal.ts";

/** What running the scan took, counted from its journal. */
export interface Execution {
  /** Requests with a saved answer, each repeat counted. */
  answered: number;
  /** Of those, answered at the first attempt. */
  valid_first_attempts: number;
  /** Attempts that ended in a technical error, and what kind: never turned into a verdict. */
  technical_attempts: number;
  technical_errors: Record<string, number>;
  /** Tries that a wait and another try of the same attempt followed: rate limits, server errors, timeouts. */
  retried_tries: number;
  /** Requests given up when the scan was closed. */
  unanswered: number;
  /** Questions an embedded judge had no pattern for. */
  uncovered_questions: number;
  /** The models that answered, as they named themselves. */
  models: string[];
  input_tokens: number;
  output_tokens: number;
  /** Every attempt, errors and reservations lost in a crash included. */
  actual_cost_usd: number;
}

/** Stream a journal once; memory holds only reservations not yet settled. */
export async function readExecution(journal: string): Promise<Execution> {
  const counts: Execution = {
    answered: 0,
    valid_first_attempts: 0,
    technical_attempts: 0,
    technical_errors: {},
    retried_tries: 0,
    unanswered: 0,
    uncovered_questions: 0,
    models: [],
    input_tokens: 0,
    output_tokens: 0,
    actual_cost_usd: 0,
  };
  const models = new Set<string>();
  const reserved = new Map<string, number>();
  let spentNano = 0;
  const lose = (): void => {
    for (const usd of reserved.values()) spentNano += toNano(usd);
    reserved.clear();
  };
  for await (const entry of readJsonl(journal, JournalEntry)) {
    if (entry.kind === "close") counts.unanswered = entry.unanswered;
    // What an earlier run reserved and never settled may have been billed: it stays charged, whatever comes.
    if (entry.kind === "run") lose();
    if (entry.kind === "plan" || entry.kind === "run" || entry.kind === "close") continue;
    const call = `${entry.input_sha256}/${entry.repeat}/${entry.attempt}`;
    if (entry.kind === "reserve") {
      reserved.set(call, entry.reserved_usd);
      continue;
    }
    reserved.delete(call);
    if (entry.kind === "release") continue;
    spentNano += toNano(entry.cost_usd);
    if (entry.kind === "retry") {
      counts.retried_tries += 1;
      continue;
    }
    if (entry.kind === "error") {
      counts.technical_attempts += 1;
      counts.technical_errors[entry.code] = (counts.technical_errors[entry.code] ?? 0) + 1;
      continue;
    }
    counts.answered += 1;
    if (entry.attempt === 1) counts.valid_first_attempts += 1;
    counts.uncovered_questions += entry.uncovered?.length ?? 0;
    counts.input_tokens += entry.input_tokens;
    counts.output_tokens += entry.output_tokens;
    models.add(entry.model);
  }
  counts.models = [...models].sort();
  lose();
  counts.actual_cost_usd = fromNano(spentNano);
  return counts;
}
