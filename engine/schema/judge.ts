import { z } from "zod";
import { NonNegative, Sha256 } from "./common.ts";

export const ADAPTERS = ["decisions", "systemone", "chat", "lexicon", "overlap", "constant", "replay"] as const;
export const Adapter = z.enum(ADAPTERS);
export type Adapter = z.infer<typeof Adapter>;

export const ContextPolicy = z.enum(["full", "final_pair"]);
export type ContextPolicy = z.infer<typeof ContextPolicy>;

/** Both inclusive: yes at p >= high, no at p <= low, open between. */
export const Thresholds = z
  .strictObject({ low: z.number().min(0).max(1), high: z.number().min(0).max(1) })
  .refine((t) => t.low < t.high, "the low threshold is below the high one");
export type Thresholds = z.infer<typeof Thresholds>;
export const DEFAULT_THRESHOLDS: Thresholds = { low: 0.35, high: 0.65 };

/** USD per one million tokens, with where and when the number was read. */
export const Price = z.strictObject({
  input_usd_per_mtok: NonNegative,
  output_usd_per_mtok: NonNegative,
  source: z.string().min(1),
});
export type Price = z.infer<typeof Price>;

/** Everything about a judge that can change an answer or a bill, frozen in the plan. */
export const JudgeSettings = z.strictObject({
  /** `<adapter>` or `<adapter>:<model>`, as typed and as shown. */
  name: z.string().min(1),
  adapter: Adapter,
  model: z.string(),
  base_url: z.string().optional(),
  method: z.string(),
  prompt_sha256: Sha256.optional(),
  lexicon_sha256: Sha256.optional(),
  temperature: z.number().nullable(),
  seed: z.number().int().nullable(),
  max_output_tokens: z.number().int().min(0),
  grouping: z.enum(["shared", "one"]),
  /** Of the questions that share a request. Absent: as the checks list them. */
  question_order: z.literal("reversed").optional(),
  repeats: z.number().int().min(1).max(100),
  context: ContextPolicy,
  thresholds: Thresholds,
  /** null: unknown; such a plan is not runnable until a price is given. */
  price: Price.nullable(),
});
export type JudgeSettings = z.infer<typeof JudgeSettings>;
