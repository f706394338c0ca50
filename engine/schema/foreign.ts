import { z } from "zod";
import { CheckId, Count, FileRef, Sha256 } from "./common.ts";
import { Claim, Verdict } from "./verdict.ts";

export const FOREIGN_SCHEMA = "assay-foreign-judgments/1";

/** What another engine quoted. `start` and `end` are UTF-16 offsets into that turn; null where the text is not in it. */
export const ForeignQuote = z
  .strictObject({
    role: z.string().min(1),
    turn: z.number().int().min(1),
    quote: z.string(),
    found: z.boolean(),
    start: Count.nullable(),
    end: Count.nullable(),
  })
  .refine(
    ({ found, start, end }) => (start !== null) === found && (end !== null) === found,
    "offsets are there exactly where the quote is found",
  );
export type ForeignQuote = z.infer<typeof ForeignQuote>;

/** A verdict of another engine over a conversation we hold: kept as given, never derived again. */
export const ForeignJudgment = z.strictObject({
  model_id: z.string().min(1),
  scenario_id: z.string().min(1),
  /** The other engine's own name of what it judged. */
  foreign_id: z.string().min(1),
  transcript_sha256: Sha256,
  verdict: Verdict,
  /** The same judge asked again, in its order; empty where its engine recorded none. */
  repeats: z.array(Verdict),
  /** What inside the other engine decided, as it names it; empty where it does not say. */
  scorer: z.string(),
  quotes: z.array(ForeignQuote),
});
export type ForeignJudgment = z.infer<typeof ForeignJudgment>;

/** `foreign.json` beside `foreign_judgments.jsonl`. */
export const ForeignManifest = z.strictObject({
  schema: z.literal(FOREIGN_SCHEMA),
  /** The model or person that judged, as the other engine names it, and that engine. */
  judge: z.string().min(1),
  engine: z.string().min(1),
  format: z.string().min(1),
  claim: Claim,
  accuracy_claim: z.literal(false),
  run: z.strictObject({ run_id: z.string(), manifest_sha256: Sha256, summary_sha256: Sha256, conversations: Count }),
  files: z.array(z.strictObject({ name: z.string(), sha256: Sha256 })).min(1),
  judgments: FileRef.extend({ rows: Count }),
  counts: z.record(Verdict, Count),
  quotes: z.strictObject({ total: Count, unfound: Count }),
  /** Judgments with two or more repeats, and those of them whose repeats differ. */
  repeats: z.strictObject({ judgments: Count, split: Count }),
  /** Judgments of conversations that the run does not hold: not kept. */
  not_held: Count,
  dropped: z.array(z.strictObject({ field: z.string(), count: Count })),
});
export type ForeignManifest = z.infer<typeof ForeignManifest>;

/** Whose judgment it is that a foreign definition and a check are about one thing, and why. */
export const CheckMapEntry = z.strictObject({
  foreign_id: z.string().min(1),
  check_id: CheckId,
  author: z.string().min(1),
  reason: z.string().min(1),
});
export type CheckMapEntry = z.infer<typeof CheckMapEntry>;
