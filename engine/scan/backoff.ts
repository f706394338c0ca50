import { setTimeout as sleep } from "node:timers/promises";
import { AssayError } from "../canon/errors.ts";

export interface BackoffLimits {
  tries: number;
  /** All tries and waits together. */
  totalMs: number;
  /** A server that asks for longer is not waited for. */
  longestServerDelayMs: number;
  firstMs: number;
  longestMs: number;
}
export const BACKOFF: BackoffLimits = {
  tries: 6,
  totalMs: 300_000,
  longestServerDelayMs: 120_000,
  firstMs: 500,
  longestMs: 30_000,
};

export interface Clock {
  now(): number;
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
  random(): number;
}
export const systemClock: Clock = {
  now: () => performance.now(),
  sleep: async (ms, signal) => {
    await sleep(ms, undefined, signal === undefined ? {} : { signal });
  },
  random: Math.random,
};

/**
 * Call until it answers, fails for good, or the limits end the attempt. Waits as long as the server asks, else an
 * exponential delay with full jitter (uniform between 0 and the step). `onRetry` is told of every failed try.
 */
export async function withBackoff<T>(
  call: (attempt: number) => Promise<T>,
  onRetry: (error: AssayError, delayMs: number) => Promise<void> | void,
  signal?: AbortSignal,
  limits: BackoffLimits = BACKOFF,
  clock: Clock = systemClock,
): Promise<T> {
  const started = clock.now();
  for (let attempt = 1; ; attempt++) {
    try {
      return await call(attempt);
    } catch (error) {
      if (!(error instanceof AssayError) || error.details["retryable"] !== true || signal?.aborted) throw error;
      const delay = delayFor(error, attempt, limits, clock);
      const late = clock.now() - started + delay > limits.totalMs || delay > limits.longestServerDelayMs;
      if (attempt >= limits.tries || late) throw error;
      await onRetry(error, delay);
      // An interrupted wait ends the attempt with the error that caused it, already recorded as a try.
      if (!(await waited(clock.sleep(delay, signal)))) throw error;
    }
  }
}

function waited(sleeping: Promise<void>): Promise<boolean> {
  return sleeping.then(
    () => true,
    () => false,
  );
}

function delayFor(error: AssayError, attempt: number, limits: BackoffLimits, clock: Clock): number {
  const asked = error.details["retry_after_ms"];
  if (typeof asked === "number") return asked;
  return clock.random() * Math.min(limits.longestMs, limits.firstMs * 2 ** (attempt - 1));
}
