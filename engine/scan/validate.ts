import { AssayError } from "../canon/errors.ts";
import type { JudgeAnswer } from "../judges/judge.ts";
import type { JudgeSettings } from "../schema/judge.ts";
import type { AnswerValue, JudgeRequest, RequestQuestion } from "../schema/request.ts";

/** Sums of probabilities may miss the bounds by rounding of the last bits. */
const SLACK = 1e-12;

/** The model an answer has to come from; saved answers come from whichever gave them then. */
export function pinOf({ adapter, model }: Pick<JudgeSettings, "adapter" | "model">): string | undefined {
  return adapter === "replay" ? undefined : model;
}

/**
 * Whether an answer is one to this request: every question and no other, a probability per yes/no question, one
 * per option of a choice, and the pinned model. Throws the technical error it is otherwise: `wrong_model`,
 * `missing_answer`, `extra_answer`, `bad_probability`, `wrong_options`, `bad_total`.
 */
export function validateAnswer(
  { questions }: JudgeRequest,
  { model, answers }: Pick<JudgeAnswer, "model" | "answers">,
  pinned: string | undefined,
): void {
  if (pinned !== undefined && model !== pinned)
    throw new AssayError("wrong_model", `${JSON.stringify(model)} answered, the plan pins ${JSON.stringify(pinned)}`);
  const extra = Object.keys(answers).find((name) => !questions.some((question) => question.name === name));
  if (extra !== undefined)
    throw new AssayError("extra_answer", `answers ${JSON.stringify(extra)}, which was not asked`);
  for (const question of questions) {
    if (!Object.hasOwn(answers, question.name))
      throw new AssayError("missing_answer", `does not answer ${question.name}`);
    validateValue(question, answers[question.name]!);
  }
}

function validateValue({ name, type, criteria }: RequestQuestion, value: AnswerValue): void {
  if (type === "noul") {
    if (typeof value !== "number" || !isProbability(value))
      throw new AssayError("bad_probability", `${name} is not a probability`);
    return;
  }
  if (typeof value !== "object" || value === null)
    throw new AssayError("wrong_options", `${name} is a choice and needs a probability per option`);
  const options = Object.keys(criteria ?? {});
  const given = Object.keys(value);
  if (given.length !== options.length || !options.every((option) => Object.hasOwn(value, option)))
    throw new AssayError(
      "wrong_options",
      `${name} has options ${options.join(", ")}, the answer has ${given.join(", ")}`,
    );
  let total = 0;
  for (const option of options) {
    const p = value[option];
    if (!isProbability(p)) throw new AssayError("bad_probability", `${name}: ${option} is not a probability`);
    total += p;
  }
  if (total < 0.99 - SLACK || total > 1.01 + SLACK)
    throw new AssayError("bad_total", `the probabilities of ${name} sum to ${total}`, { total });
}

function isProbability(value: unknown): value is number {
  return typeof value === "number" && value >= 0 && value <= 1;
}
