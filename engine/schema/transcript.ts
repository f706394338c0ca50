import { z } from "zod";

/** What a user turn asks for, stated so that code can check each part; every text is visible in the message. */
export const Task = z.looseObject({
  kind: z.enum(["draft", "grounded_answer"]),
  recipient: z.string().optional(),
  purpose: z.string().optional(),
  required_details: z.array(z.string()).default([]),
  excluded_details: z.array(z.string()).default([]),
  source_excerpt: z.string().optional(),
});
export type Task = z.infer<typeof Task>;

/** One line of a transcript file. Extra fields are kept. */
export const Turn = z.looseObject({
  role: z.string().min(1),
  turn: z.number().int().min(1),
  content: z.string(),
  task: Task.optional(),
});
export type Turn = z.infer<typeof Turn>;

/** A receipt for one memory operation the product recorded on an assistant turn. */
export const MemoryEvidence = z.strictObject({
  turn: z.number().int().min(1),
  operation: z.string().min(1),
  status: z.string().min(1),
  memory_id: z.string().min(1),
  text: z.string(),
});
export type MemoryEvidence = z.infer<typeof MemoryEvidence>;

/** A conversation as rules and evidence see it: turns in file order, and whether the run declares memory. */
export interface Conversation {
  turns: readonly Turn[];
  memory: { persistent_memory: boolean; evidence: readonly MemoryEvidence[] };
}
