import type { Turn } from "../schema/transcript.ts";
import type { Tally } from "./tally.ts";

/** A message of a foreign conversation, reduced to what a turn holds. */
export interface Message {
  role: string;
  content: string;
  finish_reason?: string;
}

/**
 * Turn numbers for messages that have none; nothing is merged and the order is kept. A user message opens the next
 * turn. An assistant message belongs to the turn that is open, and opens the next one where the assistant has spoken
 * in it already or no turn is open. A message of any other role has the number of the turn that is open (1 before the
 * first), or the next number that its role is free to use.
 */
export function numberTurns(messages: readonly Message[]): Turn[] {
  let open = 0;
  let answered = true;
  const last = new Map<string, number>();
  return messages.map(({ role, content, finish_reason }) => {
    let turn: number;
    if (role === "user") {
      turn = ++open;
      answered = false;
    } else if (role === "assistant") {
      if (answered) open++;
      turn = open;
      answered = true;
    } else {
      turn = Math.max(open, 1, (last.get(role) ?? 0) + 1);
      last.set(role, turn);
    }
    return { role, turn, content, ...(finish_reason === undefined ? {} : { finish_reason }) };
  });
}

const TEXT_PARTS: ReadonlySet<unknown> = new Set(["text", "input_text", "output_text"]);

/**
 * The text of a message's content: a string, or parts of which the text parts and refusals are joined with a newline.
 * Other parts are counted by type below `path`. Undefined where the content is none of these.
 */
export function textOf(content: unknown, dropped: Tally, path: string): string | undefined {
  if (typeof content === "string") return content;
  if (!Array.isArray(content)) return undefined;
  const texts: string[] = [];
  for (const part of content as unknown[]) {
    if (typeof part === "string") texts.push(part);
    else if (typeof part !== "object" || part === null) return undefined;
    else {
      const type = "type" in part ? part.type : undefined;
      if (TEXT_PARTS.has(type) && "text" in part && typeof part.text === "string") texts.push(part.text);
      else if (type === "refusal" && "refusal" in part && typeof part.refusal === "string") texts.push(part.refusal);
      else dropped.add(`${path}[type=${typeof type === "string" ? type : "?"}]`);
    }
  }
  return texts.join("\n");
}
