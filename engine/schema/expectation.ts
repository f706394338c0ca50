import { z } from "zod";
import { CheckId, Sha256 } from "./common.ts";
import { Verdict } from "./verdict.ts";

export const ExpectationBasis = z.enum(["controlled_fixture", "source_evidence", "independent_review"]);
export type ExpectationBasis = z.infer<typeof ExpectationBasis>;

export const Expectation = z.strictObject({
  model_id: z.string().min(1),
  scenario_id: z.string().min(1),
  check_id: CheckId,
  transcript_sha256: Sha256,
  evidence_context_sha256: Sha256,
  check_sha256: Sha256,
  expected: Verdict,
  basis: ExpectationBasis,
  source: z.string().min(1),
  author: z.string().min(1),
  reason: z.string().min(1),
});
export type Expectation = z.infer<typeof Expectation>;

export const MISMATCH_KINDS = ["false_pass", "false_fail", "applicability", "unresolved", "decided"] as const;
export const MismatchKind = z.enum(MISMATCH_KINDS);
export type MismatchKind = z.infer<typeof MismatchKind>;
