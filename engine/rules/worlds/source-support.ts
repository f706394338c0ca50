import { splitSentences } from "../../evidence/sentences.ts";
import type { Check } from "../../schema/check.ts";
import type { Conversation } from "../../schema/transcript.ts";
import type { WorldVerdict } from "../../schema/verdict.ts";
import type { World } from "./world.ts";

/** A sentence that asserts a fact needs the excerpt's support; one that asserts nothing cannot lack it. */
export function sourceInWorld(check: Check, conversation: Conversation, world: World): WorldVerdict {
  const replies = conversation.turns.filter((turn) => turn.role === "assistant");
  if (replies.length < check.requires_assistant_turns) return "NOT_APPLICABLE";
  const asserted = replies.flatMap((reply) => {
    const task = conversation.turns.find((turn) => turn.role === "user" && turn.turn === reply.turn)?.task;
    if (task?.kind !== "grounded_answer") return [];
    const yes = (question: string): boolean => world.yes("assistant", reply.turn, `${check.id}/${question}`);
    return splitSentences(reply.content)
      .map((_sentence, i) => i)
      .filter((i) => yes(`asserts/${i}`))
      .map((i) => yes(`supported/${i}`));
  });
  if (asserted.length === 0) return "NOT_APPLICABLE";
  return asserted.includes(false) ? "FAIL" : "PASS";
}
