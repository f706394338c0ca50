import { describe, expect, it } from "vitest";
import { AssayError } from "../canon/errors.ts";
import { DEFAULT_THRESHOLDS, type JudgeSettings } from "../schema/judge.ts";
import type { JudgeRequest } from "../schema/request.ts";
import { ceilingOf } from "./ceiling.ts";
import { slugOf } from "./identity.ts";
import { pool } from "./pool.ts";
import { validateAnswer } from "./validate.ts";

function codeOf(call: () => unknown): string {
  try {
    call();
  } catch (error) {
    if (error instanceof AssayError) return error.code;
    throw error;
  }
  return "none";
}

const judge: JudgeSettings = {
  name: "decisions:x",
  adapter: "decisions",
  model: "x",
  method: "decisions",
  temperature: null,
  seed: null,
  max_output_tokens: 0,
  grouping: "shared",
  repeats: 1,
  context: "full",
  thresholds: DEFAULT_THRESHOLDS,
  price: null,
};

describe("a ceiling", () => {
  const estimate = (estimated_cost_usd: number | null) => ({
    judge,
    estimate: { input_tokens: 1, output_tokens: 1, method: "bytes", estimated_cost_usd },
  });
  it.each<[number | null, number | undefined, number | string]>([
    [0, undefined, 0],
    [0, 0, 0],
    [0, 1e6, 1e6],
    [0, -0.01, "bad_ceiling"],
    [0, NaN, "bad_ceiling"],
    [0, Infinity, "bad_ceiling"],
    [0.02, undefined, "bad_ceiling"],
    [0.02, 0.019, "bad_ceiling"],
    [0.02, 0.02, 0.02],
    [0.02, 1, 1],
    [0.02, 1.01, "bad_ceiling"],
    [2, 20, 20],
    [2, 20.1, "bad_ceiling"],
    [2, NaN, "bad_ceiling"],
    [null, 5, "no_price"],
  ])("of an estimate of %s USD, given %s, is %s", (cost, given, expected) => {
    if (typeof expected === "string") expect(codeOf(() => ceilingOf(estimate(cost), given))).toBe(expected);
    else expect(ceilingOf(estimate(cost), given)).toBe(expected);
  });
});

describe("an answer", () => {
  const request: JudgeRequest = {
    state: { assistant: "a" },
    questions: [
      { name: "q1", type: "noul", instructions: "?" },
      { name: "q2", type: "choice", instructions: "?", criteria: { a: "A", b: "B", "10": "ten" } },
    ],
  };
  const choice = { a: 0.5, b: 0.3, "10": 0.2 };
  it.each<[string, Record<string, unknown>, string?]>([
    ["none", { q1: 0, q2: choice }],
    ["none", { q1: 1, q2: { ...choice, a: 0.51 } }],
    ["none", { q1: 1, q2: { ...choice, a: 0.49 } }],
    ["bad_total", { q1: 1, q2: { ...choice, a: 0.52 } }],
    ["bad_total", { q1: 1, q2: { ...choice, a: 0.48 } }],
    ["wrong_model", { q1: 0, q2: choice }, "y"],
    ["missing_answer", { q1: 0 }],
    ["extra_answer", { q1: 0, q2: choice, q3: 1 }],
    ["bad_probability", { q1: NaN, q2: choice }],
    ["bad_probability", { q1: -0.1, q2: choice }],
    ["bad_probability", { q1: 1.1, q2: choice }],
    ["bad_probability", { q1: choice, q2: choice }],
    ["bad_probability", { q1: null, q2: choice }],
    ["wrong_options", { q1: 1, q2: 0.5 }],
    ["wrong_options", { q1: 1, q2: null }],
    ["wrong_options", { q1: 1, q2: { a: 0.5, b: 0.5 } }],
    ["wrong_options", { q1: 1, q2: { a: 0.5, b: 0.3, c: 0.2 } }],
    ["wrong_options", { q1: 1, q2: { ...choice, toString: 0 } }],
    ["bad_probability", { q1: 1, q2: { a: 1.5, b: -0.5, "10": 0 } }],
  ])("is %s for %j", (code, answers, model = "x") => {
    // What a server sends has no type.
    const untyped = JSON.parse(JSON.stringify({ answers }), (_key, value: unknown) => value) as { answers: never };
    const sent = code === "bad_probability" && Number.isNaN(answers["q1"]) ? { answers: answers as never } : untyped;
    expect(codeOf(() => validateAnswer(request, { model, ...sent }, "x"))).toBe(code);
  });
});

describe("a pool", () => {
  async function* numbers(n: number): AsyncGenerator<number> {
    for (let i = 0; i < n; i++) yield i;
  }
  it("does every task, never more than its width at a time", async () => {
    let active = 0;
    let most = 0;
    const done: number[] = [];
    await pool(numbers(50), 4, async (task) => {
      most = Math.max(most, ++active);
      await new Promise((resolve) => setTimeout(resolve, task % 3));
      active--;
      done.push(task);
    });
    expect(most).toBe(4);
    expect(done.sort((a, b) => a - b)).toEqual(Array.from({ length: 50 }, (_, i) => i));
  });

  it("stops on an error after those in flight, and throws it", async () => {
    const done: number[] = [];
    const work = async (task: number): Promise<void> => {
      await new Promise((resolve) => setTimeout(resolve, 2));
      if (task === 5) throw new Error("five");
      done.push(task);
    };
    await expect(pool(numbers(1000), 3, work)).rejects.toThrow("five");
    expect(done.length).toBeLessThan(12);
  });

  it("stops when told, without an error", async () => {
    let done = 0;
    await pool(
      numbers(1000),
      3,
      () => Promise.resolve(void done++),
      () => done >= 10,
    );
    expect(done).toBeLessThan(14);
  });
});

describe("a slug", () => {
  it.each([
    ["My Run @ 2026", "my-run-2026"],
    ["--a__b--", "a-b"],
    ["日本", "x"],
  ])("of %s is %s", (text, slug) => expect(slugOf(text)).toBe(slug));
});
