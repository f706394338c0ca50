import { AssayError } from "../canon/errors.ts";
import type { PlannedConversation, ScanPlan } from "../schema/plan.ts";

export type ConversationRef = Pick<PlannedConversation, "model_id" | "scenario_id">;

/** How the conversations of two plans meet, by (model_id, scenario_id). */
export interface Match {
  shared: number;
  old_only: ConversationRef[];
  new_only: ConversationRef[];
  /** Shared, with the same transcript bytes and another memory context. */
  other_context: ConversationRef[];
  /** Index of each new conversation in the old plan. */
  oldIndex: (number | undefined)[];
}

/** Throws `no_shared_conversation`, or `transcript_differs` with the first conversation whose bytes are not the same. */
export function matchConversations(old: Pick<ScanPlan, "conversations">, next: Pick<ScanPlan, "conversations">): Match {
  const places = new Map(old.conversations.map((row, index) => [key(row), index]));
  const oldIndex = next.conversations.map((row) => places.get(key(row)));
  const other: ConversationRef[] = [];
  for (const [index, was] of oldIndex.entries()) {
    if (was === undefined) continue;
    const before = old.conversations[was]!;
    const after = next.conversations[index]!;
    if (before.transcript.sha256 !== after.transcript.sha256)
      throw new AssayError(
        "transcript_differs",
        `${after.model_id} ${after.scenario_id} has other transcript bytes in the two scans`,
        {
          fix: "compare scans of the same transcripts",
          model_id: after.model_id,
          scenario_id: after.scenario_id,
          old_sha256: before.transcript.sha256,
          new_sha256: after.transcript.sha256,
        },
      );
    if (before.evidence_context_sha256 !== after.evidence_context_sha256) other.push(named(after));
  }
  const met = new Set(oldIndex);
  const shared = oldIndex.filter((was) => was !== undefined).length;
  if (shared === 0)
    throw new AssayError(
      "no_shared_conversation",
      `the scans share no conversation (old has ${old.conversations.length}, new has ${next.conversations.length})`,
      { fix: "compare scans of the same source run" },
    );
  return {
    shared,
    old_only: old.conversations.filter((_, index) => !met.has(index)).map(named),
    new_only: next.conversations.filter((_, index) => oldIndex[index] === undefined).map(named),
    other_context: other,
    oldIndex,
  };
}

function key({ model_id, scenario_id }: PlannedConversation): string {
  return JSON.stringify([model_id, scenario_id]);
}

function named({ model_id, scenario_id }: PlannedConversation): ConversationRef {
  return { model_id, scenario_id };
}
