import { readConversation, readJudgments, type Bundle } from "../scan/bundle.ts";
import { DEFAULT_THRESHOLDS } from "../schema/judge.ts";
import type { RenderedStudy } from "../schema/study.ts";
import { TRIVIAL_JUDGES, trivialVerdicts, type TrivialVerdict } from "../validation/index.ts";
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
    if (rendered === null || !holdsWhole(bundle, source, rendered)) continue;
    const saved = await savedVerdicts(bundle, source, rendered);
    const asked = await unsavedVerdicts(bundle, source, rendered);
    for (const row of asked) {
      const own = saved.get(placeOf(row));
      yield rowOf(rendered, bundle.plan.sources[source]!.run_id, own ?? row, own === undefined ? null : scan_id);
    }
  }
}

function holdsWhole({ plan }: Bundle, source: number, { cases, checks }: RenderedStudy): boolean {
  const held = new Set(plan.conversations.filter((row) => row.source === source).map((row) => row.transcript.sha256));
  const defined = new Set(plan.checks.map(({ check_sha256 }) => check_sha256));
  return cases.every((row) => held.has(row.transcript_sha256)) && checks.every((row) => defined.has(row.check_sha256));
}

async function unsavedVerdicts(
  { directory, plan }: Bundle,
  source: number,
  { study, checks }: RenderedStudy,
): Promise<TrivialVerdict[]> {
  const cases = plan.conversations.flatMap((row, index) =>
    row.source === source ? [{ id: row.scenario_id, conversation: readConversation(directory, plan, index) }] : [],
  );
  const wanted = new Set(checks.map(({ check_sha256 }) => check_sha256));
  return await trivialVerdicts(
    study,
    cases,
    plan.checks.filter(({ check_sha256 }) => wanted.has(check_sha256)),
  );
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
