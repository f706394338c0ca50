import { AssayError } from "../canon/errors.ts";
import type { Expectation } from "../schema/expectation.ts";
import type { JudgeSettings } from "../schema/judge.ts";
import { CLAIM_TEXT } from "../schema/verdict.ts";
import {
  applicableExpectations,
  bindExpectations,
  boundaryPlaces,
  countAgreement,
  frozenExpectations,
  requireBound,
} from "../validation/index.ts";
import { compareAnswers } from "./answer-changes.ts";
import type { CheckComparison, Comparison, Coverage, Sided } from "./comparison.ts";
import { applyGates, type Gate } from "./gates.ts";
import { matchConversations, type Match } from "./match.ts";
import { pairedCorrectness, pairRows, type PairedCorrectness, type PairedRow } from "./paired.ts";
import { changedOf, readSide, type ReadSide } from "./scan-side.ts";
import type { ScanView } from "./scan-view.ts";
import { SharedJudgments, type Flip } from "./shared-judgments.ts";
import { studyResults } from "./study-results.ts";

/**
 * Compare two finished, verified scans. Labels: the explicit ones, else what both scans froze. Throws
 * `no_shared_conversation`, `transcript_differs`, `rejected_expectations`, `conflicting_expectations`,
 * `unbound_expectation`, `gate_without_labels`. Memory: two numbers a judgment of the old scan, a row a label, and a row
 * a judgment that changed or was not judged.
 */
export async function compareScans(
  old: ScanView,
  next: ScanView,
  options: { expectations?: readonly Expectation[] | undefined; gates?: readonly Gate[] } = {},
): Promise<Comparison> {
  const same_scan = old.plan_sha256 === next.plan_sha256;
  const match = matchConversations(old.plan, next.plan);
  const labels = applicableExpectations(
    options.expectations,
    options.expectations === undefined ? acceptedOrRefuse(old) : [],
    options.expectations === undefined ? acceptedOrRefuse(next) : [],
  );
  const bindings = {
    old: bindExpectations(labels.expectations, old.plan),
    new: bindExpectations(labels.expectations, next.plan),
  };
  requireBound(bindings.old, bindings.new);

  const before = await readSide(old, countAgreement(bindings.old));
  const judgments = await old.openJudgments();
  const shared = new SharedJudgments(old, next, match, judgments);
  let after: ReadSide;
  try {
    after = await readSide(next, countAgreement(bindings.new), (judgment) => shared.add(judgment));
  } finally {
    judgments.close();
  }

  const agreement = { old: before.agreement, new: after.agreement };
  const pairs = same_scan ? null : pairedLabels(old, next, match, agreement);
  const changed_checks = changedChecks(old, next, shared);
  const coverage = coverageOf(before, after, match, shared);
  const judge_settings_changed = changedSettings(old.plan.judge, next.plan.judge);
  const same_transcripts = match.old_only.length === 0 && match.new_only.length === 0;
  const same_evidence_context = match.other_context.length === 0;
  const checks = checkIds(old, next);
  const sameCases =
    same_transcripts &&
    same_evidence_context &&
    [changed_checks, checks.old_only, checks.new_only].every(({ length }) => length === 0);
  const data: Comparison = {
    accuracy_claim: false,
    claim: next.plan.claim,
    claim_text: CLAIM_TEXT[next.plan.claim],
    same_scan,
    same_transcripts,
    same_evidence_context,
    other_evidence_context: match.other_context,
    judge_settings_changed,
    sensitivity_to: sameCases ? onlySetting(judge_settings_changed) : null,
    conversations: { shared: match.shared, old_only: match.old_only.length, new_only: match.new_only.length },
    judgments: {
      shared: shared.count,
      old_only: before.side.judgments - shared.count,
      new_only: after.side.judgments - shared.count,
    },
    ...shared.all,
    shared_not_judged: {
      old: shared.not_judged.filter(({ judged_in }) => judged_in !== "old").length,
      new: shared.not_judged.filter(({ judged_in }) => judged_in !== "new").length,
      either: shared.not_judged.length,
    },
    coverage,
    checks,
    changed_checks,
    answer_changes: same_scan ? null : await compareAnswers(answersOf(old), answersOf(next)),
    noise: { old: before.noise, new: after.noise },
    flips: withRepeats(shared.flips, before, after),
    by_check: byCheck(old, next, { old: before, new: after }, shared, pairs),
    by_boundary: byBoundary(old, next, shared, pairs),
    expectations: { source: labels.source, count: labels.expectations.length },
    expectation_agreement: agreement,
    paired_correctness: pairs === null || labels.source === "none" ? null : pairedCorrectness(pairs),
    studies: { old: studyResults(old, agreement.old), new: studyResults(next, agreement.new) },
    old: before.side,
    new: after.side,
    gates: [],
  };
  return { ...data, gates: applyGates(options.gates ?? [], data) };
}

