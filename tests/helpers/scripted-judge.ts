import { writeFileSync, mkdirSync } from "node:fs";
import { dirname, join } from "node:path";
import type { Judge } from "../../engine/judges/judge.ts";
import type { Bundle } from "../../engine/scan/bundle.ts";
import type { AnswerValue, JudgeRequest, RequestQuestion } from "../../engine/schema/request.ts";

/** A judge whose every answer a test decides, from the question and the evidence it is shown. */
export function scriptedJudge(
  { plan }: Bundle,
  answer: (question: RequestQuestion, state: JudgeRequest["state"], call: number) => AnswerValue,
): Judge {
  const { judge: settings } = plan;
  let call = 0;
  return {
    settings,
    ask({ state, questions }) {
      const at = call++;
      const answers = Object.fromEntries(questions.map((row) => [row.name, answer(row, state, at)]));
      return { model: settings.model, answers, input_tokens: 1, output_tokens: 1, cost_usd: 0 };
    },
  };
}

/** Check definitions as YAML (JSON is YAML), laid out as a checks directory. */
export function checksOf(directory: string, checks: Record<string, object>): string {
  for (const [id, check] of Object.entries(checks)) {
    const file = join(directory, "made", id.split(".")[0] ?? "", `${id}.yaml`);
    mkdirSync(dirname(file), { recursive: true });
    const head = { id, name: "made", severity: "S3", summary: "Made.", basis: "made", pass_meaning: "Nothing more." };
    writeFileSync(file, `${JSON.stringify({ ...head, ...check })}\n`);
  }
  return directory;
}
