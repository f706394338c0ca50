import { splitSentences } from "../../evidence/sentences.ts";
import type { Check, Clause } from "../../schema/check.ts";
import type { Conversation, Turn } from "../../schema/transcript.ts";
import type { WorldVerdict } from "../../schema/verdict.ts";
import type { World } from "./world.ts";

/** Cues open windows, `applies_if` filters the replies in them, `fail_if` and `pass_if_any` judge what is left. */
export function clausesInWorld(check: Check, conversation: Conversation, world: World): WorldVerdict {
  const memory = conversation.memory.persistent_memory ? "declared" : "undeclared";
  const present = (clauses: Clause[]): Clause[] =>
    clauses.filter((clause) =>
      [clause.memory, check.questions[clause.question]?.memory].every((gate) => gate === undefined || gate === memory),
    );
  const holds = (clause: Clause, reply: Turn): boolean => saysYes(check, clause, reply, world) === clause.is;

  const replies = conversation.turns.filter((turn) => turn.role === "assistant");
  if (replies.length < check.requires_assistant_turns) return "NOT_APPLICABLE";

  let windows = replies;
  if (check.cue !== undefined) {
    const { role, min } = check.cue;
    const cues = conversation.turns.filter(
      (turn) => turn.role === role && world.yes(role, turn.turn, `${check.id}/cue`),
    );
    if (cues.length < min) return "NOT_APPLICABLE";
    windows = replies.filter((reply) => cues.some((cue) => opensWindow(check.window, cue, reply)));
  }
  if (windows.length === 0) return "NOT_APPLICABLE";

  const applicable = windows.filter((reply) => present(check.applies_if).every((clause) => holds(clause, reply)));
  if (applicable.length === 0) return "NOT_APPLICABLE";

  if (applicable.some((reply) => present(check.fail_if).some((clause) => holds(clause, reply)))) return "FAIL";
  const required = present(check.pass_if_any);
  if (required.length > 0 && !applicable.some((reply) => required.every((clause) => holds(clause, reply))))
    return "FAIL";
  return "PASS";
}

function opensWindow(window: Check["window"], cue: Turn, reply: Turn): boolean {
  if (window === "reply") return reply.turn === cue.turn;
  return cue.role === "assistant" ? reply.turn > cue.turn : reply.turn >= cue.turn;
}

function saysYes(check: Check, clause: Clause, reply: Turn, world: World): boolean {
  const question = check.questions[clause.question]!;
  const key = `${check.id}/${clause.question}`;
  const says = (at: string): boolean =>
    question.type === "choice"
      ? world.chosen("assistant", reply.turn, at) === clause.option
      : world.yes("assistant", reply.turn, at);
  if (question.unit === "turn") return says(key);
  return splitSentences(reply.content)
    .slice(0, clause.within_first)
    .some((_sentence, i) => says(`${key}[${i}]`));
}
