import { canonicalOnce } from "../../canon/json.ts";
import type { JudgeSettings } from "../../schema/judge.ts";
import type { JudgeRequest, RequestQuestion } from "../../schema/request.ts";
import { boundText, foldQuestion, SYSTEM_PROMPT } from "./prompt.ts";

type Json = string | number | boolean | null | Json[] | { [key: string]: Json };
export type Body = Record<string, Json>;

/** One token each in every vocabulary met, with no common prefix: what a chat model writes for the options of a choice. */
const LABELS = [..."ABCDEFGHIJKLMNOPQRST"];
/** An option outside the alternatives a server lists cannot be read. */
export const MAX_OPTIONS = LABELS.length;
const TOP_LOGPROBS = 20;

const made = new WeakMap<JudgeRequest, { settings: JudgeSettings; body: Body }>();

/** Exactly what is sent, per adapter and method; what estimates and reservations measure. Not to be modified. */
export function bodyOf(settings: JudgeSettings, request: JudgeRequest): Body {
  const known = made.get(request);
  if (known?.settings === settings) return known.body;
  const body = newBody(settings, request);
  made.set(request, { settings, body });
  return body;
}

function newBody(settings: JudgeSettings, request: JudgeRequest): Body {
  if (settings.adapter === "decisions") return decisionsBody(settings, request);
  if (settings.adapter === "systemone") return systemoneBody(settings, request);
  return settings.method === "verbalized" ? verbalizedBody(settings, request) : logprobsBody(settings, request);
}

function decisionsBody({ model }: JudgeSettings, { state, questions }: JudgeRequest): Body {
  return {
    model,
    input: canonicalOnce(state),
    questions: questions.map((question): Json => {
      const { name } = question;
      const instructions = foldQuestion(question);
      if (question.type === "noul") return { type: "predicate", name, instructions };
      const choices = Object.entries(question.criteria ?? {}).map(([value, description]) => ({ value, description }));
      return { type: "choice", name, instructions, choices };
    }),
  };
}

/** This wire takes structured instructions and criteria, so nothing is folded into text. */
function systemoneBody({ model }: JudgeSettings, { state, questions }: JudgeRequest): Body {
  return {
    model,
    state,
    questions: Object.fromEntries(questions.map((question) => [question.name, systemoneQuestion(question)])),
  };
}

function systemoneQuestion(question: RequestQuestion): Json {
  const { instructions: given, criteria, type } = question;
  const instructions =
    typeof given === "string"
      ? boundText(given, question)
      : {
          question: boundText(given.question, question),
          ...(given.count_as_yes === undefined ? {} : { count_as_yes: given.count_as_yes }),
          ...(given.count_as_no === undefined ? {} : { count_as_no: given.count_as_no }),
        };
  if (type === "choice") return { type, instructions, criteria: criteria ?? {} };
  return { type, instructions, ...(criteria === undefined ? {} : { criteria }) };
}

function logprobsBody(settings: JudgeSettings, request: JudgeRequest): Body {
  const values = request.questions.map((question): [string, Json] => [
    question.name,
    { type: "string", enum: labelsOf(question) },
  ]);
  const asked = request.questions.map((question) => {
    const options = Object.entries(question.criteria ?? {}).map(
      ([option, text], i) => `${LABELS[i]} = ${option}: ${text}`,
    );
    const how = question.type === "noul" ? ["Value: yes or no."] : ["Value: one letter.", ...options];
    return [`${question.name}: ${foldQuestion(question)}`, ...how].join("\n");
  });
  return {
    ...chatBody(settings, request, "Answer each question with one value, as JSON.", asked),
    logprobs: true,
    top_logprobs: TOP_LOGPROBS,
    response_format: schemaFormat(Object.fromEntries(values)),
  };
}

function verbalizedBody(settings: JudgeSettings, request: JudgeRequest): Body {
  const percent = { type: "integer", minimum: 0, maximum: 100 };
  const values = request.questions.map((question): [string, Json] => [
    question.name,
    question.type === "noul"
      ? percent
      : objectSchema(Object.fromEntries(optionsOf(question).map((option) => [option, percent]))),
  ]);
  const asked = request.questions.map((question) => {
    const options = Object.entries(question.criteria ?? {}).map(([option, text]) => `- ${option}: ${text}`);
    const how =
      question.type === "noul"
        ? ["Value: the probability of yes, a whole number from 0 to 100."]
        : ["Value: for each option its probability, whole numbers that sum to 100.", ...options];
    return [`${question.name}: ${foldQuestion(question)}`, ...how].join("\n");
  });
  return {
    ...chatBody(settings, request, "State the probabilities, as JSON.", asked),
    response_format: schemaFormat(Object.fromEntries(values)),
  };
}

function chatBody(settings: JudgeSettings, request: JudgeRequest, task: string, asked: readonly string[]): Body {
  return {
    model: settings.model,
    messages: [
      { role: "system", content: SYSTEM_PROMPT },
      { role: "user", content: `Evidence:\n${canonicalOnce(request.state)}\n\n${[task, ...asked].join("\n\n")}` },
    ],
    n: 1,
    // OpenAI wants the newer name; other servers know only the older one.
    [settings.base_url?.includes("//api.openai.com/") ? "max_completion_tokens" : "max_tokens"]:
      settings.max_output_tokens,
    ...(settings.temperature === null ? {} : { temperature: settings.temperature }),
    ...(settings.seed === null ? {} : { seed: settings.seed }),
  };
}

function objectSchema(properties: Record<string, Json>): { [key: string]: Json } {
  return { type: "object", properties, required: Object.keys(properties), additionalProperties: false };
}

function schemaFormat(properties: Record<string, Json>): Json {
  return { type: "json_schema", json_schema: { name: "answers", strict: true, schema: objectSchema(properties) } };
}

/** The options of a choice in their frozen order. */
export function optionsOf(question: RequestQuestion): string[] {
  return Object.keys(question.criteria ?? {});
}

export function labelsOf(question: RequestQuestion): string[] {
  return question.type === "noul" ? ["yes", "no"] : LABELS.slice(0, optionsOf(question).length);
}
