import { z } from "zod";
import { AssayError } from "../../canon/errors.ts";
import { Count } from "../../schema/common.ts";
import type { JudgeSettings } from "../../schema/judge.ts";
import type { AnswerValue, JudgeRequest, RequestQuestion } from "../../schema/request.ts";
import type { Judge, JudgeAnswer } from "../judge.ts";
import { bodyOf, labelsOf, MAX_OPTIONS, optionsOf } from "../wire/bodies.ts";
import { billed, malformed, openaiPost, type WireOptions } from "../wire/client.ts";
import { answerObject, readValues, TokenLogprob } from "./logprobs.ts";

const ChatResponse = z.looseObject({
  model: z.string(),
  choices: z
    .array(
      z.looseObject({
        finish_reason: z.string().nullable(),
        message: z.looseObject({ content: z.string().nullable(), refusal: z.string().nullish() }),
        logprobs: z.looseObject({ content: z.array(TokenLogprob).nullish() }).nullish(),
      }),
    )
    .min(1),
  usage: z.looseObject({ prompt_tokens: Count, completion_tokens: Count }),
});
type Choice = z.infer<typeof ChatResponse>["choices"][number];

/**
 * Any chat-completions server. Method `logprobs`: a strict JSON schema of one-token values, the probability read
 * from the tokens (`logprobs.ts`). Method `verbalized`: whole numbers from 0 to 100 that the model states itself.
 */
export function chatJudge(settings: JudgeSettings, options: WireOptions): Judge {
  const post = openaiPost(settings, options);
  return {
    settings,
    async ask(request, signal) {
      request.questions.forEach(assertReadable);
      return readChat(settings, request, await post("/chat/completions", bodyOf(settings, request), signal));
    },
  };
}

function assertReadable(question: RequestQuestion): void {
  const options = optionsOf(question).length;
  if (question.type === "choice" && options > MAX_OPTIONS)
    throw new AssayError(
      "too_many_options",
      `${question.name} has ${options} options; chat judges read ${MAX_OPTIONS}`,
      {
        unbilled: true,
      },
    );
}

function readChat(settings: JudgeSettings, request: JudgeRequest, raw: unknown): JudgeAnswer {
  const parsed = ChatResponse.safeParse(raw);
  if (!parsed.success) throw malformed(parsed.error.issues);
  const { model, choices, usage } = parsed.data;
  const { prompt_tokens: input_tokens, completion_tokens: output_tokens } = usage;
  return billed(settings, model, { input_tokens, output_tokens }, () =>
    readChoice(request, choices[0]!, settings.method === "verbalized"),
  );
}

function readChoice(
  request: JudgeRequest,
  { message, finish_reason, logprobs }: Choice,
  verbalized: boolean,
): Record<string, AnswerValue> {
  if (message.refusal) throw new AssayError("refusal", "the judge refused");
  if (finish_reason !== "stop")
    throw new AssayError("cut_answer", `the answer ended by ${String(finish_reason)}, not stop`);
  if (message.content === null) throw new AssayError("malformed_answer", "the answer is empty");
  return verbalized ? readPercents(message.content) : readTokens(request, message.content, logprobs?.content ?? []);
}

function readTokens(
  { questions }: JudgeRequest,
  content: string,
  tokens: readonly TokenLogprob[],
): Record<string, AnswerValue> {
  if (tokens.length === 0)
    throw new AssayError("no_logprobs", "the server sent no token logprobs", { fix: "plan with --method verbalized" });
  const readings = readValues(
    content,
    tokens,
    Object.fromEntries(questions.map((question) => [question.name, labelsOf(question)])),
  );
  return Object.fromEntries(
    questions.map((question): [string, AnswerValue] => {
      const p = readings[question.name]?.p ?? [];
      if (question.type === "noul") return [question.name, p[0] ?? NaN];
      return [question.name, Object.fromEntries(optionsOf(question).map((option, i) => [option, p[i] ?? NaN]))];
    }),
  );
}

const Percent = z
  .number()
  .int()
  .min(0)
  .max(100)
  .transform((percent) => percent / 100);
const Percents = z.record(z.string(), z.union([Percent, z.record(z.string(), Percent)]));

function readPercents(content: string): Record<string, AnswerValue> {
  answerObject(content);
  const parsed = Percents.safeParse(JSON.parse(content));
  if (!parsed.success) throw malformed(parsed.error.issues);
  return parsed.data;
}
