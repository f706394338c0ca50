import { readJudgments, type Bundle } from "../scan/bundle.ts";
import { DEFAULT_THRESHOLDS } from "../schema/judge.ts";
import type { RenderedStudy } from "../schema/study.ts";
import { frozenTrivialVerdicts, TRIVIAL_JUDGES, type TrivialVerdict } from "../validation/index.ts";
import type { Row } from "./schema.ts";

/**
 * What trivial judges say of every labelled judgment of the studies a bundle holds whole: as the bundle itself has it
 * where its judge is one of them, asked in memory otherwise. Of a part of a study nothing is said.
 */
export async function* trivialRows(
  bundle: Bundle,
  scan_id: string,
  studies: readonly (RenderedStudy | null)[],
): AsyncGenerator<Row<"trivial_verdicts">> {
  for (const [source, rendered] of studies.entries()) {
    const asked = rendered === null ? null : await frozenTrivialVerdicts(bundle, source, rendered);
    if (rendered === null || asked === null) continue;
    const saved = await savedVerdicts(bundle, source, rendered);
    for (const row of asked) {
      const own = saved.get(placeOf(row));
      yield rowOf(rendered, bundle.plan.sources[source]!.run_id, own ?? row, own === undefined ? null : scan_id);
    }
  }
}

/** The bundle's own verdicts, by place, if its judge is a trivial one under the default thresholds. */
async function savedVerdicts(
  { directory, plan }: Bundle,
  source: number,
  { study }: RenderedStudy,
): Promise<Map<string, TrivialVerdict>> {
  const { name, context, thresholds } = plan.judge;
  const saved = new Map<string, TrivialVerdict>();
  const trivial = TRIVIAL_JUDGES.find((row) => row.judge === name && row.context === context);
  if (trivial === undefined) return saved;
  if (thresholds.low !== DEFAULT_THRESHOLDS.low || thresholds.high !== DEFAULT_THRESHOLDS.high) return saved;
  const expected = new Map(study.cases.map(({ id, expectations }) => [id, expectations]));
  for await (const { conversation, scenario_id: case_id, check_id, verdict, asked } of readJudgments(directory)) {
    if (plan.conversations[conversation]?.source !== source || verdict === null) continue;
    const label = expected.get(case_id)?.find(({ check }) => check === check_id);
    if (label === undefined) continue;
    const row = { ...trivial, case_id, check_id, expected: label.expected, observed: verdict, asked };
    saved.set(placeOf(row), row);
  }
  return saved;
}

function placeOf({ judge, context, case_id, check_id }: TrivialVerdict): string {
  return JSON.stringify([judge, context, case_id, check_id]);
}

function rowOf(
  { study, study_sha256 }: RenderedStudy,
  run_id: string,
  { judge, context, case_id, check_id, expected, observed, asked }: TrivialVerdict,
  scan_id: string | null,
): Row<"trivial_verdicts"> {
  return {
    run_id,
    study_id: study.id,
    study_sha256,
    judge,
    context,
    position: TRIVIAL_JUDGES.findIndex((row) => row.judge === judge && row.context === context),
    case_id,
    check_id,
    expected,
    observed,
    asked,
    correct: observed === expected,
    counted: expected !== "UNCLEAR",
    scan_id,
  };
}
