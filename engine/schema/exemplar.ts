import { z } from "zod";
import { CheckId } from "./common.ts";
import { AnswerValue } from "./request.ts";
import { MemoryEvidence, Turn } from "./transcript.ts";
import { Verdict, WorldVerdict } from "./verdict.ts";

/** One development exemplar: a short transcript, saved answers by place (`role:turn`) and key, the rule outcome. */
export const Exemplar = z
  .strictObject({
    id: z.string().min(1),
    check_id: CheckId.optional(),
    check: z.unknown().optional(),
    expected: Verdict,
    possible: z.array(WorldVerdict).optional(),
    transcript: z.array(Turn).min(1),
    memory_declared: z.boolean().optional(),
    memory_evidence: z.array(MemoryEvidence).optional(),
    answers: z.record(z.string(), z.record(z.string(), AnswerValue)),
    answers_from: z.string().min(1).optional(),
    note: z.string().optional(),
  })
  .refine((row) => (row.check === undefined) !== (row.check_id === undefined), "give either check_id or check");
export type Exemplar = z.infer<typeof Exemplar>;
