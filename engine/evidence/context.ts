import { digestOf } from "../canon/json.ts";
import type { ContextPolicy } from "../schema/judge.ts";
import type { Conversation, MemoryEvidence } from "../schema/transcript.ts";
import { timeline } from "./timeline.ts";

/**
 * The conversation as a judge under this policy sees it. `final_pair` keeps only the last turn number that has
 * both a user message and a reply, under its own number; without such a pair nothing is left to judge.
 */
export function applyContext(conversation: Conversation, policy: ContextPolicy): Conversation {
  if (policy === "full") return conversation;
  const last = timeline(conversation).findLast(({ user, assistant }) => user !== undefined && assistant !== undefined);
  if (last?.user === undefined || last.assistant === undefined) return { turns: [], memory: conversation.memory };
  const { persistent_memory, evidence } = conversation.memory;
  return {
    turns: [last.user, last.assistant],
    memory: { persistent_memory, evidence: evidence.filter(({ turn }) => turn === last.turn) },
  };
}

/**
 * What a label binds to besides the check: the transcript's bytes and the normalized memory context, in one
 * digest. Receipts are ordered by (turn, memory_id, operation), so the order of recording does not matter.
 */
export function evidenceContextSha256(
  transcript_sha256: string,
  memory: { persistent_memory: boolean; evidence: readonly MemoryEvidence[] },
): string {
  const { persistent_memory } = memory;
  return digestOf({ transcript_sha256, memory: { persistent_memory, evidence: sortedReceipts(memory.evidence) } });
}

export function sortedReceipts(evidence: readonly MemoryEvidence[]): MemoryEvidence[] {
  const order = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);
  return [...evidence].sort(
    (a, b) =>
      a.turn - b.turn ||
      order(a.memory_id, b.memory_id) ||
      order(a.operation, b.operation) ||
      order(a.status, b.status) ||
      order(a.text, b.text),
  );
}
