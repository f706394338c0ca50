import { createHash } from "node:crypto";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { once } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";
import { z } from "zod";
import { canonicalJson } from "../../engine/canon/json.ts";

/** What the provider does with one request, instead of or besides answering it. */
export type Misbehaviour =
  | "none"
  | "rate_limit"
  | "rate_limit_no_header"
  | "quota"
  | "error_500"
  | "hang"
  | "stall_body"
  | "slow_drip"
  | "cut_body"
  | "reset"
  | "bad_json"
  | "missing_question"
  | "extra_question"
  | "renamed_question"
  | "refusal"
  | "nan"
  | "above_one"
  | "sum_090"
  | "wrong_model"
  | "huge_body"
  | "no_logprobs"
  | "length_stop"
  | "duplicate_key"
  | "echo_key"
  | "overbill";

export interface Received {
  wire: Wire;
  /** Digest of the evidence and question names: the provider's own identity of the input. */
  input: string;
  /** Digest of the JSON received. */
  body: string;
  order: number;
  billed_usd: number;
  misbehaviour: Misbehaviour;
  authorization: string | undefined;
}

export interface ProviderOptions {
  latencyMs?: number | ((order: number) => number);
  misbehave?: (order: number, input: string, hasChoice: boolean) => Misbehaviour;
  /** P(yes) or weights of options; the default is a hash of evidence and question, the same on every wire. */
  answer?: (evidence: string, question: string, options: readonly string[], order: number) => number[];
  price?: { input_usd_per_mtok: number; output_usd_per_mtok: number };
  retryAfterSeconds?: number;
  model?: string;
}

type Wire = "decisions" | "systemone" | "chat";
interface Asked {
  name: string;
  options: string[];
  choice: boolean;
}

const Decisions = z.object({
  model: z.string(),
  input: z.string(),
  questions: z.array(
    z.object({
      type: z.enum(["predicate", "choice"]),
      name: z.string(),
      choices: z.array(z.object({ value: z.string() })).optional(),
    }),
  ),
});
const SystemOne = z.object({
  model: z.string(),
  state: z.unknown(),
  questions: z.record(
    z.string(),
    z.object({ type: z.enum(["noul", "choice"]), criteria: z.record(z.string(), z.unknown()).optional() }),
  ),
});
const SchemaValue = z.union([
  z.object({ enum: z.array(z.string()) }),
  z.object({ type: z.literal("integer") }),
  z.object({ type: z.literal("object"), properties: z.record(z.string(), z.unknown()) }),
]);
const Chat = z.object({
  model: z.string(),
  messages: z.array(z.object({ role: z.string(), content: z.string() })),
  logprobs: z.boolean().optional(),
  response_format: z.object({
    json_schema: z.object({ schema: z.object({ properties: z.record(z.string(), SchemaValue) }) }),
  }),
});

/**
 * One loopback HTTP server that speaks the three wires, answers deterministically, keeps its own bill and its own
 * list of what it received, and misbehaves on request. It bills every request it has read in full, whatever the
 * client then sees: the worst case a client's ledger must survive.
 */
export class Provider {
  readonly received: Received[] = [];
  billed_usd = 0;
  private readonly server = createServer((request, response) => void this.handle(request, response));
  private readonly options: ProviderOptions;

  constructor(options: ProviderOptions = {}) {
    this.options = options;
  }

  async start(): Promise<this> {
    this.server.listen(0, "127.0.0.1");
    await once(this.server, "listening");
    return this;
  }

  /** Base URL with /v1; valid for every wire. */
  get url(): string {
    const address = this.server.address();
    if (address === null || typeof address === "string") throw new Error("the provider is not listening");
    return `http://127.0.0.1:${address.port}/v1`;
  }

  async stop(): Promise<void> {
    this.server.closeAllConnections();
    this.server.close();
    await once(this.server, "close");
  }

