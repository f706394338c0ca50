import { z } from "zod";
import { CheckId, Count, Sha256 } from "./common.ts";
import { AnswerValue } from "./request.ts";
import { Verdict, WorldVerdict } from "./verdict.ts";

/** An exact quote: `content.slice(start, end) === quote` in UTF-16 code units of that turn. */
export const EvidenceSpan = z.strictObject({
  role: z.string(),
  turn: z.number().int().min(1),
  start: Count,
  end: Count,
  quote: z.string(),
  kind: z.enum(["reply", "sentence", "reference", "cue", "absence"]),
});
export type EvidenceSpan = z.infer<typeof EvidenceSpan>;

export const Band = z.enum(["yes", "no", "open", "chosen"]);
export type Band = z.infer<typeof Band>;

export const UsedObservation = z.strictObject({
  role: z.string(),
  turn: z.number().int().min(1),
  key: z.string(),
  input_sha256: Sha256,
  /** null only where the request was never answered (a closed scan). */
  value: AnswerValue.nullable(),
});
export type UsedObservation = z.infer<typeof UsedObservation>;

/** One line of `judgments.jsonl`. */
export const Judgment = z.strictObject({
  /** Index into the plan's conversations. */
  conversation: Count,
  model_id: z.string(),
  scenario_id: z.string(),
  check_id: CheckId,
  check_sha256: Sha256,
  transcript_sha256: Sha256,
  evidence_context_sha256: Sha256,
  /** null: not judged, because a needed request ended in a technical error and the scan was closed. */
  verdict: Verdict.nullable(),
  /** In the order PASS, FAIL, NOT_APPLICABLE; empty where not judged. */
  possible: z.array(WorldVerdict),
  /** Observations the judge was asked for; 0 means the verdict was fixed without asking. */
  asked: Count,
  rationale: z.string(),
  evidence: z.array(EvidenceSpan),
  observations: z.array(UsedObservation),
});
export type Judgment = z.infer<typeof Judgment>;
