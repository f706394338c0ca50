import { z } from "zod";
import { AssayError } from "../../canon/errors.ts";
import { Count } from "../../schema/common.ts";
import type { JudgeSettings } from "../../schema/judge.ts";
import type { AnswerValue } from "../../schema/request.ts";
import type { Judge, JudgeAnswer } from "../judge.ts";
import { bodyOf } from "./bodies.ts";
import { billed, malformed, openaiPost, type WireOptions } from "./client.ts";

const Answer = z.discriminatedUnion("type", [
  z.looseObject({ type: z.literal("predicate"), name: z.string(), probability: z.number() }),
  z.looseObject({
    type: z.literal("choice"),
    name: z.string(),
    probabilities: z.array(z.looseObject({ value: z.union([z.string(), z.boolean()]), probability: z.number() })),
  }),
  z.looseObject({ type: z.literal("refusal"), name: z.string() }),
]);
const DecisionsResponse = z.looseObject({
  model: z.string(),
  answers: z.array(Answer),
  usage: z.looseObject({ input_tokens: Count, output_tokens: Count }),
});

/** OpenAI Decisions, and servers that speak it: `POST <base>/decisions`. */
export function decisionsJudge(settings: JudgeSettings, options: WireOptions): Judge {
  const post = openaiPost(settings, options);
  return {
    settings,
    ask: async (request, signal) =>
      readDecisions(settings, await post("/decisions", bodyOf(settings, request), signal)),
  };
}

function readDecisions(settings: JudgeSettings, raw: unknown): JudgeAnswer {
  const parsed = DecisionsResponse.safeParse(raw);
  if (!parsed.success) throw malformed(parsed.error.issues);
  const { model, answers, usage } = parsed.data;
  const { input_tokens, output_tokens } = usage;
  return billed(settings, model, { input_tokens, output_tokens }, () => {
    const given = new Map<string, AnswerValue>();
    for (const answer of answers) {
      const { name } = answer;
      if (answer.type === "refusal") throw new AssayError("refusal", `the judge refused ${name.slice(0, 40)}`);
      if (given.has(name)) throw new AssayError("repeated_question", `the answer gives ${name.slice(0, 40)} twice`);
      given.set(name, answer.type === "predicate" ? answer.probability : distribution(name, answer.probabilities));
    }
    return Object.fromEntries(given);
  });
}

/** A typed `true` is not the option "true": only strings were offered. */
function distribution(
  name: string,
  rows: readonly { value: string | boolean; probability: number }[],
): Record<string, number> {
  const entries = rows.map(({ value, probability }): [string, number] => [
    typeof value === "string" ? value : `boolean ${value}`,
    probability,
  ]);
  if (new Set(entries.map(([value]) => value)).size !== entries.length)
    throw new AssayError("wrong_options", `${name.slice(0, 40)} lists an option twice`);
  return Object.fromEntries(entries);
}
