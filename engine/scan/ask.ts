import { AssayError, printable } from "../canon/errors.ts";
import { parseWith } from "../canon/json.ts";
import { fromNano, toNano } from "../canon/money.ts";
import type { Judge } from "../judges/judge.ts";
import { JournalAnswer, type NewJournalEntry } from "../schema/journal.ts";
import type { JudgeRequest } from "../schema/request.ts";
import { BACKOFF, delayBefore, systemClock, type BackoffLimits, type Clock } from "./backoff.ts";
import { pool } from "./pool.ts";
import type { Purse } from "./purse.ts";
import { Slots } from "./slots.ts";
import { pinOf, validateAnswer } from "./validate.ts";

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
  /** Resolves once the entry is on the disk; `onWritten` is called once it outlives this process. */
  record: (entry: NewJournalEntry, onWritten?: () => void) => Promise<void>;
  limits?: BackoffLimits | undefined;
  clock?: Clock | undefined;
  /** Ends waits between tries; a call in flight is never cut off, since it is paid for. */
  signal?: AbortSignal | undefined;
}

const Settled = JournalAnswer.omit({ seq: true, prev: true });
const MESSAGE = 500;

/** What came of one attempt: an answer or a technical error is recorded, or it ended before either. */
type Asked = "recorded" | "no_room" | "stopped";

interface Turn {
  /** One for each call in flight: sent, and its outcome not yet written. */
  slots: Slots;
  /** Nothing more may be sent. */
  isStopped: () => boolean;
}

/**
 * Ask a judge until it answers or the attempt ends, and record every step: the reservation before a call is sent,
 * each try that a wait follows, then the answer or the technical error. `no_room`: the ceiling leaves none for the
 * next try. Rejects only where recording fails.
 */
async function ask(call: Call, asking: Asking, { slots, isStopped }: Turn): Promise<Asked> {
  const { purse, record, limits = BACKOFF, clock = systemClock, signal } = asking;
  const { input_sha256, repeat, attempt, reservationNano } = call;
  const id = { input_sha256, repeat, attempt };
  const started = clock.now();
  for (let tries = 1; ; tries++) {
    if (isStopped()) return "stopped";
    if (reservationNano > 0) {
      if (!(await purse.reserve(reservationNano, isStopped))) return isStopped() ? "stopped" : "no_room";
      await record({ ...id, kind: "reserve", reserved_usd: fromNano(reservationNano) });
    }
    let wait: number | undefined;
    const free = await slots.take();
    try {
      if (isStopped()) {
        if (reservationNano > 0) {
          await record({ ...id, kind: "release" });
          purse.settle(reservationNano, 0);
        }
        return "stopped";
      }
      const { entry, billedNano, failure } = await tryOnce(call, asking.judge);
      if (failure !== undefined) wait = delayBefore(tries + 1, failure, clock.now() - started, limits, clock);
      const outcome: NewJournalEntry =
        failure !== undefined && wait !== undefined
          ? { ...id, kind: "retry", code: failure.code, cost_usd: entry.cost_usd }
          : entry;
      // A bill above its bound stops the others at once, on the disk or not.
      const isOverrun = reservationNano > 0 && billedNano !== undefined && billedNano > reservationNano;
      if (isOverrun) purse.settle(reservationNano, billedNano);
      // The slot is free when the outcome is written, so that a kill leaves no more calls to be sent again than there
      // are slots; the ledger lets the next call use the money when it is on the disk, so that no crash forgets a bill.
      await record(outcome, free);
      if (!isOverrun && reservationNano > 0) purse.settle(reservationNano, billedNano);
    } finally {
      free();
    }
    if (wait === undefined) return "recorded";
    if (!(await slept(clock.sleep(wait, signal)))) return "stopped";
  }
}

/**
 * Ask calls as they are produced, at most `width` in flight, until they end, the money does, a bill breaks its bound
 * or `signal` aborts; those in flight are always waited for. Up to `width` more are made ready meanwhile, their
 * reservations on the disk, so that a slot never waits for one. `asked` counts recorded attempts.
 */
export async function askEach(
  calls: AsyncGenerator<Call>,
  width: number,
  asking: Asking,
  onAsked: () => void = () => undefined,
): Promise<{ asked: number; outOfRoom: boolean }> {
  const done = { asked: 0, outOfRoom: false };
  let failed = false;
  const isStopped = (): boolean =>
    failed || asking.purse.ledger.stopped !== undefined || (asking.signal?.aborted ?? false);
  const turn = { slots: new Slots(width), isStopped };
  await pool(
    calls,
    2 * width,
    async (call) => {
      try {
        const came = await ask(call, asking, turn);
        if (came === "recorded") done.asked++;
        if (came === "no_room") done.outOfRoom = true;
        onAsked();
      } catch (error) {
        failed = true;
        throw error;
      }
    },
    () => done.outOfRoom || isStopped(),
  );
  return done;
}

interface Tried {
  entry: Extract<NewJournalEntry, { kind: "answer" | "error" }>;
  /** Undefined where nobody knows; the entry then charges the whole reservation. */
  billedNano: number | undefined;
  failure?: AssayError;
}

async function tryOnce(
  { input_sha256, repeat, attempt, request, reservationNano }: Call,
  judge: Judge,
): Promise<Tried> {
  const id = { input_sha256, repeat, attempt };
  let billedNano: number | undefined;
  try {
    const answer = await judge.ask(request, undefined, repeat);
    if (answer.cost_usd >= 0) billedNano = toNano(answer.cost_usd);
    validateAnswer(request, answer, pinOf(judge.settings));
    const { model, answers, uncovered, input_tokens, output_tokens, cost_usd } = answer;
    const counts = { input_tokens, output_tokens, cost_usd };
    const kept = { model, answers, ...(uncovered === undefined ? {} : { uncovered }), ...counts };
    return { entry: parseWith(Settled, { ...id, kind: "answer", ...kept }, {}, "bad_answer"), billedNano };
  } catch (error) {
    const failure = technical(error);
    const { billed_usd, unbilled } = failure.details;
    if (typeof billed_usd === "number") billedNano = toNano(billed_usd);
    else if (unbilled === true) billedNano = 0;
    const message = printable(failure.message.toWellFormed()).slice(0, MESSAGE).toWellFormed();
    const cost_usd = fromNano(billedNano ?? reservationNano);
    return { entry: { ...id, kind: "error", code: failure.code, message, cost_usd }, billedNano, failure };
  }
}

function technical(error: unknown): AssayError {
  if (error instanceof AssayError) return error;
  return new AssayError("judge_failed", error instanceof Error ? error.message : String(error));
}

function slept(sleeping: Promise<void>): Promise<boolean> {
  return sleeping.then(
    () => true,
    () => false,
  );
}
