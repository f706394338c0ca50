import type { ContextPolicy } from "../schema/judge.ts";
import type { Conversation } from "../schema/transcript.ts";
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
