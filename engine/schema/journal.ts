import { z } from "zod";
import { Count, NonNegative, Sha256 } from "./common.ts";
import { AnswerValue } from "./request.ts";

export const JOURNAL_FORMAT = "assay-journal/1";

/** Every line carries the digest of the line before it (its bytes, without the newline). */
const link = { seq: Count, prev: Sha256 };
const call = { input_sha256: Sha256, repeat: Count, attempt: z.number().int().min(1) };

export const JournalHead = z.strictObject({
  ...link,
  kind: z.literal("plan"),
  format: z.literal(JOURNAL_FORMAT),
  plan_sha256: Sha256,
});

/** A run starts (or resumes) under this ceiling. */
export const JournalRun = z.strictObject({
  ...link,
  kind: z.literal("run"),
  ceiling_usd: NonNegative,
});

export const JournalReserve = z.strictObject({
  ...link,
  ...call,
  kind: z.literal("reserve"),
  reserved_usd: NonNegative,
});

/** A run that stopped did not send a call it had reserved: settles the reservation, and nothing was billed. */
export const JournalRelease = z.strictObject({ ...link, ...call, kind: z.literal("release") });

export const JournalAnswer = z.strictObject({
  ...link,
  ...call,
  kind: z.literal("answer"),
  model: z.string(),
  /** Question name -> answer, exactly the questions of the request. */
  answers: z.record(z.string(), AnswerValue),
  /** Questions an embedded judge has no pattern for; they answer 0.5. */
  uncovered: z.array(z.string()).optional(),
  input_tokens: Count,
  output_tokens: Count,
  cost_usd: NonNegative,
});
export type JournalAnswer = z.infer<typeof JournalAnswer>;

export const JournalError = z.strictObject({
  ...link,
  ...call,
  kind: z.literal("error"),
  code: z.string(),
  message: z.string(),
  cost_usd: NonNegative,
});
export type JournalError = z.infer<typeof JournalError>;

/** A try that failed in a way that waiting may mend; the attempt goes on. Settles the try's reservation. */
export const JournalRetry = z.strictObject({
  ...link,
  ...call,
  kind: z.literal("retry"),
  code: z.string(),
  cost_usd: NonNegative,
});

export const JournalClose = z.strictObject({ ...link, kind: z.literal("close"), unanswered: Count });

export const JournalEntry = z.discriminatedUnion("kind", [
  JournalHead,
  JournalRun,
  JournalReserve,
  JournalRelease,
  JournalAnswer,
  JournalError,
  JournalRetry,
  JournalClose,
]);
export type JournalEntry = z.infer<typeof JournalEntry>;
type Unlinked<T> = T extends unknown ? Omit<T, "seq" | "prev"> : never;
/** An entry before the journal gives it its place in the chain. */
export type NewJournalEntry = Unlinked<JournalEntry>;
