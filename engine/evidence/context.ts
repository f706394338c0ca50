import { digestOf } from "../canon/json.ts";
import type { MemoryEvidence } from "../schema/transcript.ts";

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
