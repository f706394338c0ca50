import { readConversation, type Bundle } from "../scan/bundle.ts";
import type { RenderedStudy } from "../schema/study.ts";
import { trivialVerdicts, type TrivialVerdict } from "./power.ts";

/**
 * The trivial judges over a study as a bundle froze it, its conversations and definitions included. null where the
 * bundle holds a part of the study only: of a part nothing is said.
 */
export async function frozenTrivialVerdicts(
  { directory, plan }: Pick<Bundle, "directory" | "plan">,
  source: number,
  { study, cases, checks }: RenderedStudy,
): Promise<TrivialVerdict[] | null> {
  const wanted = new Set(checks.map(({ check_sha256 }) => check_sha256));
  const defined = plan.checks.filter(({ check_sha256 }) => wanted.has(check_sha256));
  const held = plan.conversations.flatMap((row, index) => (row.source === source ? [{ row, index }] : []));
  const transcripts = new Set(held.map(({ row }) => row.transcript.sha256));
  if (defined.length < checks.length || !cases.every((row) => transcripts.has(row.transcript_sha256))) return null;
  const conversations = held.map(({ row, index }) => ({
    id: row.scenario_id,
    conversation: readConversation(directory, plan, index),
  }));
  return await trivialVerdicts(study, conversations, defined);
}
