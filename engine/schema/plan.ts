import { z } from "zod";
import { Check } from "./check.ts";
import { CheckId, Count, FileRef, NonNegative, RelativePath, Sha256 } from "./common.ts";
import { JudgeSettings } from "./judge.ts";
import { MemoryEvidence } from "./transcript.ts";
import { Claim } from "./verdict.ts";

export const BUNDLE_FORMAT = "assay-bundle/1";
export const RULES_VERSION = "1";

export const SUSPECT_KINDS = ["empty_content", "finish_reason", "client_error_text"] as const;
export const SuspectTurn = z.strictObject({
  turn: z.number().int().min(1),
  kind: z.enum(SUSPECT_KINDS),
  detail: z.string(),
});
export type SuspectTurn = z.infer<typeof SuspectTurn>;

/** A source run as frozen: every byte of it lies below `root` in the bundle. */
export const PlannedSource = z.strictObject({
  run_id: z.string(),
  root: RelativePath,
  manifest: FileRef,
  summary: FileRef,
  /** Every other file of the run that is not a transcript, e.g. the rendered study. */
  files: z.array(FileRef),
  harness: z.string(),
  mode: z.string(),
  run_date: z.string(),
  study: FileRef.optional(),
});
export type PlannedSource = z.infer<typeof PlannedSource>;

export const PlannedConversation = z.strictObject({
  /** Index into `sources`. */
  source: Count,
  model: z.string(),
  model_id: z.string(),
  scenario_id: z.string(),
  category: z.string(),
  transcript: FileRef,
  evidence_context_sha256: Sha256,
  persistent_memory: z.boolean(),
  memory_evidence: z.array(MemoryEvidence),
  turns: Count,
  assistant_turns: Count,
  suspect_turns: z.array(SuspectTurn),
});
export type PlannedConversation = z.infer<typeof PlannedConversation>;

export const PlannedCheck = z.strictObject({
  id: CheckId,
  layer: z.string(),
  dimension: z.string(),
  /** The YAML as copied into the bundle. */
  file: FileRef,
  check_sha256: Sha256,
  check: Check,
});
export type PlannedCheck = z.infer<typeof PlannedCheck>;

export const ScanPlan = z.strictObject({
  bundle_format: z.literal(BUNDLE_FORMAT),
  rules_version: z.literal(RULES_VERSION),
  engine_version: z.string(),
  claim: Claim,
  accuracy_claim: z.literal(false),
  judge: JudgeSettings,
  sources: z.array(PlannedSource).min(1),
  checks: z.array(PlannedCheck).min(1),
  conversations: z.array(PlannedConversation).min(1),
  requests: z.strictObject({
    path: RelativePath,
    sha256: Sha256,
    /** Lines of the inventory: requests as conversations use them. */
    uses: Count,
    /** Distinct `input_sha256`; times `judge.repeats` is what is asked. */
    distinct: Count,
    observations: Count,
    judgments: Count,
  }),
  accepted_suspect_turns: z.boolean(),
  estimate: z.strictObject({
    input_tokens: Count,
    output_tokens: Count,
    method: z.string(),
    /** null where the price is unknown. */
    estimated_cost_usd: NonNegative.nullable(),
  }),
});
export type ScanPlan = z.infer<typeof ScanPlan>;
