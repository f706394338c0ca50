import { z } from "zod";
import { CheckId } from "./common.ts";

const Name = z.string().regex(/^[a-z][a-z0-9_]*$/, "a question name is lower-case letters, digits and underscores");

/** Text, or a question with what does and does not count. */
export const Instructions = z.union([
  z.string().min(1),
  z.strictObject({
    question: z.string().min(1),
    count_as_yes: z.array(z.string().min(1)).optional(),
    count_as_no: z.array(z.string().min(1)).optional(),
  }),
]);
export type Instructions = z.infer<typeof Instructions>;

const MemoryState = z.enum(["declared", "undeclared"]);
export type MemoryState = z.infer<typeof MemoryState>;

export const EVIDENCE_FIELDS = [
  "caregiver",
  "earlier_caregiver",
  "earlier_assistant",
  "assistant",
  "sentences",
  "memory_context",
  "anchor",
  "message",
  "recipient",
  "purpose",
  "required_details",
  "excluded_details",
  "source_excerpt",
] as const;
export const EvidenceField = z.enum(EVIDENCE_FIELDS);
export type EvidenceField = z.infer<typeof EvidenceField>;

export const Question = z.strictObject({
  type: z.enum(["noul", "choice"]).default("noul"),
  unit: z.enum(["turn", "sentence"]).default("turn"),
  binds: z.enum(["reference", "reply"]).optional(),
  memory: MemoryState.optional(),
  inputs: z.array(EvidenceField).min(1).optional(),
  instructions: Instructions,
  /** noul: descriptions of "true" and "false"; choice: option -> description, two or more. */
  criteria: z.record(z.string().min(1), z.string()).optional(),
});
export type Question = z.infer<typeof Question>;

export const Cue = z.strictObject({
  role: z.enum(["user", "assistant"]).default("user"),
  min: z.number().int().min(1).default(1),
  inputs: z.array(EvidenceField).min(1).optional(),
  instructions: Instructions,
  criteria: z.record(z.string().min(1), z.string()).optional(),
});
export type Cue = z.infer<typeof Cue>;

export const Clause = z.strictObject({
  question: Name,
  is: z.boolean().default(true),
  within_first: z.number().int().min(1).optional(),
  option: z.string().min(1).optional(),
  memory: MemoryState.optional(),
});
export type Clause = z.infer<typeof Clause>;

export type Formula = string | { all: Formula[] } | { any: Formula[] } | { not: Formula };
export const Formula: z.ZodType<Formula> = z.lazy(() =>
  z.union([
    Name,
    z.strictObject({ all: z.array(Formula).min(1) }),
    z.strictObject({ any: z.array(Formula).min(1) }),
    z.strictObject({ not: Formula }),
  ]),
);

export const RULES = ["clauses", "episode", "task_completion", "source_support"] as const;

/**
 * A check definition with defaults filled and absent optionals omitted: the value whose canonical digest is
 * `check_sha256`. Cross-field rules (clauses on missing questions and the like) are in `checks/validate.ts`.
 */
export const Check = z.strictObject({
  id: CheckId,
  name: z.string().regex(/^[a-z][a-z0-9_]*$/, "a check name is lower-case letters, digits and underscores"),
  severity: z.enum(["S1", "S2", "S3", "S4", "S5"]),
  summary: z.string().min(1),
  basis: z.string().regex(/^[a-z][a-z0-9_]*$/, "a basis is a word such as safety_policy"),
  pass_meaning: z.string().min(1),
  cue: Cue.optional(),
  window: z.enum(["reply", "after"]).default("reply"),
  requires_assistant_turns: z.number().int().min(1).default(1),
  questions: z.record(Name, Question),
  applies_if: z.array(Clause).default([]),
  fail_if: z.array(Clause).default([]),
  pass_if_any: z.array(Clause).default([]),
  rule: z.enum(RULES).default("clauses"),
  episode: z.strictObject({ opens: Formula, confirms: Formula, reopens: Formula, violates: Formula }).optional(),
  source_grounding: z.array(z.string()).default([]),
});
export type Check = z.infer<typeof Check>;

/** A check as a plan and the tables know it. */
export interface LoadedCheck {
  check: Check;
  check_sha256: string;
  /** `safety`, `care`, ... : the folder above the dimension; "" for inline checks. */
  layer: string;
  /** The part of the id before the dot. */
  dimension: string;
  /** Relative path below the checks directory, POSIX; "" for inline checks. */
  path: string;
}
