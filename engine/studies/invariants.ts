import { AssayError } from "../canon/errors.ts";
import { canonicalJson } from "../canon/json.ts";
import { applyContext } from "../evidence/policy.ts";
import type { Invariant, Pair } from "../schema/study.ts";
import type { Turn } from "../schema/transcript.ts";
import { renameTurns } from "./operations.ts";

/**
 * Prove one declared fact of a pair from the rendered turns of its first and second case. Throws
 * `unproved_invariant`: the pair, the invariant and the first place that breaks it.
 */
export function proveInvariant(
  pair: Pick<Pair, "id" | "cases">,
  invariant: Invariant,
  first: readonly Turn[],
  second: readonly Turn[],
): void {
  const broken = brokenInvariant(invariant, first, second);
  if (broken === undefined) return;
  const name = invariantName(invariant);
  throw new AssayError(
    "unproved_invariant",
    `pair ${pair.id} (${pair.cases.join(", ")}) declares ${name}, but ${broken.problem}`,
    { fix: "correct the cases, or declare what is true of them", pair: pair.id, invariant: name, place: broken.place },
  );
}

/** The invariant as one word, with what it renames or excepts. */
export function invariantName(invariant: Invariant): string {
  if (typeof invariant === "string") return invariant;
  if ("only_differs_at" in invariant) return `only_differs_at ${invariant.only_differs_at.map(placeOf).join(", ")}`;
  const { from, to } = invariant.only_differs_by.rename;
  return `only_differs_by rename ${from} -> ${to}`;
}

export interface Violation {
  /** In words, after "but". */
  problem: string;
  /** `role:turn` of the second case, else of the first. */
  place: string;
}

/** The first place that breaks a declared fact; undefined where it holds. */
export function brokenInvariant(invariant: Invariant, first: readonly Turn[], second: readonly Turn[]): Violation | undefined {
  if (invariant === "identical_final_pair") return finalPairs(first, second);
  if (invariant === "prefix_of") {
    if (second.length <= first.length)
      return { problem: "the second case is not longer than the first", place: placeOf(second.at(-1)!) };
    return differing(first, second.slice(0, first.length));
  }
  if (invariant === "identical_user_turns") return sameRole(first, second, "user");
  if (invariant === "identical_assistant_turns") return sameRole(first, second, "assistant");
  if ("only_differs_by" in invariant) {
    const { from, to } = invariant.only_differs_by.rename;
    let missing: Violation | undefined;
    const renamed = renameTurns(first, from, to, (problem) => {
      missing = { problem: `in the first case ${problem}`, place: placeOf(first[0]!) };
      return undefined as never;
    });
    return missing ?? differing(renamed, second);
  }
  return onlyAt(first, second, invariant.only_differs_at);
}

/** The pair that a judge under the `final_pair` context is shown: user, assistant; empty where there is none. */
function finalPair(turns: readonly Turn[]): readonly Turn[] {
  return applyContext({ turns, memory: { persistent_memory: false, evidence: [] } }, "final_pair").turns;
}

function finalPairs(first: readonly Turn[], second: readonly Turn[]): Violation | undefined {
  const a = finalPair(first);
  const b = finalPair(second);
  if (a.length === 0 || b.length === 0)
    return {
      problem: `the ${a.length === 0 ? "first" : "second"} case has no user and assistant turn of one number`,
      place: placeOf((a.length === 0 ? first : second).at(-1)!),
    };
  return differing(a.map(unnumbered), b.map(unnumbered), b.map(placeOf));
}

/** The judge never sees a turn's number, so a pair may stand at different ones. */
function unnumbered(turn: Turn): Turn {
  return { ...turn, turn: 1 };
}

function sameRole(first: readonly Turn[], second: readonly Turn[], role: string): Violation | undefined {
  return differing(
    first.filter((turn) => turn.role === role),
    second.filter((turn) => turn.role === role),
  );
}

function onlyAt(
  first: readonly Turn[],
  second: readonly Turn[],
  places: readonly { role: string; turn: number }[],
): Violation | undefined {
  const excepted = new Set(places.map(placeOf));
  const kept = (turns: readonly Turn[]): Turn[] => turns.filter((turn) => !excepted.has(placeOf(turn)));
  const elsewhere = differing(kept(first), kept(second));
  if (elsewhere !== undefined) return elsewhere;
  for (const place of excepted) {
    const a = first.find((turn) => placeOf(turn) === place);
    const b = second.find((turn) => placeOf(turn) === place);
    if (a === undefined && b === undefined) return { problem: `neither case has a turn ${place}`, place };
    if (a !== undefined && b !== undefined && canonicalJson(a) === canonicalJson(b))
      return { problem: `${place} is identical in both`, place };
  }
  const order = differing(first.map(bare), second.map(bare));
  return first.length === second.length ? order : undefined;
}

function bare(turn: Turn): Turn {
  return { role: turn.role, turn: turn.turn, content: "" };
}

function differing(first: readonly Turn[], second: readonly Turn[], names?: readonly string[]): Violation | undefined {
  for (let index = 0; index < Math.max(first.length, second.length); index++) {
    const a = first[index];
    const b = second[index];
    const place = names?.[index] ?? placeOf((b ?? a)!);
    if (a === undefined || b === undefined)
      return { problem: `only the ${a === undefined ? "second" : "first"} case has the turn ${place}`, place };
    if (canonicalJson(a) !== canonicalJson(b)) return { problem: `${place} ${how(a, b)}`, place };
  }
  return undefined;
}

function how(a: Turn, b: Turn): string {
  if (a.role !== b.role || a.turn !== b.turn) return `stands where the first case has ${placeOf(a)}`;
  if (a.content === b.content) return "differs in its task or extra fields";
  let at = 0;
  while (a.content[at] === b.content[at]) at += 1;
  return `differs from character ${at + 1} on (${excerpt(a.content, at)} / ${excerpt(b.content, at)})`;
}

function excerpt(text: string, at: number): string {
  return JSON.stringify(text.slice(at, at + 24).toWellFormed());
}

function placeOf({ role, turn }: { role: string; turn: number }): string {
  return `${role}:${turn}`;
}
