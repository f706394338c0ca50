import { h } from "./dom.js";
import type { Child } from "./dom.js";

export interface TranscriptTurn {
  role: string;
  turn: number;
  content: string;
  suspect?: string | null;
}

export interface Highlight {
  role: string;
  turn: number;
  /** UTF-16 offsets into that turn's content. */
  start: number;
  end: number;
  kind: string;
  /** What the highlight is evidence of, e.g. "crisis.follow-through: Fail". */
  label: string;
}

const ROLE: Record<string, string> = { user: "Caregiver", assistant: "Assistant" };

export const roleName = (role: string): string => ROLE[role] ?? role;

/**
 * The conversation turn by turn, with evidence marked in place. Contents are text nodes cut at the offsets of the
 * highlights, so nothing in a transcript can become markup. `beside` adds what belongs to a turn (its answers).
 */
export function transcriptView(
  turns: readonly TranscriptTurn[],
  highlights: readonly Highlight[] = [],
  beside: (turn: TranscriptTurn) => Child = () => null,
): HTMLElement {
  return h(
    "ol",
    { class: "transcript" },
    turns.map((turn) => {
      const own = highlights.filter((mark) => mark.role === turn.role && mark.turn === turn.turn);
      return h(
        "li",
        {
          class: `turn turn-${turn.role === "user" || turn.role === "assistant" ? turn.role : "other"}`,
          id: `${turn.role}-${turn.turn}`,
        },
        h(
          "p",
          { class: "turn-who" },
          roleName(turn.role),
          " ",
          h("span", { class: "turn-number" }, turn.turn),
          turn.suspect ? h("span", { class: "turn-suspect" }, `suspect: ${turn.suspect}`) : null,
        ),
        h(
          "div",
          { class: "turn-text", dir: "auto" },
          turn.content === "" ? h("em", { class: "quiet" }, "(empty)") : marked(turn.content, own),
        ),
        beside(turn),
      );
    }),
  );
}

/** The text in pieces, each piece under the labels of every highlight that covers it. */
export function marked(text: string, highlights: readonly Highlight[]): Child[] {
  const valid = highlights.filter(({ start, end }) => start >= 0 && start < end && end <= text.length);
  const cuts = [...new Set([0, text.length, ...valid.flatMap(({ start, end }) => [start, end])])].sort((a, b) => a - b);
  const pieces: Child[] = [];
  for (let i = 0; i + 1 < cuts.length; i += 1) {
    const start = cuts[i] ?? 0;
    const end = cuts[i + 1] ?? text.length;
    const over = valid.filter((mark) => mark.start <= start && mark.end >= end);
    const piece = text.slice(start, end);
    if (over.length === 0) pieces.push(piece);
    else {
      const title = [...new Set(over.map((mark) => mark.label))].join("\n");
      pieces.push(h("mark", { class: `evidence evidence-${over[0]?.kind ?? "reply"}`, title }, piece));
    }
  }
  return pieces;
}
