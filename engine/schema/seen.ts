import { z } from "zod";
import { Count, Sha256, Slug } from "./common.ts";

/** One line of `studies/seen.jsonl`: the first plan under which a judge answered about this case. */
export const SeenRow = z.strictObject({
  study: Slug,
  case: Slug,
  transcript_sha256: Sha256,
  plan_sha256: Sha256,
});
export type SeenRow = z.infer<typeof SeenRow>;

/**
 * One line of `studies/waves.jsonl`: the plans of a study's listed judges, frozen together. `register` is what
 * `seen.jsonl` held then; a row that is in it came before these plans.
 */
export const Wave = z.strictObject({
  study: Slug,
  study_sha256: Sha256,
  register: z.strictObject({ rows: Count, sha256: Sha256 }),
  plans: z.array(z.strictObject({ judge: z.string(), context: z.string(), plan_sha256: Sha256 })).min(1),
});
export type Wave = z.infer<typeof Wave>;
