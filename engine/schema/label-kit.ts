import { z } from "zod";
import { CheckId, Sha256 } from "./common.ts";
import { Claim, Verdict } from "./verdict.ts";

export const KIT_SCHEMA = "assay-label-kit/1";
export const KEY_SCHEMA = "assay-label-key/1";

const ItemId = z.string().regex(/^i[0-9]{4,}$/);
const ConversationId = z.string().regex(/^c[0-9]{3,}$/);

/** `kit.json`: what reviewers receive, by digest. Nothing in it, or beside it, says who wrote or judged what. */
export const LabelKit = z.strictObject({
  schema: z.literal(KIT_SCHEMA),
  /** Derived from the plan's digest: the same plan is shuffled the same way. */
  seed: Sha256,
  items: z.array(z.strictObject({ item: ItemId, conversation: ConversationId, check_id: CheckId })).min(1),
  files: z.record(z.string(), Sha256),
});
export type LabelKit = z.infer<typeof LabelKit>;

/** `<kit>.key.json`, beside the kit and never in it: what each item is about, in the kit's order. */
export const LabelKey = z.strictObject({
  schema: z.literal(KEY_SCHEMA),
  plan_sha256: Sha256,
  /** SHA-256 of the kit's `kit.json`. */
  kit_sha256: Sha256,
  claim: Claim,
  /** Names that no author of a label may have. */
  models: z.array(z.string()),
  items: z.array(
    z.strictObject({
      item: ItemId,
      model_id: z.string().min(1),
      scenario_id: z.string().min(1),
      check_id: CheckId,
      transcript_sha256: Sha256,
      evidence_context_sha256: Sha256,
      check_sha256: Sha256,
    }),
  ),
});
export type LabelKey = z.infer<typeof LabelKey>;

/** One row of a filled-in form. An empty label is an item not labelled. */
export const FormRow = z.looseObject({
  item: ItemId,
  conversation: ConversationId,
  check_id: CheckId,
  label: z.union([Verdict, z.literal("")]),
  reason: z.string(),
  author: z.string(),
});
export type FormRow = z.infer<typeof FormRow>;
