import { canonicalJson } from "../canon/json.ts";
import { questionDigest } from "../judges/digest.ts";
import type { Check, Clause, Cue, Question } from "../schema/check.ts";
import type { PlannedCheck } from "../schema/plan.ts";
import type { Row } from "./schema.ts";

export function checkRow({ check, check_sha256, layer, dimension }: PlannedCheck): Row<"checks"> {
  return {
    check_sha256,
    check_id: check.id,
    layer,
    dimension,
    name: check.name,
    severity: check.severity,
    summary: check.summary,
    basis: check.basis,
    pass_meaning: check.pass_meaning,
    rule: check.rule,
    reply_window: check.window,
    cue_role: check.cue?.role ?? null,
    cue_min: check.cue?.min ?? null,
    requires_assistant_turns: check.requires_assistant_turns,
    applies_if: check.applies_if.map(clauseInWords),
    fail_if: check.fail_if.map(clauseInWords),
    pass_if_any: check.pass_if_any.map(clauseInWords),
    episode: check.episode === undefined ? null : canonicalJson(check.episode),
    questions: Object.keys(check.questions).length + (check.cue === undefined ? 0 : 1),
    source_grounding: check.source_grounding,
    definition: canonicalJson(check),
  };
}

/** Its questions by name, the cue among them. */
export function questionRows({ check, check_sha256 }: PlannedCheck): Row<"questions">[] {
  const asked: [name: string, question: Question | Cue][] = Object.entries(check.questions);
  if (check.cue !== undefined) asked.push(["cue", check.cue]);
  return asked.map(([name, question]) => questionRow(check, check_sha256, name, question));
}

function questionRow(check: Check, check_sha256: string, name: string, question: Question | Cue): Row<"questions"> {
  const { type, unit, binds, memory }: Partial<Question> = "type" in question ? question : {};
  const { instructions, criteria } = question;
  const detailed = typeof instructions === "string" ? { question: instructions } : instructions;
  return {
    check_sha256,
    check_id: check.id,
    question: name,
    question_sha256: questionDigest({
      type: type ?? "noul",
      instructions,
      ...(criteria === undefined ? {} : { criteria }),
    }),
    is_cue: question === check.cue,
    type: type ?? "noul",
    unit: unit ?? "turn",
    binds: check.rule === "episode" ? (binds ?? "reference") : null,
    memory: memory ?? null,
    inputs: question.inputs ?? null,
    instructions: detailed.question,
    count_as_yes: detailed.count_as_yes ?? [],
    count_as_no: detailed.count_as_no ?? [],
    criteria: Object.entries(criteria ?? {})
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([option, description]) => ({ option, description })),
  };
}

function clauseInWords({ question, is, option, within_first, memory }: Clause): string {
  return [
    option === undefined ? `${question} is ${is ? "yes" : "no"}` : `${question} is ${is ? "" : "not "}${option}`,
    within_first === undefined
      ? ""
      : ` within the first ${within_first === 1 ? "sentence" : `${within_first} sentences`}`,
    memory === undefined ? "" : `, where memory is ${memory}`,
  ].join("");
}
