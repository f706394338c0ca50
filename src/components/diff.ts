import { diffArrays, diffWordsWithSpace } from "npm:diff";
import { h, hidden } from "./dom.js";
import type { Child } from "./dom.js";
import { roleName } from "./transcript.js";
import type { TranscriptTurn } from "./transcript.js";

/** One line of a comparison: a turn of each side, or of one side only. */
export interface TurnPair {
  before: TranscriptTurn | null;
  after: TranscriptTurn | null;
}

/** Above this, comparing words could hold up the page; the turn is then shown as replaced as a whole. */
const WORD_LIMIT_MS = 150;

const spoken = (turn: TranscriptTurn): string => `${turn.role}\n${turn.content}`;

/** Turns said alike stand on one line; between those, turns of one role are paired in order. */
export function pairTurns(before: readonly TranscriptTurn[], after: readonly TranscriptTurn[]): TurnPair[] {
  const pairs: TurnPair[] = [];
  let [left, right] = [0, 0];
  let removed: TranscriptTurn[] = [];
  const flush = (added: TranscriptTurn[]): void => {
    pairs.push(...pairByRole(removed, added));
    removed = [];
  };
  for (const { count, added, removed: gone } of diffArrays(before.map(spoken), after.map(spoken))) {
    const [lefts, rights] = [before.slice(left, left + count), after.slice(right, right + count)];
    if (!added) left += count;
    if (!gone) right += count;
    if (gone) removed = lefts;
    else if (added) flush(rights);
    else {
      flush([]);
      pairs.push(...lefts.map((turn, i) => ({ before: turn, after: rights[i] ?? null })));
    }
  }
  flush([]);
  return pairs;
}

function pairByRole(removed: readonly TranscriptTurn[], added: readonly TranscriptTurn[]): TurnPair[] {
  const pairs: TurnPair[] = [];
  const rest = [...added];
  for (const turn of removed) {
    const match = rest.findIndex(({ role }) => role === turn.role);
    const ahead = match < 0 ? [] : rest.splice(0, match);
    pairs.push(...ahead.map((after) => ({ before: null, after })));
    pairs.push({ before: turn, after: match < 0 ? null : (rest.shift() ?? null) });
  }
  return [...pairs, ...rest.map((after) => ({ before: null, after }))];
}

/** Two transcripts side by side (one above the other where it is narrow), what differs marked word by word. */
export function transcriptDiff(
  before: readonly TranscriptTurn[],
  after: readonly TranscriptTurn[],
  options: { before: Child; after: Child; label?: string },
): HTMLElement {
  const pairs = pairTurns(before, after);
  const changed = pairs.filter((pair) => kindOf(pair) !== "same").length;
  return h(
    "div",
    { class: "diff", role: "group", "aria-label": options.label ?? "Two transcripts compared" },
    h(
      "p",
      { class: "diff-summary" },
      changed === 0 ? `No turn differs (0/${pairs.length})` : `Turns that differ: ${changed}/${pairs.length}`,
    ),
    h(
      "div",
      { class: "diff-row diff-heads" },
      h("p", { class: "small-caps" }, options.before),
      h("p", { class: "small-caps" }, options.after),
    ),
    pairs.map(line),
  );
}

type Kind = "same" | "changed" | "added" | "removed";

function kindOf({ before, after }: TurnPair): Kind {
  if (before === null) return "added";
  if (after === null) return "removed";
  return spoken(before) === spoken(after) ? "same" : "changed";
}

const SAID: Record<Kind, string> = { same: "", changed: "changed", added: "added", removed: "removed" };

function line(pair: TurnPair): HTMLElement {
  const kind = kindOf(pair);
  const [left, right] = kind === "changed" ? words(pair) : [pair.before?.content, pair.after?.content];
  const whole = (text: Child, name: "del" | "ins", when: Kind): Child => (kind === when ? h(name, {}, text) : text);
  return h(
    "div",
    { class: `diff-row diff-${kind}` },
    side(pair.before, whole(left, "del", "removed"), kind),
    side(pair.after, whole(right, "ins", "added"), kind),
  );
}

function side(turn: TranscriptTurn | null, content: Child, kind: Kind): HTMLElement {
  if (turn === null) return h("div", { class: "diff-side diff-none" }, hidden("no such turn"));
  return h(
    "div",
    { class: `diff-side diff-${turn.role === "user" ? "user" : "reply"}` },
    h(
      "p",
      { class: "turn-who" },
      roleName(turn.role),
      " ",
      h("span", { class: "turn-number" }, turn.turn),
      kind !== "same" && h("span", { class: "diff-kind" }, ` ${SAID[kind]}`),
    ),
    h("div", { class: "turn-text", dir: "auto" }, turn.content === "" ? h("em", {}, "(empty)") : content),
  );
}

function words({ before, after }: TurnPair): [Child, Child] {
  const [from, to] = [before?.content ?? "", after?.content ?? ""];
  // The library gives up, without an answer, on texts that would take too long.
  const pieces = diffWordsWithSpace(from, to, { timeout: WORD_LIMIT_MS });
  if (pieces === undefined) return [h("del", {}, from), h("ins", {}, to)];
  const part = (keep: "added" | "removed", name: "del" | "ins"): Child[] =>
    pieces
      .filter((piece) => piece[keep] || (!piece.added && !piece.removed))
      .map((piece) => (piece[keep] ? h(name, {}, piece.value) : piece.value));
  return [part("removed", "del"), part("added", "ins")];
}
