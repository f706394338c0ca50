import { afterEach, describe, expect, it } from "vitest";
import { AssayError } from "../../engine/canon/errors.ts";
import { chatJudge } from "../../engine/judges/chat/chat.ts";
import type { Judge } from "../../engine/judges/judge.ts";
import { decisionsJudge } from "../../engine/judges/wire/decisions.ts";
import { Pace } from "../../engine/judges/wire/pace.ts";
import { systemoneJudge } from "../../engine/judges/wire/systemone.ts";
import { validateAnswer } from "../../engine/scan/validate.ts";
import type { JudgeSettings } from "../../engine/schema/judge.ts";
import type { JudgeRequest } from "../../engine/schema/request.ts";
import { Provider, type Misbehaviour, type ProviderOptions } from "./server.ts";

const WIRES = ["decisions", "systemone", "chat"] as const;
type WireName = (typeof WIRES)[number];
const makers = { decisions: decisionsJudge, systemone: systemoneJudge, chat: chatJudge };
const CANARY = "sk-canary-4f1d";

const request: JudgeRequest = {
  state: { caregiver: "I am so tired.", sentences: ["One.", "Two."] },
  questions: [
    { name: "q1", type: "noul", instructions: "Does `caregiver` mention being tired?" },
    {
      name: "q2",
      type: "choice",
      instructions: "Which register?",
      criteria: { anger: "Fury.", grief: "Loss.", neutral: "Plain." },
    },
    {
      name: "q3",
      type: "noul",
      instructions: { question: "Is `sentences[i]` a step?", count_as_no: ["a greeting"] },
      bind: { field: "sentences", index: 1 },
    },
  ],
};

const running: Provider[] = [];
afterEach(async () => {
  await Promise.all(running.splice(0).map((provider) => provider.stop()));
});

async function ask(wire: WireName, options: ProviderOptions, method = "logprobs", timeoutMs = 20_000) {
  const provider = await new Provider(options).start();
  running.push(provider);
  const judge: Judge = makers[wire](settings(wire, provider.url, method), {
    timeoutMs,
    pace: new Pace(),
    env: { OPENAI_API_KEY: CANARY, TYPESAFE_API_KEY: CANARY },
  });
  const answer = await judge.ask(request);
  validateAnswer(request, answer, "pinned-1");
  return answer;
}

function settings(wire: WireName, base_url: string, method: string): JudgeSettings {
  return {
    name: `${wire}:pinned-1`,
    adapter: wire,
    model: "pinned-1",
    base_url,
    method,
    temperature: 0,
    seed: null,
    max_output_tokens: 16,
    grouping: "shared",
    repeats: 1,
    context: "full",
    thresholds: { low: 0.35, high: 0.65 },
    price: { input_usd_per_mtok: 1, output_usd_per_mtok: 2, source: "test" },
  };
}

describe("three wires, one set of answers", () => {
  it("reads the same probabilities from each", async () => {
    const answers = await Promise.all(WIRES.map(async (wire) => (await ask(wire, {})).answers));
    for (const name of ["q1", "q3"])
      for (const other of answers.slice(1)) expect(other[name]).toBeCloseTo(Number(answers[0]?.[name]), 12);
    const choice = (i: number): unknown[] => Object.values(Object(answers[i]?.["q2"]) as object);
    // Chat reads letters, so its options come back under their own names.
    expect(Object.keys(answers[2]?.["q2"] ?? {})).toEqual(["anger", "grief", "neutral"]);
    expect(choice(1)).toEqual(choice(0));
    choice(2).forEach((p, i) => expect(p).toBeCloseTo(Number(choice(0)[i]), 12));
  });
  it("charges by usage and price", async () => {
    const { input_tokens, output_tokens, cost_usd } = await ask("decisions", {});
    expect(cost_usd).toBeCloseTo((input_tokens * 1 + output_tokens * 2) / 1e6, 15);
  });
  it("reads stated percentages where logprobs are not offered", async () => {
    const { answers } = await ask("chat", { answer: () => [0.8, 0.15, 0.05] }, "verbalized");
    expect(answers["q1"]).toBe(0.8);
    expect(answers["q2"]).toEqual({ anger: 0.8, grief: 0.15, neutral: 0.05 });
  });
});