  private async handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk);
    const text = Buffer.concat(chunks).toString();
    const wire = wireOf(request.url ?? "");
    if (wire === undefined) {
      response.writeHead(404, { "content-type": "application/json" }).end(`{"error":{"message":"no such path"}}`);
      return;
    }
    const { model, evidence, asked } = readRequest(wire, text);
    const order = this.received.length;
    const input = sha(`${evidence}\n${asked.map((question) => question.name).join(",")}`);
    const misbehaviour =
      this.options.misbehave?.(
        order,
        input,
        asked.some(({ choice }) => choice),
      ) ?? "none";
    const usage = { input: Math.ceil(text.length / 4), output: asked.length * 4 };
    const refused = ["rate_limit", "rate_limit_no_header", "quota", "error_500", "reset", "echo_key"].includes(
      misbehaviour,
    );
    const price = this.options.price ?? { input_usd_per_mtok: 0, output_usd_per_mtok: 0 };
    if (misbehaviour === "overbill") usage.input += text.length * 3;
    const cost = (usage.input * price.input_usd_per_mtok + usage.output * price.output_usd_per_mtok) / 1e6;
    const billed_usd = refused ? 0 : cost;
    this.billed_usd += billed_usd;
    this.received.push({
      wire,
      input,
      body: sha(canonicalJson(JSON.parse(text))),
      order,
      billed_usd,
      misbehaviour,
      authorization: request.headers.authorization,
    });

    const { latencyMs = 0 } = this.options;
    const latency = typeof latencyMs === "number" ? latencyMs : latencyMs(order);
    if (latency > 0) await sleep(latency);
    const values = asked.map((question) => this.valueOf(evidence, question, order));
    const body = answerBody(wire, this.options.model ?? model, asked, values, usage, misbehaviour, text);
    // A careless server that repeats the key it was sent where a client would quote it.
    if (misbehaviour === "echo_key") {
      const message = request.headers.authorization ?? "";
      const code = message.split(" ").at(-1) ?? "";
      response.writeHead(401, { "content-type": "application/json", "x-key": code });
      response.end(JSON.stringify({ error: { message, type: code, param: code, code } }));
      return;
    }
    await deliver(response, body, misbehaviour, this.options.retryAfterSeconds ?? 0);
  }

  private valueOf(evidence: string, question: Asked, order: number): number[] {
    const given = this.options.answer?.(evidence, question.name, question.options, order);
    if (given !== undefined) return given;
    const weights = question.options.map(
      (option, i) => 1 + (parseInt(sha(`${evidence}|${question.name}|${i}`).slice(0, 4), 16) % 97),
    );
    const total = weights.reduce((sum, weight) => sum + weight, 0);
    return weights.map((weight) => weight / total);
  }
}

function wireOf(path: string): Wire | undefined {
  if (path.endsWith("/v1/decisions")) return "decisions";
  if (path.endsWith("/v1/systemone")) return "systemone";
  if (path.endsWith("/v1/chat/completions")) return "chat";
  return undefined;
}

function readRequest(wire: Wire, text: string): { model: string; evidence: string; asked: Asked[] } {
  const body: unknown = JSON.parse(text);
  if (wire === "decisions") {
    const { model, input, questions } = Decisions.parse(body);
    const asked = questions.map(({ name, type, choices }) => ({
      name,
      choice: type === "choice",
      options: type === "choice" ? (choices ?? []).map((choice) => choice.value) : ["yes", "no"],
    }));
    return { model, evidence: input, asked };
  }
  if (wire === "systemone") {
    const { model, state, questions } = SystemOne.parse(body);
    const asked = Object.entries(questions).map(([name, { type, criteria }]) => ({
      name,
      choice: type === "choice",
      options: type === "choice" ? Object.keys(criteria ?? {}) : ["yes", "no"],
    }));
    return { model, evidence: canonicalJson(state), asked };
  }
  const { model, messages, response_format } = Chat.parse(body);
  const user = messages.find((message) => message.role === "user")?.content ?? "";
  const asked = Object.entries(response_format.json_schema.schema.properties).map(([name, value]) => {
    if ("enum" in value) return { name, choice: value.enum[0] !== "yes", options: value.enum };
    if ("properties" in value) return { name, choice: true, options: Object.keys(value.properties) };
    return { name, choice: false, options: ["yes", "no"] };
  });
  return { model, evidence: user.split("\n")[1] ?? "", asked };
}

function answerBody(
  wire: Wire,
  model: string,
  asked: readonly Asked[],
  values: readonly number[][],
  usage: { input: number; output: number },
  misbehaviour: Misbehaviour,
  text: string,
): string {
  const rows = asked.map((question, i) => ({ ...question, p: [...(values[i] ?? [])] }));
  if (misbehaviour === "missing_question") rows.pop();
  if (misbehaviour === "extra_question") rows.push({ name: "q999", choice: false, options: ["yes", "no"], p: [1, 0] });
  if (misbehaviour === "renamed_question" && rows[0]) rows[0].name = "other";
  if (misbehaviour === "nan" && rows[0]) rows[0].p[0] = NaN;
  if (misbehaviour === "above_one" && rows[0]) rows[0].p[0] = 1.2;
  if (misbehaviour === "sum_090") for (const row of rows) row.p = row.p.map((p) => p * 0.9);
  const answeredBy = misbehaviour === "wrong_model" ? "someone-else" : model;
  const refusing = misbehaviour === "refusal";
  const padding = misbehaviour === "huge_body" ? { padding: "x".repeat(20_000_000) } : {};
  const tokens = { input_tokens: usage.input, output_tokens: usage.output, total_tokens: usage.input + usage.output };

  if (wire === "decisions") {
    const answers = rows.map((row) => {
      if (refusing) return { type: "refusal", name: row.name };
      if (!row.choice) return { type: "predicate", name: row.name, probability: row.p[0] };
      const probabilities = row.options.map((value, i) => ({ value, probability: row.p[i] }));
      return { type: "choice", name: row.name, choice: row.options[argmax(row.p)], confidence: 1, probabilities };
    });
    return JSON.stringify({ model: answeredBy, answers, usage: tokens, ...padding });
  }
  if (wire === "systemone") {
    const answers = Object.fromEntries(
      rows.map((row): [string, object] => {
        if (refusing) return [row.name, { refusal: true }];
        if (!row.choice) return [row.name, { type: "noul", noul: row.p[0] }];
        const probabilities = Object.fromEntries(row.options.map((option, i) => [option, row.p[i]]));
        return [row.name, { type: "choice", choice: row.options[argmax(row.p)], confidence: 1, probabilities }];
      }),
    );
    return JSON.stringify({ model: answeredBy, answers, usage: tokens, ...padding });
  }
  const verbalized = !text.includes('"logprobs":true');
  const choice = verbalized ? verbalizedChoice(rows) : logprobsChoice(rows, misbehaviour);
  const refused = { ...choice, message: { ...choice.message, ...(refusing ? { refusal: "no", content: null } : {}) } };
  return JSON.stringify({
    model: answeredBy,
    choices: [{ index: 0, finish_reason: misbehaviour === "length_stop" ? "length" : "stop", ...refused }],
    usage: { prompt_tokens: usage.input, completion_tokens: usage.output, total_tokens: usage.input + usage.output },
    ...padding,
  });
}