function answersOf({ plan, answers }: ScanView) {
  return { judge: plan.judge, answers };
}

function acceptedOrRefuse(scan: ScanView): Expectation[] {
  const { accepted, rejected } = frozenExpectations(scan.attachments);
  const first = rejected[0];
  if (first !== undefined)
    throw new AssayError(
      "rejected_expectations",
      `the expectations frozen with ${first.run_id} are rejected: ${first.reason}`,
      {
        file: first.path,
        fix: "name valid labels with --expectations <file.jsonl>",
        rejected,
      },
    );
  return accepted;
}

/** A label binds by digests, so two rows of one name are one label where definition and context are the same. */
function pairedLabels(
  old: ScanView,
  next: ScanView,
  match: Match,
  agreement: Pick<Comparison["expectation_agreement"], "old" | "new">,
): PairedRow[] {
  const before = new Map(old.plan.checks.map((check) => [check.id, check.check_sha256]));
  const after = new Map(next.plan.checks.map((check) => [check.id, check.check_sha256]));
  return pairRows(
    agreement.old,
    agreement.new,
    (was, row) =>
      match.oldIndex[row.conversation] === was.conversation &&
      before.get(row.check_id) === after.get(row.check_id) &&
      old.plan.conversations[was.conversation]!.evidence_context_sha256 ===
        next.plan.conversations[row.conversation]!.evidence_context_sha256,
    (row) => next.plan.conversations[row.conversation]!.source,
  );
}

function checkIds(old: ScanView, next: ScanView): Comparison["checks"] {
  const before = new Set(old.plan.checks.map(({ id }) => id));
  const after = new Set(next.plan.checks.map(({ id }) => id));
  return {
    shared: [...after].filter((id) => before.has(id)).length,
    old_only: [...before].filter((id) => !after.has(id)),
    new_only: [...after].filter((id) => !before.has(id)),
  };
}

function changedChecks(old: ScanView, next: ScanView, shared: SharedJudgments): Comparison["changed_checks"] {
  const before = new Map(old.plan.checks.map((check) => [check.id, check.check_sha256]));
  return next.plan.checks.flatMap(({ id, check_sha256: new_sha256 }) => {
    const old_sha256 = before.get(id);
    if (old_sha256 === undefined || old_sha256 === new_sha256) return [];
    return [{ check_id: id, old_sha256, new_sha256, transitions: shared.ofCheck(id).transitions }];
  });
}

function coverageOf(before: ReadSide, after: ReadSide, match: Match, shared: SharedJudgments): Coverage {
  const judged = { old: before.side.coverage.numerator, new: after.side.coverage.numerator };
  const both = shared.count - shared.not_judged.length;
  const either = judged.old + judged.new - both;
  return {
    judged_in_both: both,
    judged_in_old_only: judged.old - both,
    judged_in_new_only: judged.new - both,
    judged_in_neither: before.side.judgments + after.side.judgments - shared.count - either,
    conversations: { old_only: match.old_only, new_only: match.new_only },
    not_judged: shared.not_judged,
  };
}

