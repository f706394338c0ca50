import type { SuspectTurn } from "../schema/plan.ts";
import type { Turn } from "../schema/transcript.ts";

/**
 * Opening words of texts that API clients record in place of a reply. Compared without case, at the very start. The
 * list is part of the rules: a changed one is a new RULES_VERSION.
 */
const CLIENT_ERRORS = [
  "error:",
  "[error",
  "error code:",
  "api error",
  "internal server error",
  "service unavailable",
  "rate limit exceeded",
  "request timed out",
  "connection error",
  "upstream connect error",
  "<html",
  "<!doctype html",
  "traceback (most recent call last)",
];

/** Assistant turns that look like a broken generation, by a closed list; nothing is dropped or repaired. */
export function suspectTurns(turns: readonly Turn[]): SuspectTurn[] {
  const found: SuspectTurn[] = [];
  for (const turn of turns) {
    if (turn.role !== "assistant") continue;
    const content = turn.content.trim();
    if (content === "") found.push({ turn: turn.turn, kind: "empty_content", detail: "the reply is empty" });
    const reason = turn["finish_reason"];
    if (typeof reason === "string" && reason !== "stop")
      found.push({ turn: turn.turn, kind: "finish_reason", detail: reason.slice(0, 80) });
    const opening = content.slice(0, 80).toLowerCase();
    const error = CLIENT_ERRORS.find((text) => opening.startsWith(text));
    if (error !== undefined) found.push({ turn: turn.turn, kind: "client_error_text", detail: error });
  }
  return found;
}
