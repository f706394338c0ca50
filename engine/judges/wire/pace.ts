import { setTimeout as sleep } from "node:timers/promises";

/** A server that says it is full is left alone no longer than this at a time. */
const LONGEST_MS = 60_000;

/**
 * Slows down when a server says that its request or token budget is used up. Rate-limit headers are advice of very
 * different quality, so they are only ever used to wait, never to send faster or to refuse.
 */
export class Pace {
  #until = 0;
  readonly #now: () => number;

  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
  }

  observe(headers: Headers): void {
    for (const kind of ["requests", "tokens"]) {
      const remaining = headers.get(`x-ratelimit-remaining-${kind}`);
      const reset = duration(headers.get(`x-ratelimit-reset-${kind}`) ?? "");
      // Some gateways send -1 where they mean "unknown".
      if (remaining === "0" && reset !== undefined)
        this.#until = Math.max(this.#until, this.#now() + Math.min(reset, LONGEST_MS));
    }
  }

  async ready(signal?: AbortSignal | null): Promise<void> {
    const wait = this.#until - this.#now();
    if (wait > 0) await sleep(wait, undefined, signal ? { signal } : {});
  }
}

/** A Go-style duration (`12ms`, `1s`, `6m0s`, `1h2m3.5s`) in milliseconds; undefined where it is none. */
export function duration(text: string): number | undefined {
  const units: Record<string, number> = { h: 3_600_000, m: 60_000, s: 1000, ms: 1 };
  let total = 0;
  let rest = text;
  while (rest !== "") {
    const part = /^(\d+(?:\.\d+)?)(ms|h|m|s)/.exec(rest);
    if (part === null) return undefined;
    total += Number(part[1]) * units[part[2]!]!;
    rest = rest.slice(part[0].length);
  }
  return text === "" ? undefined : total;
}
