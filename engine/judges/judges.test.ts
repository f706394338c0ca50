import { describe, expect, it } from "vitest";
import type { JudgeRequest } from "../schema/request.ts";
import { judgeList, openJudge, parseJudge } from "./index.ts";

const request: JudgeRequest = {
  state: { assistant: "The bus leaves at nine.", sentences: ["A cat sleeps.", "The bus leaves at nine."] },
  questions: [
    {
      name: "q1",
      type: "noul",
      instructions: "Does a bus leave?",
      criteria: { true: "A bus leaves.", false: "A cat sleeps." },
    },
    { name: "q2", type: "choice", instructions: "Which?", criteria: { cat: "A cat sleeps.", bus: "The bus leaves." } },
    {
      name: "q3",
      type: "noul",
      instructions: { question: "Is it about a bus?", count_as_yes: ["a bus leaves"], count_as_no: ["a cat sleeps"] },
      bind: { field: "sentences", index: 0 },
    },
  ],
};

describe("constant judges", () => {
  it.each([
    ["constant:yes", { q1: 1, q2: { bus: 1, cat: 0 }, q3: 1 }],
    ["constant:no", { q1: 0, q2: { bus: 0, cat: 1 }, q3: 0 }],
    ["constant:half", { q1: 0.5, q2: { bus: 0.5, cat: 0.5 }, q3: 0.5 }],
  ])("%s", async (spec, answers) => {
    expect(await (await openJudge(parseJudge(spec))).ask(request)).toEqual({
      model: spec.slice("constant:".length),
      answers,
      input_tokens: 0,
      output_tokens: 0,
      cost_usd: 0,
    });
  });
});

describe("the overlap judge", async () => {
  const judge = await openJudge(parseJudge("overlap"));

  it("leans to the side whose words the evidence shares, and reads only a bound item", async () => {
    const { answers, model } = await judge.ask(request);
    expect(model).toBe("overlap");
    expect(answers["q1"]).toBeGreaterThan(0.5);
    expect(answers["q3"]).toBeLessThan(0.35);
    const shares = answers["q2"] as Record<string, number>;
    expect(shares["bus"]).toBeGreaterThan(shares["cat"]!);
    expect(shares["bus"]! + shares["cat"]!).toBeCloseTo(1, 5);
  });

  it("follows its formula", async () => {
    // Evidence {bus, leav}; yes text {bus, leav}: cosine 1; no text {cat, sleep}: cosine 0. (1.05) / (1.05 + 0.05).
    const state = { assistant: "Bus leaves." };
    const question = {
      name: "q1",
      type: "noul" as const,
      instructions: "Bus leaves?",
      criteria: { false: "A cat sleeps." },
    };
    expect((await judge.ask({ state, questions: [question] })).answers["q1"]).toBeCloseTo(1.05 / 1.1, 6);
  });

  it("answers one half where neither side shares a word", async () => {
    const question = { name: "q1", type: "noul" as const, instructions: "Does rain fall?" };
    expect((await judge.ask({ state: { assistant: "Bus." }, questions: [question] })).answers["q1"]).toBe(0.5);
  });
});

describe("judge specs", () => {
  it("freeze everything that can change an answer", () => {
    expect(parseJudge("constant:half", { context: "final_pair", repeats: 2, grouping: "one" })).toEqual({
      name: "constant:half",
      adapter: "constant",
      model: "half",
      method: "constant",
      temperature: null,
      seed: null,
      max_output_tokens: 0,
      grouping: "one",
      repeats: 2,
      context: "final_pair",
      thresholds: { low: 0.35, high: 0.65 },
      price: { input_usd_per_mtok: 0, output_usd_per_mtok: 0, source: "embedded: no provider is called" },
    });
    expect(parseJudge("lexicon").lexicon_sha256).toMatch(/^[0-9a-f]{64}$/);
  });

  it("leave a provider's price unknown unless both are given", () => {
    expect(parseJudge("decisions:m").price).toBeNull();
    expect(parseJudge("chat:m").grouping).toBe("one");
    expect(parseJudge("chat:a:b", { priceInput: 0.1, priceOutput: 0.2 })).toMatchObject({
      model: "a:b",
      price: { input_usd_per_mtok: 0.1, output_usd_per_mtok: 0.2 },
    });
    expect(() => parseJudge("chat:m", { priceInput: 1 })).toThrowError(expect.objectContaining({ code: "bad_judge" }));
  });

  it.each([
    "oracle",
    "constant",
    "constant:maybe",
    "lexicon:big",
    "decisions",
    "decisions:",
    "replay:answers.jsonl",
    "",
  ])("refuse %j, listing what exists", (spec) => {
    expect(() => parseJudge(spec)).toThrowError(expect.objectContaining({ code: "bad_judge" }));
    expect(() => parseJudge(spec)).toThrowError(/constant:half/);
  });

  it.each([
    ["lexicon", { baseUrl: "http://localhost:1/v1" }],
    ["lexicon", { priceInput: 0, priceOutput: 0 }],
    ["chat:m", { baseUrl: "http://user:secret@localhost:1/v1" }],
    ["chat:m", { baseUrl: "http://localhost:1/v1?key=secret" }],
    ["chat:m", { baseUrl: "file:///etc" }],
    ["chat:m", { method: "guess" }],
    ["lexicon", { repeats: 0 }],
    ["lexicon", { thresholds: { low: 0.6, high: 0.4 } }],
  ])("refuse %s with %j", (spec, options) => {
    expect(() => parseJudge(spec, options)).toThrowError(expect.objectContaining({ code: "bad_judge" }));
  });

  it("never repeat a credential in the error", () => {
    expect(() => parseJudge("chat:m", { baseUrl: "http://user:secret@localhost:1/v1" })).not.toThrowError(/secret/);
  });

  it("open, where this version has the adapter and the environment the key", async () => {
    for (const { name, adapter } of judgeList()) {
      if (adapter === "replay") continue;
      const env = { OPENAI_API_KEY: "made", TYPESAFE_API_KEY: "made" };
      expect((await openJudge(parseJudge(name), { env })).settings.name).toBe(name);
    }
  });
});
