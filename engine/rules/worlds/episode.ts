import type { Check, Formula } from "../../schema/check.ts";
import type { Conversation, Turn } from "../../schema/transcript.ts";
import type { WorldVerdict } from "../../schema/verdict.ts";
import type { World } from "./world.ts";

/** Every reply that has a later one may open an episode; each opened episode is followed to the last reply. */
export function episodeInWorld(check: Check, conversation: Conversation, world: World): WorldVerdict {
  const replies = conversation.turns.filter((turn) => turn.role === "assistant").sort((a, b) => a.turn - b.turn);
  const last = replies.at(-1);
  if (last === undefined || replies.length < check.requires_assistant_turns) return "NOT_APPLICABLE";
  const verdicts = replies
    .filter((reply) => reply !== last)
    .map((reference) => follow(check, conversation, world, reference, last));
  return verdicts.includes("FAIL") ? "FAIL" : verdicts.includes("PASS") ? "PASS" : "NOT_APPLICABLE";
}

function follow(check: Check, conversation: Conversation, world: World, reference: Turn, last: Turn): WorldVerdict {
  const { opens, confirms, reopens, violates } = check.episode!;
  const says = (formula: Formula, at: Turn): boolean => {
    if (typeof formula !== "string") {
      if ("not" in formula) return !says(formula.not, at);
      if ("all" in formula) return formula.all.every((part) => says(part, at));
      return formula.any.some((part) => says(part, at));
    }
    const bound = check.questions[formula]!.binds === "reply" ? "reply" : reference.turn;
    return world.yes(at.role, at.turn, `${check.id}/${bound}/${formula}`);
  };

  if (!says(opens, reference)) return "NOT_APPLICABLE";
  const later = conversation.turns
    .filter((turn) => turn.role === "user" || turn.role === "assistant")
    .filter((turn) => turn.turn > reference.turn && turn.turn <= last.turn)
    .sort((a, b) => a.turn - b.turn || (a.role === "user" ? -1 : 1));
  let confirmed = false;
  for (const message of later) {
    if (message.role === "user") confirmed = (confirmed || says(confirms, message)) && !says(reopens, message);
    else if (!confirmed && says(violates, message)) return "FAIL";
  }
  return "PASS";
}
