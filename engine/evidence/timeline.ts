import type { Conversation, Turn } from "../schema/transcript.ts";

/** One turn number: the caregiver's message and the reply to it, either of which may be missing. */
export interface Moment {
  turn: number;
  user?: Turn;
  assistant?: Turn;
}

const timelines = new WeakMap<Conversation, Moment[]>();

/** The judged turns by turn number, smallest first; other roles are left out. Cached: a conversation is frozen. */
export function timeline(conversation: Conversation): readonly Moment[] {
  const known = timelines.get(conversation);
  if (known !== undefined) return known;
  const moments = new Map<number, Moment>();
  for (const turn of conversation.turns) {
    if (turn.role !== "user" && turn.role !== "assistant") continue;
    let moment = moments.get(turn.turn);
    if (moment === undefined) moments.set(turn.turn, (moment = { turn: turn.turn }));
    moment[turn.role] = turn;
  }
  const ordered = [...moments.values()].sort((a, b) => a.turn - b.turn);
  timelines.set(conversation, ordered);
  return ordered;
}
