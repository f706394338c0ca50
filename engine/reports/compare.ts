import { AssayError } from "../canon/errors.ts";
import type { Expectation } from "../schema/expectation.ts";
import type { JudgeSettings } from "../schema/judge.ts";
import { CLAIM_TEXT } from "../schema/verdict.ts";
import {
  applicableExpectations,
  bindExpectations,
  boundaryAgreement,
  countAgreement,
  frozenExpectations,
  pairConsistency,
  pairShare,
  requireBound,
  type Agreement,
  type AgreementCounter,
  type BoundaryResult,
  type Matrix,
  type PairResult,
  type Share,
} from "../validation/index.ts";
import { compareAnswers, type AnswerChanges } from "./answer-changes.ts";
import type { ScanView, SourceView } from "./scan-view.ts";
import type { SeenLabel } from "../studies/seen-label.ts";
import { seenLabels } from "./seen.ts";
import { matchConversations } from "./match.ts";
import { Transitions, verdictCode } from "./transitions.ts";
import { emptyTally, rates, tallyJudgment, type Tally } from "./tally.ts";

/** One scan's half of a comparison. */
export interface ScanSide extends Tally, ReturnType<typeof rates> {
  plan_sha256: string;
  claim: string;
  judge: JudgeSettings;
  conversations: number;
  checks: number;
  suspect_turns: number;
  sources: (Omit<SourceView, "study" | "seen"> & { study_id: string | null })[];
  /** One label a study among the sources: whether its cases were answered before this plan and outside its wave. */
  seen: SeenLabel[];
  cost: { estimated_cost_usd: number | null; actual_cost_usd: number };
  execution: ScanView["execution"];
}

export interface StudyResult {
  study_id: string;
  pairs: PairResult[];
  pairs_consistent: Share;
  boundaries: BoundaryResult[];
}

export interface Sided<T> {
  old: T;
  new: T;
}

/** `data` of `bench compare --json`; names as in docs/reference. */
export interface Comparison extends Sided<ScanSide> {
  accuracy_claim: false;
  claim: string;
  claim_text: string;
  same_scan: boolean;
  /** Both scans hold the same conversations, byte for byte. */
  same_transcripts: boolean;
  /** The shared conversations also have equal memory contexts. */
  same_evidence_context: boolean;
  judge_settings_changed: string[];
  conversations: { shared: number; old_only: number; new_only: number };
  judgments: { shared: number; old_only: number; new_only: number };
  /** Shared judgments, the old verdict by the new one; those not judged on a side are counted apart. */
  transition_table: Matrix;
  transitions: Record<string, number>;
  changed_verdicts: Share;
  applicability_transitions: { became_applicable: number; became_not_applicable: number };
  shared_not_judged: { old: number; new: number; either: number };
  checks: { shared: number; old_only: string[]; new_only: string[] };
  changed_checks: { check_id: string; old_sha256: string; new_sha256: string; transitions: Record<string, number> }[];
  /** null where old and new are one scan. */
  answer_changes: AnswerChanges | null;
  expectations: { source: "file" | "frozen" | "none"; count: number };
  expectation_agreement: Sided<Agreement>;
  studies: Sided<StudyResult[]>;
}

/**
 * Compare two finished, verified scans. Labels: the explicit ones, else what both scans froze. Throws
 * `no_shared_conversation`, `transcript_differs`, `rejected_expectations`, `conflicting_expectations`,
 * `unbound_expectation`. Memory: one byte a judgment of the old scan, and a row a label.
 */
