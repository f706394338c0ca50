import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { AssayError } from "../canon/errors.ts";
import { sha256 } from "../canon/json.ts";
import { fromNano, toNano } from "../canon/money.ts";
import { parseJudge } from "../judges/index.ts";
import type { Judge } from "../judges/judge.ts";
import type { NewJournalEntry } from "../schema/journal.ts";
import { answerKey, JournalIndex } from "./answers.ts";
import { askEach, type Call } from "./ask.ts";
import { BACKOFF, type Clock } from "./backoff.ts";
import { HEADROOM, Ledger } from "./ledger.ts";
import { Purse } from "./purse.ts";

const SCHEDULES = Number(process.env["ASSAY_SCHEDULES"] ?? 1000);
const settings = parseJudge("decisions:made", { baseUrl: "http://127.0.0.1:9/v1", priceInput: 1, priceOutput: 1 });

/** Deterministic numbers in [0, 1) from a seed (mulberry32), so that a failing schedule can be run again. */
function randomOf(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** Time that only passes when everything waits for it. */
class FakeTime implements Clock {
  #now = 0;
  #sleeping: { at: number; wake: () => void }[] = [];
  readonly random: () => number;
  constructor(random: () => number) {
    this.random = random;
  }
  now(): number {
    return this.#now;
  }
  sleep(ms: number): Promise<void> {
    return new Promise((wake) => this.#sleeping.push({ at: this.#now + ms, wake }));
  }
  /** Until `work` settles or `deadline` passes; true where it settled. What still sleeps then never wakes. */
  async run(work: Promise<unknown>, deadline: number): Promise<boolean> {
    let settled = false;
    const end = (): void => void (settled = true);
    work.then(end, end);
    for (;;) {
      await new Promise((done) => setImmediate(done));
      if (settled) return true;
      const next = this.#sleeping.reduce((a, b) => (b.at < a.at ? b : a), { at: Infinity, wake: end });
      if (next.at > deadline) break;
      this.#now = next.at;
      this.#sleeping = this.#sleeping.filter((one) => one !== next);
      next.wake();
    }
    this.#sleeping = [];
    return false;
  }
}

interface Schedule {
  seed: number;
  requests: number;
  concurrency: number;
  kills: number;
  /** The ceiling as a multiple of the estimate. */
  ceiling: number;
  failing: number;
  overbilling: number;
  /** Bills reach up to this multiple of the reservation. */
  worst: number;
}

const schedules = (worst: number): fc.Arbitrary<Schedule> =>
  fc.record({
    seed: fc.integer(),
    requests: fc.integer({ min: 1, max: 60 }),
    concurrency: fc.integer({ min: 1, max: 64 }),
    kills: fc.integer({ min: 0, max: 5 }),
    ceiling: fc.constantFrom(1, 1, 1.1, 2, 10),
    failing: fc.constantFrom(0, 0.1, 0.5),
    overbilling: fc.constantFrom(0, 0, 0.02, 0.2, 1),
    worst: fc.constant(worst),
  });

const digestOfCall = (at: number): string => sha256(`call ${at}`);

interface Sent {
  key: string;
  reservation: number;
  billed: number;
}

/** Play a schedule, restarting after every kill, and say what the server saw. */
async function play(schedule: Schedule) {
  const random = randomOf(schedule.seed);
  const reservations = Array.from({ length: schedule.requests }, () => 1 + Math.floor(random() * 1_000_000));
  const estimate = reservations.reduce((sum, nano) => sum + nano, 0) + (HEADROOM - 1) * Math.max(...reservations);
  const ceiling = Math.ceil(estimate * schedule.ceiling);
  const reserved = new Map(reservations.map((nano, at) => [digestOfCall(at), nano]));
  const sent: Sent[] = [];
  /** The lines of the journal: all outlive a kill, and those that are synced a loss of power too. */
  let lines: { entry: NewJournalEntry; isSynced: boolean }[] = [];
  /** Sent, and the outcome not written: what a kill would have sent again. */
  const unwritten = new Set<string>();
  /** Sent, and the outcome not synced: what a loss of power would have sent again. */
  const unsynced = new Set<string>();
  const widest = { unwritten: 0, unsynced: 0 };
  /** How much had been sent when a bill above its reservation was written. */
  const overruns: number[] = [];
  const runs: number[] = [];

  for (let life = 0; life <= schedule.kills; life++) {
    const time = new FakeTime(random);
    const index = new JournalIndex();
    const span = { offset: 0, length: 0 };
    lines.push({ entry: { kind: "run", ceiling_usd: fromNano(ceiling) }, isSynced: true });
    for (const { entry } of lines) index.add(entry, span);
    unwritten.clear();
    unsynced.clear();
    runs.push(sent.length);
    const judge: Judge = {
      settings,
      async ask({ state }) {
        const at = Number(state["assistant"]);
        const reservation = reservations[at]!;
        const outcome = random();
        const over = random() < schedule.overbilling;
        const share = over ? 1 + random() * (schedule.worst - 1) : 0.05 + random() * 0.95;
        const refused = outcome < schedule.failing / 2;
        const billed = refused ? 0 : Math.round(reservation * share);
        sent.push({ key: String(at), reservation, billed });
        unwritten.add(digestOfCall(at));
        unsynced.add(digestOfCall(at));
        widest.unwritten = Math.max(widest.unwritten, unwritten.size);
        widest.unsynced = Math.max(widest.unsynced, unsynced.size);
        await time.sleep(random() < 0.1 ? 0 : random() * 5000);
        if (refused)
          throw new AssayError("rate_limited", "full", {
            retryable: true,
            unbilled: true,
            ...(random() < 0.5 ? { retry_after_ms: random() * 1000 } : {}),
          });
        // The server did the work, and the client never learns what it cost.
        if (outcome < schedule.failing) throw new AssayError("timeout", "late", { retryable: random() < 0.8 });
        return { model: "made", answers: { q1: 1 }, input_tokens: 1, output_tokens: 1, cost_usd: fromNano(billed) };
      },
    };
    const record = async (entry: NewJournalEntry, onWritten: () => void = () => undefined): Promise<void> => {
      await time.sleep(random() * 2);
      const line = { entry, isSynced: false };
      lines.push(line);
      if ("cost_usd" in entry) unwritten.delete(entry.input_sha256);
      if (entry.kind === "answer" && toNano(entry.cost_usd) > reserved.get(entry.input_sha256)!)
        overruns.push(sent.length);
      onWritten();
      await time.sleep(random() * 16);
      line.isSynced = true;
      if ("cost_usd" in entry) unsynced.delete(entry.input_sha256);
      index.add(entry, span);
    };
    async function* unanswered(): AsyncGenerator<Call> {
      await Promise.resolve();
      for (const [at, reservationNano] of reservations.entries()) {
        const input_sha256 = digestOfCall(at);
        const key = answerKey(input_sha256, 0);
        if (index.answers.has(key)) continue;
        const attempt = (index.failures.get(key)?.attempts ?? 0) + 1;
        const question = { name: "q1", type: "noul" as const, instructions: "Is it?" };
        const request = { state: { assistant: String(at) }, questions: [question] };
        yield { input_sha256, repeat: 0, attempt, request, reservationNano };
      }
    }
    const purse = new Purse(new Ledger(fromNano(ceiling), index.spent));
    const work = askEach(unanswered(), schedule.concurrency, { judge, purse, record, clock: time, limits: BACKOFF });
    const ended = await time.run(work, life < schedule.kills ? random() * 60_000 : Infinity);
    if (ended) await work;
    // Without power, any of what was not synced may be gone.
    if (!ended && random() < 0.5) lines = lines.filter(({ isSynced }) => isSynced || random() < 0.3);
  }
  const billed = sent.reduce((sum, call) => sum + call.billed, 0);
  const index = new JournalIndex();
  for (const { entry } of lines) index.add(entry, { offset: 0, length: 0 });
  return { billed, ceiling, sent, index, overruns, runs, widest };
}

describe("the ceiling, over random schedules of latency, errors, kills, restarts and bills", () => {
  it(`is never passed by what the server billed, bills up to ${HEADROOM} x the reservation included (${SCHEDULES} schedules)`, async () => {
    let overbilled = 0;
    await fc.assert(
      fc.asyncProperty(schedules(HEADROOM), async (schedule) => {
        const { billed, ceiling, index, overruns, widest } = await play(schedule);
        expect(widest.unwritten).toBeLessThanOrEqual(schedule.concurrency);
        expect(widest.unsynced).toBeLessThanOrEqual(2 * schedule.concurrency);
        expect(billed).toBeLessThanOrEqual(ceiling);
        expect(index.repeated).toEqual([]);
        if (overruns.length > 0) overbilled++;
      }),
      { numRuns: SCHEDULES },
    );
    expect(overbilled).toBeGreaterThan(SCHEDULES / 20);
  }, 300_000);

  it("is passed by bills beyond that by no more than the excess of calls already sent, and nothing more is sent", async () => {
    await fc.assert(
      fc.asyncProperty(schedules(20), async (schedule) => {
        const { billed, ceiling, sent, overruns, runs } = await play({ ...schedule, kills: 0 });
        const excess = sent.reduce((sum, call) => sum + Math.max(0, call.billed - HEADROOM * call.reservation), 0);
        expect(billed).toBeLessThanOrEqual(ceiling + excess);
        const [first] = overruns;
        if (first !== undefined) expect(sent).toHaveLength(first);
        expect(runs).toEqual([0]);
      }),
      { numRuns: Math.min(SCHEDULES, 300) },
    );
  }, 300_000);

  it("is not touched by calls that were made ready when a run was stopped: they are not sent, and released", async () => {
    const stop = new AbortController();
    const entries: NewJournalEntry[] = [];
    const index = new JournalIndex();
    let sent = 0;
    const width = 4;
    const judge: Judge = {
      settings,
      async ask() {
        sent++;
        await new Promise((done) => setTimeout(done, 5));
        if (sent === 2 * width) stop.abort();
        return { model: "made", answers: { q1: 1 }, input_tokens: 1, output_tokens: 1, cost_usd: fromNano(3) };
      },
    };
    const record = async (entry: NewJournalEntry): Promise<void> => {
      await Promise.resolve();
      entries.push(entry);
      index.add(entry, { offset: 0, length: 0 });
    };
    async function* endless(): AsyncGenerator<Call> {
      const question = { name: "q1", type: "noul" as const, instructions: "Is it?" };
      for (let at = 0; ; at++) {
        await Promise.resolve();
        const request = { state: { assistant: String(at) }, questions: [question] };
        yield { input_sha256: digestOfCall(at), repeat: 0, attempt: 1, request, reservationNano: 10 };
      }
    }
    const purse = new Purse(new Ledger(1));
    const { asked } = await askEach(endless(), width, { judge, purse, record, signal: stop.signal });
    const kinds = (kind: string): number => entries.filter((entry) => entry.kind === kind).length;
    expect(sent).toBe(2 * width);
    expect(asked).toBe(sent);
    expect(kinds("answer")).toBe(sent);
    expect(kinds("release")).toBeGreaterThan(0);
    expect(kinds("reserve")).toBe(sent + kinds("release"));
    expect(index.spent).toEqual({ billedNano: 3 * sent, unknownNano: 0 });
  });

  it("suffices at the estimate for every request, where no bill is above its reservation and no call fails", async () => {
    await fc.assert(
      fc.asyncProperty(schedules(1), async (schedule) => {
        const calm = { ...schedule, kills: 0, failing: 0, overbilling: 0, ceiling: 1 };
        const { index, sent } = await play(calm);
        expect(index.answers.size).toBe(schedule.requests);
        expect(sent).toHaveLength(schedule.requests);
      }),
      { numRuns: 100 },
    );
  }, 300_000);
});
