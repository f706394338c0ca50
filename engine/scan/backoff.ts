import { setTimeout as sleep } from "node:timers/promises";
import type { AssayError } from "../canon/errors.ts";

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
 * How long to wait before try number `next` (2 for the first repetition), in ms; undefined where the failure is final
 * or a limit ends the attempt. As long as the server asks, else exponential with full jitter: uniform between 0 and
 * the step.
 */
export function delayBefore(
  next: number,
  failure: AssayError,
  elapsedMs: number,
  limits: BackoffLimits = BACKOFF,
  clock: Pick<Clock, "random"> = systemClock,
): number | undefined {
  const { retryable, retry_after_ms: asked } = failure.details;
  if (retryable !== true || next > limits.tries) return undefined;
  if (typeof asked === "number" && asked > limits.longestServerDelayMs) return undefined;
  const step = Math.min(limits.longestMs, limits.firstMs * 2 ** (next - 2));
  const delay = typeof asked === "number" ? asked : clock.random() * step;
  return elapsedMs + delay > limits.totalMs ? undefined : delay;
}