export async function compareScans(
  old: ScanView,
  next: ScanView,
  options: { expectations?: readonly Expectation[] } = {},
): Promise<Comparison> {
  const same_scan = old.plan_sha256 === next.plan_sha256;
  const match = matchConversations(old.plan, next.plan);
  const labels = applicableExpectations(
    options.expectations,
    options.expectations === undefined ? acceptedOrRefuse(old) : [],
    options.expectations === undefined ? acceptedOrRefuse(next) : [],
  );
  const oldBinding = bindExpectations(labels.expectations, old.plan);
  const newBinding = bindExpectations(labels.expectations, next.plan);
  requireBound(oldBinding, newBinding);

  const oldRead = await readSide(old, countAgreement(oldBinding));
  const changes = new Transitions(old.plan, next.plan, match, oldRead.verdicts);
  const newRead = await readSide(next, countAgreement(newBinding), changes);
  const agreement = { old: oldRead.agreement, new: newRead.agreement };
  return {
    accuracy_claim: false,
    claim: next.plan.claim,
    claim_text: CLAIM_TEXT[next.plan.claim],
    same_scan,
    same_transcripts: match.old_only === 0 && match.new_only === 0,
    same_evidence_context: match.same_evidence_context,
    judge_settings_changed: changedSettings(old.plan.judge, next.plan.judge),
    conversations: { shared: match.shared, old_only: match.old_only, new_only: match.new_only },
    judgments: changes.counts(oldRead.side.judgments, newRead.side.judgments),
    ...changes.report(),
    answer_changes: same_scan ? null : await compareAnswers(answersOf(old), answersOf(next)),
    expectations: { source: labels.source, count: labels.expectations.length },
    expectation_agreement: agreement,
    studies: { old: studyResults(old, agreement.old), new: studyResults(next, agreement.new) },
    old: oldRead.side,
    new: newRead.side,
  };
}

/** Pair consistency and boundaries of every study among a scan's sources. */
export function studyResults(scan: Pick<ScanView, "plan" | "sources">, agreement: Agreement): StudyResult[] {
  return scan.sources.flatMap((source, index) => {
    if (source.study === null) return [];
    const { study } = source.study;
    const rows = agreement.rows.filter((row) => scan.plan.conversations[row.conversation]?.source === index);
    const pairs = pairConsistency(study, rows);
    const boundaries = boundaryAgreement(study, rows, pairs);
    return [{ study_id: study.id, pairs, pairs_consistent: pairShare(pairs), boundaries }];
  });
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

async function readSide(
  scan: ScanView,
  labels: AgreementCounter,
  changes?: Transitions,
): Promise<{ side: ScanSide; agreement: Agreement; verdicts: Uint8Array }> {
  const { plan } = scan;
  const tally = emptyTally();
  const places = new Map(plan.checks.map((check, index) => [check.id, index]));
  const verdicts = new Uint8Array(plan.conversations.length * plan.checks.length);
  for await (const judgment of scan.judgments()) {
    tallyJudgment(tally, judgment);
    labels.add(judgment);
    const check = places.get(judgment.check_id)!;
    verdicts[judgment.conversation * plan.checks.length + check] = verdictCode(judgment.verdict);
    changes?.add(judgment.conversation, check, judgment.verdict);
  }
  const side: ScanSide = {
    plan_sha256: scan.plan_sha256,
    claim: plan.claim,
    judge: plan.judge,
    conversations: plan.conversations.length,
    checks: plan.checks.length,
    ...tally,
    ...rates(tally),
    suspect_turns: plan.conversations.reduce((sum, row) => sum + row.suspect_turns.length, 0),
    cost: {
      estimated_cost_usd: plan.estimate.estimated_cost_usd,
      actual_cost_usd: scan.execution.actual_cost_usd,
    },
    execution: scan.execution,
    sources: scan.sources.map(({ study, seen: _, ...source }) => ({ ...source, study_id: study?.study.id ?? null })),
    seen: seenLabels(scan.sources),
  };
  return { side, agreement: labels.result(), verdicts };
}

function changedSettings(old: JudgeSettings, next: JudgeSettings): string[] {
  const before = new Map(Object.entries(old));
  const after = new Map(Object.entries(next));
  return [...new Set([...before.keys(), ...after.keys()])].filter(
    (name) => JSON.stringify(before.get(name)) !== JSON.stringify(after.get(name)),
  );
}