function byCheck(
  old: ScanView,
  next: ScanView,
  sides: Sided<ReadSide>,
  shared: SharedJudgments,
  pairs: readonly PairedRow[] | null,
): CheckComparison[] {
  const before = new Map(old.plan.checks.map((check) => [check.id, check.check_sha256]));
  const after = new Map(next.plan.checks.map((check) => [check.id, check.check_sha256]));
  const noiseOf = ({ repeats }: ReadSide, id: string) => {
    const counts = repeats?.checks.find(({ about }) => about === id);
    return counts === undefined ? null : changedOf(counts);
  };
  return [...new Set([...after.keys(), ...before.keys()])].map((check_id) => ({
    check_id,
    same_definition: before.has(check_id) && after.has(check_id) ? before.get(check_id) === after.get(check_id) : null,
    rates: { old: sides.old.checks.get(check_id) ?? null, new: sides.new.checks.get(check_id) ?? null },
    ...shared.ofCheck(check_id),
    noise: { old: noiseOf(sides.old, check_id), new: noiseOf(sides.new, check_id) },
    paired_correctness: paired(pairs?.filter((row) => row.check_id === check_id)),
  }));
}

function byBoundary(
  old: ScanView,
  next: ScanView,
  shared: SharedJudgments,
  pairs: readonly PairedRow[] | null,
): Comparison["by_boundary"] {
  const studies = new Set(old.sources.map(({ study }) => study?.study.id));
  return next.sources.flatMap(({ study }, source) => {
    if (study === null || !studies.has(study.study.id)) return [];
    const places = boundaryPlaces(study.study);
    return study.study.boundaries.map(({ id: boundary_id }) => {
      const here = new Set(
        places.filter((row) => row.boundary_id === boundary_id).map((row) => `${row.case_id} ${row.check_id}`),
      );
      return {
        study_id: study.study.id,
        boundary_id,
        ...shared.ofBoundary(source, boundary_id),
        paired_correctness: paired(
          pairs?.filter((row) => row.source === source && here.has(`${row.scenario_id} ${row.check_id}`)),
        ),
      };
    });
  });
}

function paired(rows: readonly PairedRow[] | undefined): PairedCorrectness | null {
  return rows === undefined || rows.length === 0 ? null : pairedCorrectness(rows);
}

/** Beside each flip, whether the judge already flips against itself there. */
function withRepeats(flips: readonly Flip[], before: ReadSide, after: ReadSide): Flip[] {
  const key = (model_id: string, scenario_id: string, check_id: string): string =>
    JSON.stringify([model_id, scenario_id, check_id]);
  const split = ({ repeats }: ReadSide) =>
    new Map(repeats?.split_judgments.map((row) => [key(row.model_id, row.scenario_id, row.about), row.repeats]));
  const [old, next] = [split(before), split(after)];
  return flips.map((flip) => {
    const at = key(flip.model_id, flip.scenario_id, flip.check_id);
    return { ...flip, split_repeats: { old: old.get(at) ?? null, new: next.get(at) ?? null } };
  });
}

function changedSettings(old: JudgeSettings, next: JudgeSettings): string[] {
  const before = new Map(Object.entries(old));
  const after = new Map(Object.entries(next));
  return [...new Set([...before.keys(), ...after.keys()])].filter(
    (name) => JSON.stringify(before.get(name)) !== JSON.stringify(after.get(name)),
  );
}

/** How often a judge is asked changes no answer's meaning, so that plan may differ too. */
function onlySetting(changed: readonly string[]): Comparison["sensitivity_to"] {
  const others = changed.filter((name) => name !== "repeats");
  if (others.length !== 1) return null;
  return others[0] === "grouping" || others[0] === "question_order" ? others[0] : null;
}
