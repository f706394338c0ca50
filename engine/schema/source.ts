import { z } from "zod";
import { Count, FileRef, NonNegative, RelativePath } from "./common.ts";
import { MemoryEvidence } from "./transcript.ts";

export const RUN_MANIFEST_SCHEMA = "assay-run-manifest/1";

export const RunManifest = z.looseObject({
  schema: z.literal(RUN_MANIFEST_SCHEMA),
  run_id: z.string().min(1),
  run_date: z.string().min(1),
  harness: z.string().min(1),
  mode: z.string().min(1),
  transcript_policy: z.looseObject({ persistent_memory: z.boolean().default(false) }),
  model_ids: z.array(z.string().min(1)).min(1),
  scenario_ids: z.array(z.string().min(1)).min(1),
  /** The rendered study this run was made from; only fixture/authored runs carry one. */
  study: FileRef.optional(),
});
export type RunManifest = z.infer<typeof RunManifest>;

export const TranscriptEntry = z.looseObject({
  model: z.string().min(1),
  model_id: z.string().min(1),
  scenario_id: z.string().min(1),
  category: z.string().default(""),
  transcript_path: RelativePath,
  memory_evidence: z.array(MemoryEvidence).optional(),
});
export type TranscriptEntry = z.infer<typeof TranscriptEntry>;

export const TranscriptRun = z.looseObject({
  run_id: z.string().min(1),
  status: z.string().min(1),
  transcript_count: Count,
  transcripts: z.array(TranscriptEntry).min(1),
  actual_cost_usd: NonNegative.nullable(),
  elapsed_seconds: NonNegative.nullable(),
  /** Opaque here: labels are parsed by `validation` only, so a malformed attachment cannot block a scan. */
  research_expectations: z.unknown().optional(),
});
export type TranscriptRun = z.infer<typeof TranscriptRun>;
