import { readJsonl } from "../canon/lines.ts";
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
    unanswered: 0,
    uncovered_questions: 0,
    models: [],
    input_tokens: 0,
    output_tokens: 0,
    actual_cost_usd: 0,
  };
  const models = new Set<string>();
  const reserved = new Map<string, number>();
  for await (const entry of readJsonl(journal, JournalEntry)) {
    if (entry.kind === "close") counts.unanswered = entry.unanswered;
    if (entry.kind !== "reserve" && entry.kind !== "answer" && entry.kind !== "error") continue;
    const call = `${entry.input_sha256}/${entry.repeat}/${entry.attempt}`;
    if (entry.kind === "reserve") {
      reserved.set(call, entry.reserved_usd);
      continue;
    }
    reserved.delete(call);
    counts.actual_cost_usd += entry.cost_usd;
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
  for (const lost of reserved.values()) counts.actual_cost_usd += lost;
  counts.actual_cost_usd = Number(counts.actual_cost_usd.toFixed(12));
  return counts;
}
