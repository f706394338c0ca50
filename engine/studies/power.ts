import type { LoadedCheck } from "../schema/check.ts";
import { powerOf, trivialVerdicts, type Power } from "../validation/power.ts";
import type { StudyFinding } from "./lint.ts";
import type { Rendering } from "./render.ts";

/** What trivial judges reach on a rendered study, under the given definitions. */
export async function studyPower({ rendered, cases }: Rendering, checks: readonly LoadedCheck[]): Promise<Power> {
  const { study } = rendered;
  const defined = study.checks.flatMap((id) => checks.filter(({ check }) => check.id === id));
  const conversations = cases.map(({ id, turns }) => ({
    id,
    conversation: { turns, memory: { persistent_memory: false, evidence: [] } },
  }));
  return powerOf(study, await trivialVerdicts(study, conversations, defined));
}

/** A study whose every pair some trivial judge gets right tests nothing that such a judge lacks. */
export function powerFindings({ discriminating: { numerator, denominator } }: Power): StudyFinding[] {
  if (numerator > 0) return [];
  return [
    {
      level: "warning",
      rule: "no_discriminating_pair",
      about: "pairs",
      path: ["pairs"],
      message:
        denominator === 0
          ? "no pair counts, so none can tell judges apart"
          : `a trivial judge gets both cases right of each of the ${denominator} pairs that count`,
      fix: "add a pair that a constant, word overlap and the last exchange alone do not decide; see bench study show",
    },
  ];
}
