import type { z } from "zod";
import { AssayError, printable } from "../canon/errors.ts";
import { parseWith } from "../canon/json.ts";
import { fromNano, toNano } from "../canon/money.ts";
import type { Judge } from "../judges/judge.ts";
import { JournalAnswer, type NewJournalEntry } from "../schema/journal.ts";
import type { JudgeRequest } from "../schema/request.ts";
import { BACKOFF, systemClock, withBackoff, type BackoffLimits, type Clock } from "./backoff.ts";
import type { Purse } from "./purse.ts";
import { validateAnswer } from "./validate.ts";

/** One request of the plan, once: what the journal keys an answer by, what is sent, and what that can cost at most. */
export interface Call {
  input_sha256: string;
  repeat: number;
  attempt: number;
  request: JudgeRequest;
  reservationNano: number;
}

export interface Asking {
  judge: Judge;
  purse: Purse;
  /** Resolves once the entry is on the disk. */
  record: (entry: NewJournalEntry) => Promise<void>;
  limits?: BackoffLimits | undefined;
  clock?: Clock | undefined;
  /** Ends waits between tries; a call in flight is never cut off, since it is paid for. */
  signal?: AbortSignal | undefined;
}

const Settled = JournalAnswer.omit({ seq: true, prev: true });
const MESSAGE = 500;

/**
 * Ask a judge until it answers or the attempt ends, and record every step: the reservation before a call is sent,
 * each try that a wait follows, then the answer or the technical error. Resolves with false, and nothing sent, where
 * the ceiling leaves no room. Rejects only where recording fails.
 */
export async function ask(
  call: Call,
  { judge, purse, record, limits = BACKOFF, clock = systemClock, signal }: Asking,
): Promise<boolean> {
  const { input_sha256, repeat, attempt, request, reservationNano } = call;
  const id = { input_sha256, repeat, attempt };
  const tryOnce = async (): Promise<z.infer<typeof Settled>> => {
    if (reservationNano > 0) {
      if (!(await purse.reserve(reservationNano)))
        throw new NoRoom("no_room", "the ceiling leaves no room for this call");
      await record({ ...id, kind: "reserve", reserved_usd: fromNano(reservationNano) });
    }
    let bill = reservationNano;
    try {
      const answer = await judge.ask(request);
      if (answer.cost_usd >= 0) bill = toNano(answer.cost_usd);
      validateAnswer(request, answer, judge.settings.model);
      const { model, answers, uncovered, input_tokens, output_tokens, cost_usd } = answer;
      const kept = {
        model,
        answers,
        ...(uncovered === undefined ? {} : { uncovered }),
        input_tokens,
        output_tokens,
        cost_usd,
      };
      return parseWith(Settled, { ...id, kind: "answer", ...kept }, {}, "bad_answer");
    } catch (error) {
      const failure = technical(error, bill);
      bill = toNano(failure.cost_usd);
      throw failure;
    } finally {
      if (reservationNano > 0) purse.settle(reservationNano, bill);
    }
  };
  try {
    await record(
      await withBackoff(
        tryOnce,
        (error) => record({ ...id, kind: "retry", code: error.code, cost_usd: costOf(error) }),
        signal,
        limits,
        clock,
      ),
    );
    return true;
  } catch (error) {
    if (error instanceof NoRoom) return false;
    if (!(error instanceof TechnicalError)) throw error;
    const { code, message } = error;
    const text = printable(message.toWellFormed()).slice(0, MESSAGE).toWellFormed();
    await record({ ...id, kind: "error", code, message: text, cost_usd: error.cost_usd });
    return true;
  }
}

class NoRoom extends AssayError {}

/** A judge's failure with what it is charged: the bill where one came, nothing where the call was refused, else the whole bound. */
class TechnicalError extends AssayError {
  readonly cost_usd: number;
  constructor(code: string, message: string, details: AssayError["details"], cost_usd: number) {
    super(code, message, { retryable: details["retryable"], retry_after_ms: details["retry_after_ms"] });
    this.cost_usd = cost_usd;
  }
}

function technical(error: unknown, boundNano: number): TechnicalError {
  if (!(error instanceof AssayError))
    return new TechnicalError(
      "judge_failed",
      error instanceof Error ? error.message : String(error),
      {},
      fromNano(boundNano),
    );
  const { billed_usd, unbilled } = error.details;
  const cost = typeof billed_usd === "number" ? billed_usd : unbilled === true ? 0 : fromNano(boundNano);
  return new TechnicalError(error.code, error.message, error.details, cost);
}

function costOf(error: AssayError): number {
  return error instanceof TechnicalError ? error.cost_usd : 0;
}
