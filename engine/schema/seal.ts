import { z } from "zod";
import { RelativePath, Sha256 } from "./common.ts";

export const SEAL_FORMAT = "assay-seal/1";

/**
 * `seal.json`, written last, in canonical bytes and a final newline. `self_sha256` is the digest of the
 * canonical value without that field, so that an accident in the seal itself is named as such. The card is
 * sealed without its commentary section (`reports/card.ts` says where that begins).
 */
export const Seal = z.strictObject({
  format: z.literal(SEAL_FORMAT),
  plan_sha256: Sha256,
  files: z.record(RelativePath, Sha256),
  self_sha256: Sha256,
});
export type Seal = z.infer<typeof Seal>;
