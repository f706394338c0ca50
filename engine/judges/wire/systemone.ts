import { TypeSafeClient } from "@typesafe-ai/sdk";
import { z } from "zod";
import { AssayError } from "../../canon/errors.ts";
import { Count } from "../../schema/common.ts";
import type { JudgeSettings } from "../../schema/judge.ts";
import type { AnswerValue } from "../../schema/request.ts";
import type { Judge, JudgeAnswer } from "../judge.ts";
import { bodyOf } from "./bodies.ts";
import { billed, keyFor, malformed, type WireOptions } from "./client.ts";
import { wholeBodyFetch } from "./http.ts";
import { technicalError } from "./transport.ts";

const Probabilities = z.record(z.string(), z.number());
const Answer = z.union([
  z.looseObject({ noul: z.number() }).transform(({ noul }): AnswerValue => noul),
  z.looseObject({ probabilities: Probabilities }).transform(({ probabilities }): AnswerValue => probabilities),
  z.looseObject({ refusal: z.unknown() }).transform(() => null),
]);
const SystemOneResponse = z.looseObject({
  model: z.string(),
  answers: z.record(z.string(), Answer),
  usage: z.looseObject({ input_tokens: Count, output_tokens: Count }),
});
const Criteria = z.record(z.string(), z.string());
/** What `bodyOf` makes, typed as the SDK takes it; nothing is added, so that what is sent is what was estimated. */
const Questions = z.record(
  z.string(),
  z.discriminatedUnion("type", [
    z.looseObject({ type: z.literal("noul"), criteria: Criteria.exactOptional() }),
    z.looseObject({ type: z.literal("choice"), criteria: Criteria }),
  ]),
);

/** System One decision models: `POST <root>/v1/systemone`. */
export function systemoneJudge(settings: JudgeSettings, options: WireOptions): Judge {
  const client = new TypeSafeClient({
    apiKey: keyFor(settings, "TYPESAFE_API_KEY", options.env),
    // The SDK adds /v1 itself; a base URL that ends in it means the same server.
    baseURL: (settings.base_url ?? "https://api.typesafe.ai").replace(/\/v1\/?$/, ""),
    defaultModel: settings.model,
    logLevel: "off",
    retry: { maxRetries: 0 },
    timeout: options.timeoutMs,
    fetch: wholeBodyFetch(options.pace),
  });
  return {
    settings,
    async ask(request, signal) {
      const questions = Questions.parse(bodyOf(settings, request)["questions"]);
      try {
        const raw: unknown = await client.systemOne(
          { model: settings.model, state: request.state, questions },
          signal === undefined ? {} : { signal },
        );
        return readSystemOne(settings, raw);
      } catch (error) {
        throw technicalError(error, options.timeoutMs);
      }
    },
  };
}

function readSystemOne(settings: JudgeSettings, raw: unknown): JudgeAnswer {
  // The SDK resolves to the raw text where a 200 body is not JSON.
  if (typeof raw === "string") throw new AssayError("malformed_answer", "the response body is not JSON");
  const parsed = SystemOneResponse.safeParse(raw);
  if (!parsed.success) throw malformed(parsed.error.issues);
  const { model, answers, usage } = parsed.data;
  const { input_tokens, output_tokens } = usage;
  return billed(settings, model, { input_tokens, output_tokens }, () => {
    const given = Object.entries(answers).map(([name, answer]): [string, AnswerValue] => {
      if (answer === null) throw new AssayError("refusal", `the judge refused ${name.slice(0, 40)}`);
      return [name, answer];
    });
    return Object.fromEntries(given);
  });
}
