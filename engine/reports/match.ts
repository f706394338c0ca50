import { AssayError } from "../canon/errors.ts";
import type { PlannedConversation, ScanPlan } from "../schema/plan.ts";

/** How the conversations of two plans meet, by (model_id, scenario_id). */
export interface Match {
  shared: number;
  old_only: number;
  new_only: number;
  same_evidence_context: boolean;
  /** Index of each new conversation in the old plan. */
  oldIndex: (number | undefined)[];
}

/** Throws `no_shared_conversation`, or `transcript_differs` with the first conversation whose bytes are not the same. */
export function matchConversations(old: Pick<ScanPlan, "conversations">, next: Pick<ScanPlan, "conversations">): Match {
  const places = new Map(old.conversations.map((row, index) => [key(row), index]));
  const oldIndex = next.conversations.map((row) => places.get(key(row)));
  let shared = 0;
  let same = true;
  for (const [index, was] of oldIndex.entries()) {
    if (was === undefined) continue;
    shared += 1;
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
    same &&= before.evidence_context_sha256 === after.evidence_context_sha256;
  }
  if (shared === 0)
    throw new AssayError(
      "no_shared_conversation",
      `the scans share no conversation (old has ${old.conversations.length}, new has ${next.conversations.length})`,
      { fix: "compare scans of the same source run" },
    );
  return {
    shared,
    old_only: old.conversations.length - shared,
    new_only: next.conversations.length - shared,
    same_evidence_context: same,
    oldIndex,
  };
}

function key({ model_id, scenario_id }: PlannedConversation): string {
  return JSON.stringify([model_id, scenario_id]);
}
