import type { JudgeSettings } from "../schema/judge.ts";
import type { AnswerValue, RequestQuestion } from "../schema/request.ts";
import type { Judge } from "./judge.ts";

export const CONSTANTS = ["yes", "no", "half"] as const;

/**
 * What agreement costs nothing: `yes` answers 1, `no` answers 0, `half` answers 0.5. A choice takes its first
 * option for `yes`, its last for `no` (in code-unit order, the only order a frozen check keeps), and spreads
 * evenly for `half`.
 */
export function constantJudge(settings: JudgeSettings): Judge {
  return {
    settings,
    ask: ({ questions }) => ({
      model: settings.model,
      answers: Object.fromEntries(
        questions.map((question) => [question.name, constantAnswer(settings.model, question)]),
      ),
      input_tokens: 0,
      output_tokens: 0,
      cost_usd: 0,
    }),
  };
}

function constantAnswer(model: string, { type, criteria }: RequestQuestion): AnswerValue {
  if (type === "noul") return model === "yes" ? 1 : model === "no" ? 0 : 0.5;
  const options = Object.keys(criteria ?? {}).sort();
  const chosen = model === "yes" ? 0 : model === "no" ? options.length - 1 : -1;
  return Object.fromEntries(
    options.map((option, i) => [option, chosen === -1 ? 1 / options.length : Number(i === chosen)]),
  );
}
