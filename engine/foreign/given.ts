import { z } from "zod";
import { Sha256 } from "../schema/common.ts";
import { Verdict } from "../schema/verdict.ts";

/** A judgment as its file gives it, before it meets the conversation. */
export const GivenJudgment = z.object({
  model_id: z.string().min(1),
  scenario_id: z.string().min(1),
  foreign_id: z.string().min(1),
  /** Where the file states it, it must be the run's. */
  transcript_sha256: Sha256.optional(),
  verdict: Verdict,
  repeats: z.array(Verdict).default([]),
  scorer: z.string().default(""),
  quotes: z.array(z.object({ role: z.string().min(1), turn: z.number().int().min(1), quote: z.string() })).default([]),
});
export type GivenJudgment = z.infer<typeof GivenJudgment>;

/** One input file, read whole. */
export interface ForeignFile {
  name: string;
  sha256: string;
  format: string;
  /** Who judged, and the engine that asked them. */
  judge: string;
  engine: string;
  judgments: GivenJudgment[];
  /** Fields left behind, with how often each occurs. */
  dropped: ReadonlyMap<string, number>;
}
