import { splitSentences } from "../../evidence/sentences.ts";
import { timeline } from "../../evidence/timeline.ts";
import type { EvidenceSpan } from "../../schema/judgment.ts";
import type { Conversation, Turn } from "../../schema/transcript.ts";

/** Why a verdict holds: one or two sentences and exact quotes. */
export interface Explanation {
  rationale: string;
  evidence: EvidenceSpan[];
}

/** The whole of a turn; nothing where the conversation has no such turn. */
export function wholeTurn(
  conversation: Conversation,
  role: "user" | "assistant",
  turn: number,
  kind: EvidenceSpan["kind"],
): EvidenceSpan[] {
  const found = turnAt(conversation, role, turn);
  return found === undefined ? [] : [span(found, 0, found.content.length, kind)];
}

/** Sentences `first` to `last` of a reply, as one span; the whole reply where it has none. */
export function sentencesOf(
  conversation: Conversation,
  turn: number,
  first: number,
  last: number,
  kind: EvidenceSpan["kind"],
): EvidenceSpan[] {
  const reply = turnAt(conversation, "assistant", turn);
  if (reply === undefined) return [];
  const sentences = splitSentences(reply.content);
  const from = sentences[first];
  const to = sentences[last];
  if (from === undefined || to === undefined) return [span(reply, 0, reply.content.length, kind)];
  return [span(reply, from.start, to.end, kind)];
}

function turnAt(conversation: Conversation, role: "user" | "assistant", turn: number): Turn | undefined {
  return timeline(conversation).find((moment) => moment.turn === turn)?.[role];
}

function span({ role, turn, content }: Turn, start: number, end: number, kind: EvidenceSpan["kind"]): EvidenceSpan {
  return { role, turn, start, end, quote: content.slice(start, end), kind };
}