const STALLS = new Set<Misbehaviour>(["hang", "stall_body", "slow_drip"]);
const everywhere: [Misbehaviour, string, boolean?][] = [
  ["rate_limit", "rate_limited", true],
  ["rate_limit_no_header", "rate_limited", true],
  ["quota", "quota_exhausted", false],
  ["error_500", "http_500", true],
  ["hang", "timeout", true],
  ["stall_body", "timeout", true],
  ["slow_drip", "timeout", true],
  ["cut_body", "connection", true],
  ["reset", "connection", true],
  ["bad_json", "malformed_answer", false],
  ["missing_question", "missing_answer"],
  ["extra_question", "extra_answer"],
  ["refusal", "refusal"],
  ["wrong_model", "wrong_model"],
  ["huge_body", "body_too_large"],
];
const byWire: [WireName, Misbehaviour, string][] = [
  ["decisions", "nan", "malformed_answer"],
  ["systemone", "nan", "malformed_answer"],
  ["chat", "nan", "malformed_answer"],
  ["decisions", "above_one", "bad_probability"],
  ["systemone", "above_one", "bad_probability"],
  ["chat", "above_one", "bad_logprob"],
  ["decisions", "sum_090", "bad_total"],
  ["systemone", "sum_090", "bad_total"],
  ["decisions", "renamed_question", "extra_answer"],
  ["systemone", "renamed_question", "extra_answer"],
  ["chat", "renamed_question", "extra_answer"],
  ["chat", "no_logprobs", "no_logprobs"],
  ["chat", "length_stop", "cut_answer"],
  ["chat", "duplicate_key", "repeated_question"],
];

describe("a misbehaving provider is one technical error", () => {
  it.each(
    WIRES.flatMap((wire) =>
      everywhere.map(([misbehaviour, code, retryable]) => [wire, misbehaviour, code, retryable] as const),
    ),
  )("%s %s -> %s", async (wire, misbehaviour, code, retryable) => {
    const error = await failure(
      ask(wire, { misbehave: () => misbehaviour }, "logprobs", STALLS.has(misbehaviour) ? 300 : 20_000),
    );
    expect(error.code).toBe(code);
    if (retryable !== undefined) expect(error.details["retryable"] === true).toBe(retryable);
    expect(JSON.stringify({ ...error, message: error.message })).not.toContain(CANARY);
  });
  it.each(byWire)("%s %s -> %s", async (wire, misbehaviour, code) => {
    expect((await failure(ask(wire, { misbehave: () => misbehaviour }))).code).toBe(code);
  });
  it.each(WIRES)("%s tells how long the server asks to wait", async (wire) => {
    const error = await failure(ask(wire, { misbehave: () => "rate_limit", retryAfterSeconds: 3 }));
    expect(error.details["retry_after_ms"]).toBe(3000);
  });
  it.each(WIRES)("%s stops when the caller aborts a stalled body", async (wire) => {
    const provider = await new Provider({ misbehave: () => "stall_body" }).start();
    running.push(provider);
    const judge = makers[wire](settings(wire, provider.url, "logprobs"), {
      timeoutMs: 5000,
      env: {},
      pace: new Pace(),
    });
    const abort = new AbortController();
    const pending = failure(Promise.resolve(judge.ask(request, abort.signal)));
    setTimeout(() => abort.abort(), 60);
    expect((await pending).code).toBe("aborted");
  });
});

async function failure(pending: Promise<unknown>): Promise<AssayError> {
  try {
    await pending;
  } catch (error) {
    if (error instanceof AssayError) return error;
    throw error;
  }
  throw new Error("it answered");
}
