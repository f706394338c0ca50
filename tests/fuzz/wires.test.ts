import fc from "fast-check";
import { once } from "node:events";
import { createServer } from "node:http";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { chatJudge } from "../../engine/judges/chat/chat.ts";
import type { Judge } from "../../engine/judges/judge.ts";
import { bodyOf } from "../../engine/judges/wire/bodies.ts";
import { decisionsJudge } from "../../engine/judges/wire/decisions.ts";
import { Pace } from "../../engine/judges/wire/pace.ts";
import { systemoneJudge } from "../../engine/judges/wire/systemone.ts";
import { validateAnswer } from "../../engine/scan/validate.ts";
import type { JudgeSettings } from "../../engine/schema/judge.ts";
import type { JudgeRequest } from "../../engine/schema/request.ts";
import { changed, changes, edited, edits } from "../helpers/mutate.ts";
import { survives } from "../helpers/survives.ts";
import { Provider } from "../provider/server.ts";

/** Hostile response bodies a wire; the gate takes a sample, `ASSAY_FUZZ=10000` the whole. */
const INPUTS = Number(process.env["ASSAY_FUZZ"] ?? 300);
const PATIENCE = { timeout: 60_000 + INPUTS * 20 };

const request: JudgeRequest = {
  state: { caregiver: "I am so tired." },
  questions: [
    { name: "q1", type: "noul", instructions: "Does `caregiver` mention being tired?" },
    { name: "q2", type: "choice", instructions: "Which register?", criteria: { anger: "Fury.", neutral: "Plain." } },
  ],
};
const WIRES = [
  ["decisions", "logprobs", decisionsJudge, "/v1/decisions"],
  ["systemone", "logprobs", systemoneJudge, "/v1/systemone"],
  ["chat", "logprobs", chatJudge, "/v1/chat/completions"],
  ["chat", "verbalized", chatJudge, "/v1/chat/completions"],
] as const;

/** Answers every request with the bytes given last. */
let body: Buffer = Buffer.alloc(0);
const server = createServer((incoming, response) => {
  incoming.resume().on("end", () => response.setHeader("content-type", "application/json").end(body));
});
let url = "";

beforeAll(async () => {
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  url = `http://127.0.0.1:${typeof address === "object" ? address?.port : ""}/v1`;
});
afterAll(() => {
  server.closeAllConnections();
  server.close();
});

function settingsOf(adapter: JudgeSettings["adapter"], method: string, base_url: string): JudgeSettings {
  return {
    name: `${adapter}:pinned-1`,
    adapter,
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

/** What an honest provider sends for the request. */
async function honest(adapter: JudgeSettings["adapter"], method: string, path: string): Promise<Buffer> {
  const provider = await new Provider({ model: "pinned-1" }).start();
  try {
    const response = await fetch(new URL(path, provider.url), {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(bodyOf(settingsOf(adapter, method, provider.url), request)),
    });
    return Buffer.from(await response.arrayBuffer());
  } finally {
    await provider.stop();
  }
}

/** An answer to exactly these questions, with a bill that is a number. */
async function ask(judge: Judge, bytes: Buffer): Promise<void> {
  body = bytes;
  const answer = await judge.ask(request);
  validateAnswer(request, answer, "pinned-1");
  for (const value of [answer.cost_usd, answer.input_tokens, answer.output_tokens])
    if (!Number.isFinite(value) || value < 0) throw new Error(`charged ${value}`);
}

describe.each(WIRES)("%s by %s", PATIENCE, (adapter, method, make, path) => {
  const open = (): Judge => make(settingsOf(adapter, method, url), { timeoutMs: 20_000, env: {}, pace: new Pace() });
  it("reads an honest body", async () => {
    expect(await survives(async () => ask(open(), await honest(adapter, method, path)))).toBe(true);
  });
  it("bytes of the body changed: an answer or one typed error", async () => {
    const seed = await honest(adapter, method, path);
    const judge = open();
    await fc.assert(
      fc.asyncProperty(edits, async (list) => void (await survives(() => ask(judge, edited(seed, list))))),
      { numRuns: Math.ceil(INPUTS / 2) },
    );
  });
  it("values of the body changed: an answer or one typed error", async () => {
    const value: unknown = JSON.parse((await honest(adapter, method, path)).toString("utf8"));
    const judge = open();
    await fc.assert(
      fc.asyncProperty(changes, async (list) => {
        await survives(() => ask(judge, Buffer.from(JSON.stringify(changed(value, list)) ?? "")));
      }),
      { numRuns: Math.ceil(INPUTS / 2) },
    );
  });
});
