import { canonicalJson } from "../canon/json.ts";
import type { JudgeSettings } from "../schema/judge.ts";
import type { JudgeRequest } from "../schema/request.ts";
import { adapters } from "./list.ts";
import { bodyOf } from "./wire/bodies.ts";

export interface TokenBound {
  input_tokens: number;
  output_tokens: number;
}

/** Stated in the plan beside the estimate. */
export interface Bounds {
  method: string;
  of(request: JudgeRequest): TokenBound;
}

/** What a provider wraps around a request: chat template, schema, framing of questions. */
const WRAPPING = 200;
/** A decision model writes one short record per question. */
const OUTPUT_PER_QUESTION = 64;
/** Said of the cost, not of the tokens; the ledger keeps it. */
const HELD = "; the cost of the largest request once more, held back";
/** A tokenizer's merges are quadratic in runs without a space; beyond this the byte bound is used. */
const LONGEST_RUN = 5000;

/**
 * The most tokens a request can take, by judge: what is estimated when planning and reserved before sending.
 * A byte-level tokenizer never makes more tokens than there are bytes. For OpenAI's own models the tokenizer is
 * known, so its count with a margin of 15 % takes the place of the bytes.
 */
export async function boundsFor(settings: JudgeSettings): Promise<Bounds> {
  if (adapters[settings.adapter].kind === "embedded")
    return {
      method: "embedded judge, nothing is billed: one input token per UTF-8 byte of each distinct request",
      of: (request) => ({ input_tokens: Buffer.byteLength(canonicalJson(request)), output_tokens: 0 }),
    };
  const output = (request: JudgeRequest): number =>
    settings.adapter === "chat" ? settings.max_output_tokens : OUTPUT_PER_QUESTION * request.questions.length;
  const outputText =
    settings.adapter === "chat"
      ? `${settings.max_output_tokens} output tokens a request`
      : `${OUTPUT_PER_QUESTION} output tokens a question`;
  const count = settings.base_url?.startsWith("https://api.openai.com/") ? await openaiCounter() : undefined;
  return {
    method:
      count === undefined
        ? `upper bound: one input token per UTF-8 byte of the body sent, plus ${WRAPPING} a request; ${outputText}${HELD}`
        : `upper bound: o200k_base tokens of the body sent x 1.15, plus ${WRAPPING} a request; ${outputText}${HELD}`,
    of(request) {
      const body = JSON.stringify(bodyOf(settings, request));
      const input = count === undefined || hasLongRun(body) ? Buffer.byteLength(body) : Math.ceil(count(body) * 1.15);
      return { input_tokens: input + WRAPPING, output_tokens: output(request) };
    },
  };
}

async function openaiCounter(): Promise<(text: string) => number> {
  const { countTokens } = await import("gpt-tokenizer/encoding/o200k_base");
  return (text) => countTokens(text, { disallowedSpecial: new Set() });
}

function hasLongRun(text: string): boolean {
  let run = 0;
  for (let i = 0; i < text.length; i++) {
    run = text[i] === " " ? 0 : run + 1;
    if (run > LONGEST_RUN) return true;
  }
  return false;
}
