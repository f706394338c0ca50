import { z } from "zod";
import { Instructions } from "./check.ts";
import { Sha256 } from "./common.ts";

/** P(yes) of a noul question, or option -> probability of a choice. */
export const AnswerValue = z.union([z.number().min(0).max(1), z.record(z.string().min(1), z.number().min(0).max(1))]);
export type AnswerValue = z.infer<typeof AnswerValue>;

/**
 * One question bound to one place. `key` is exact and unique together with role and turn.
 * `sentence`, `reference_turn` and `detail` repeat what the key says, for readers and tables.
 */
export const Observation = z.strictObject({
  role: z.string().min(1),
  turn: z.number().int().min(1),
  key: z.string().min(1),
  question: z.string().min(1),
  type: z.enum(["noul", "choice"]),
  options: z.array(z.string()).optional(),
  sentence: z.number().int().min(0).optional(),
  reference_turn: z.number().int().min(1).optional(),
  detail: z
    .strictObject({ list: z.enum(["required_details", "excluded_details"]), index: z.number().int().min(0) })
    .optional(),
});
export type Observation = z.infer<typeof Observation>;

/** What the judge sees: text fields, lists of texts. Nothing else ever reaches a judge. */
export const Evidence = z.record(
  z.string(),
  z.union([z.string(), z.array(z.string()), z.array(z.record(z.string(), z.union([z.string(), z.number()])))]),
);
export type Evidence = z.infer<typeof Evidence>;

/**
 * A question as sent. `bind` points at the item of a list field that a per-item question is about; the
 * instructions keep their authored text, so that a question has one digest wherever it is asked.
 */
export const RequestQuestion = z.strictObject({
  name: z.string().regex(/^q[1-9][0-9]*$/),
  type: z.enum(["noul", "choice"]),
  instructions: Instructions,
  criteria: z.record(z.string(), z.string()).optional(),
  bind: z
    .strictObject({
      field: z.enum(["sentences", "required_details", "excluded_details"]),
      index: z.number().int().min(0),
    })
    .optional(),
});
export type RequestQuestion = z.infer<typeof RequestQuestion>;

/** The canonical request; `input_sha256` is the digest of exactly this value. */
export const JudgeRequest = z.strictObject({ state: Evidence, questions: z.array(RequestQuestion).min(1) });
export type JudgeRequest = z.infer<typeof JudgeRequest>;

/** A request with its identity and the observations its questions answer: `observations[i]` is `questions[i]`. */
export interface PlannedRequest {
  input_sha256: string;
  /** Length of the request's canonical JSON in UTF-8. */
  bytes: number;
  request: JudgeRequest;
  observations: readonly Observation[];
}

/**
 * One line of `inputs/requests.jsonl`: a request as one conversation uses it, in derivation order. The same
 * `input_sha256` appears on several lines where conversations share an input; it is asked once.
 */
export const RequestLine = z.strictObject({
  conversation: z.number().int().min(0),
  input_sha256: Sha256,
  bytes: z.number().int().min(1),
  places: z.array(z.strictObject({ role: z.string(), turn: z.number().int().min(1), key: z.string() })).min(1),
});
export type RequestLine = z.infer<typeof RequestLine>;
