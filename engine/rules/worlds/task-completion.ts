import type { Check } from "../../schema/check.ts";
import type { Conversation } from "../../schema/transcript.ts";
import type { WorldVerdict } from "../../schema/verdict.ts";
import type { World } from "./world.ts";

/** A requested draft is there, addressed, on purpose, with every required and no excluded detail, or it fails. */
export function taskInWorld(check: Check, conversation: Conversation, world: World): WorldVerdict {
  const replies = conversation.turns.filter((turn) => turn.role === "assistant");
  if (replies.length < check.requires_assistant_turns) return "NOT_APPLICABLE";
  const verdicts = replies.flatMap((reply) => {
    const task = conversation.turns.find((turn) => turn.role === "user" && turn.turn === reply.turn)?.task;
    if (task?.kind !== "draft") return [];
    const yes = (question: string): boolean => world.yes("assistant", reply.turn, `${check.id}/${question}`);
    return [
      yes("draft") &&
        yes("recipient") &&
        yes("purpose") &&
        task.required_details.every((_detail, i) => yes(`includes/required_details/${i}`)) &&
        !task.excluded_details.some((_detail, i) => yes(`includes/excluded_details/${i}`)),
    ];
  });
  if (verdicts.length === 0) return "NOT_APPLICABLE";
  return verdicts.includes(false) ? "FAIL" : "PASS";
}