interface Row extends Asked {
  p: number[];
}

function verbalizedChoice(rows: readonly Row[]): {
  message: { role: string; content: string | null };
  logprobs: unknown;
} {
  const percent = (p: number | undefined) => Math.round((p ?? 0) * 100);
  const content = JSON.stringify(
    Object.fromEntries(
      rows.map((row) => [
        row.name,
        row.choice
          ? Object.fromEntries(row.options.map((option, i) => [option, percent(row.p[i])]))
          : percent(row.p[0]),
      ]),
    ),
  );
  return { message: { role: "assistant", content }, logprobs: null };
}

function logprobsChoice(
  rows: readonly Row[],
  misbehaviour: Misbehaviour,
): { message: { role: string; content: string | null }; logprobs: unknown } {
  const token = (text: string, p = 1, others: { text: string; p: number }[] = []) => ({
    token: text,
    logprob: Number.isNaN(p) ? "NaN" : Math.log(p),
    bytes: [...Buffer.from(text)],
    top_logprobs: others.map((other) => ({
      token: other.text,
      logprob: other.p === 0 ? -9999 : Math.log(other.p),
      bytes: [...Buffer.from(other.text)],
    })),
  });
  const repeated = misbehaviour === "duplicate_key" ? [...rows, rows[0]!] : rows;
  const tokens = repeated.flatMap((row, i) => {
    const best = argmax(row.p);
    const alternatives = row.options.map((text, j) => ({ text, p: row.p[j] ?? 0 }));
    return [
      token(i === 0 ? '{"' : '","'),
      token(row.name),
      token('":"'),
      token(row.options[best] ?? "", row.p[best], alternatives),
    ];
  });
  tokens.push(token(rows.length === 0 ? "{}" : '"}'));
  const content = tokens.map((each) => each.token).join("");
  const logprobs = misbehaviour === "no_logprobs" ? null : { content: tokens };
  return { message: { role: "assistant", content }, logprobs };
}

async function deliver(
  response: ServerResponse,
  body: string,
  misbehaviour: Misbehaviour,
  retryAfterSeconds: number,
): Promise<void> {
  const json = { "content-type": "application/json" };
  const error = (status: number, code: string, headers: Record<string, string> = {}) =>
    response
      .writeHead(status, { ...json, ...headers })
      .end(JSON.stringify({ error: { message: code, type: code, param: null, code } }));
  switch (misbehaviour) {
    case "rate_limit":
      return void error(429, "rate_limit_exceeded", { "retry-after": String(retryAfterSeconds) });
    case "rate_limit_no_header":
      return void error(429, "rate_limit_exceeded");
    case "quota":
      return void error(429, "insufficient_quota");
    case "error_500":
      return void error(500, "server_error");
    case "hang":
      return;
    case "reset":
      return void response.destroy();
    case "stall_body":
      return void response.writeHead(200, json).write(body.slice(0, body.length >> 1));
    case "cut_body":
      response
        .writeHead(200, { ...json, "content-length": String(Buffer.byteLength(body)) })
        .write(body.slice(0, body.length >> 1));
      await sleep(5);
      return void response.destroy();
    case "slow_drip":
      response.writeHead(200, json);
      for (const char of body) {
        if (response.destroyed) return;
        response.write(char);
        await sleep(50);
      }
      return void response.end();
    case "bad_json":
      return void response.writeHead(200, json).end(body.slice(0, -3));
    default:
      return void response.writeHead(200, json).end(body);
  }
}

function argmax(values: readonly number[]): number {
  return values.reduce((best, value, i) => (value > (values[best] ?? -1) ? i : best), 0);
}

function sha(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}
