import type { JudgeSettings } from "../schema/judge.ts";
import type { SeenLabel } from "../studies/seen-label.ts";
import type { Agreement, Share } from "../validation/index.ts";
import type { AnswerChanges } from "./answer-changes.ts";
import type { Changes } from "./change-counter.ts";
import type { GateResult } from "./gates.ts";
import type { ConversationRef } from "./match.ts";
import type { PairedCorrectness } from "./paired.ts";
import type { ScanView, SourceView } from "./scan-view.ts";
import type { Flip, NotJudged } from "./shared-judgments.ts";
import type { StudyResult } from "./study-results.ts";
import type { rates, Tally } from "./tally.ts";

export interface Sided<T> {
  old: T;
  new: T;
}

export type RatedTally = Tally & ReturnType<typeof rates>;

/** One scan's half of a comparison. */
export interface ScanSide extends RatedTally {
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

/** How often a judge changes when nothing does: its later repeats beside its first. */
export interface Noise {
  /** Judgments with another verdict, of all judgments of later repeats. */
  changed_verdicts: Share;
  answers: AnswerChanges;
}

/** One check in either scan. `null`: the scan does not have it. */
export interface CheckComparison extends Changes {
  check_id: string;
  /** null where one scan has it only. */
  same_definition: boolean | null;
  rates: Sided<RatedTally | null>;
  noise: Sided<Share | null>;
  paired_correctness: PairedCorrectness | null;
}

/** One boundary of a study that both scans render: its labelled judgments. */
export interface BoundaryComparison extends Changes {
  study_id: string;
  boundary_id: string;
  paired_correctness: PairedCorrectness | null;
}

/** Judgments of either scan by where they have a verdict; what is not in both is listed. */
export interface Coverage {
  judged_in_both: number;
  judged_in_old_only: number;
  judged_in_new_only: number;
  judged_in_neither: number;
  conversations: { old_only: ConversationRef[]; new_only: ConversationRef[] };
  /** Shared judgments that a side, or both, never judged. */
  not_judged: NotJudged[];
}

/** `data` of `bench compare --json`: everything the printers print. Names as in docs/reference. */
export interface Comparison extends Sided<ScanSide>, Changes {
  accuracy_claim: false;
  claim: string;
  claim_text: string;
  same_scan: boolean;
  /** Both scans hold the same conversations, byte for byte. */
  same_transcripts: boolean;
  /** The shared conversations also have equal memory contexts. */
  same_evidence_context: boolean;
  /** Shared conversations whose memory context differs. */
  other_evidence_context: ConversationRef[];
  judge_settings_changed: string[];
  /** The one setting that the scans differ in, where it should not matter to what a conversation shows. */
  sensitivity_to: "grouping" | "question_order" | null;
  conversations: { shared: number; old_only: number; new_only: number };
  judgments: { shared: number; old_only: number; new_only: number };
  shared_not_judged: { old: number; new: number; either: number };
  coverage: Coverage;
  checks: { shared: number; old_only: string[]; new_only: string[] };
  changed_checks: { check_id: string; old_sha256: string; new_sha256: string; transitions: Record<string, number> }[];
  /** First answers to byte-identical requests; null where old and new are one scan. */
  answer_changes: AnswerChanges | null;
  /** null without repeats: then nobody knows how much of a change is noise. */
  noise: Sided<Noise | null>;
  flips: Flip[];
  by_check: CheckComparison[];
  by_boundary: BoundaryComparison[];
  expectations: { source: "file" | "frozen" | "none"; count: number };
  expectation_agreement: Sided<Agreement>;
  /** null where old and new are one scan, or nothing is labelled. */
  paired_correctness: PairedCorrectness | null;
  studies: Sided<StudyResult[]>;
  /** Empty without --gate. */
  gates: GateResult[];
}
