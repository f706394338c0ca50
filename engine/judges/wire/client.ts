import OpenAI from "openai";
import { AssayError } from "../../canon/errors.ts";
import { costNano, fromNano } from "../../canon/money.ts";
import type { JudgeSettings } from "../../schema/judge.ts";
import type { AnswerValue } from "../../schema/request.ts";
import type { JudgeAnswer } from "../judge.ts";
import { wholeBodyFetch } from "./http.ts";
import type { Pace } from "./pace.ts";
import { technicalError } from "./transport.ts";

export interface WireOptions {
  /** Whole-call limit in ms, body included. */
  timeoutMs: number;
  env: Readonly<Record<string, string | undefined>>;
  pace: Pace;
}

/** A key from the environment; a loopback server needs none. The key itself never appears in an error. */
export function keyFor(settings: JudgeSettings, variable: string, env: WireOptions["env"]): string {
  const key = env[variable]?.trim();
  if (key) return key;
  if (isLoopback(settings.base_url)) return "none";
  throw new AssayError("no_key", `${settings.name} needs a key`, { fix: `set ${variable} in the environment` });
}

function isLoopback(url: string | undefined): boolean {
  if (url === undefined || !URL.canParse(url)) return false;
  return ["localhost", "127.0.0.1", "[::1]"].includes(new URL(url).hostname);
}

/** Every option the client would read from its environment is set here, and its own retries are off. */
export function openaiPost(settings: JudgeSettings, { timeoutMs, env, pace }: WireOptions) {
  const client = new OpenAI({
    apiKey: keyFor(settings, "OPENAI_API_KEY", env),
    baseURL: settings.base_url ?? "https://api.openai.com/v1",
    organization: null,
    project: null,
    logLevel: "off",
    maxRetries: 0,
    timeout: timeoutMs,
    fetch: wholeBodyFetch(pace),
  });
  return async (path: string, body: object, signal?: AbortSignal): Promise<unknown> => {
    try {
      return await client.post<unknown>(path, { body, ...(signal === undefined ? {} : { signal }) });
    } catch (error) {
      throw technicalError(error, timeoutMs);
    }
  };
}

/** A response that is not of the wire's form: one technical error, with the first field that is wrong. */
export function malformed(issues: readonly { path: PropertyKey[]; message: string }[]): AssayError {
  const [first] = issues;
  const field = first?.path.map(String).join(".") || "body";
  return new AssayError(
    "malformed_answer",
    `the response is not of the wire's form (${field}: ${first?.message ?? "?"})`,
  );
}

export interface Usage {
  input_tokens: number;
  output_tokens: number;
}

/**
 * Read a billed response. What `read` throws carries the bill, so that a refusal or a broken answer is charged as
 * billed and not by its bound.
 */
export function billed(
  settings: JudgeSettings,
  model: string,
  usage: Usage,
  read: () => Record<string, AnswerValue>,
): JudgeAnswer {
  const { price } = settings;
  if (price === null)
    throw new AssayError("no_price", `the price of ${settings.name} is unknown`, {
      fix: "plan with --price-input and --price-output",
    });
  const cost_usd = fromNano(costNano(price, usage.input_tokens, usage.output_tokens));
  try {
    return { model, answers: read(), ...usage, cost_usd };
  } catch (error) {
    if (!(error instanceof AssayError)) throw error;
    throw new AssayError(error.code, error.message, { ...error.details, billed_usd: cost_usd });
  }
}
