import { memoryState, readingOf } from "../../evidence/reading.ts";
import type { Clause } from "../../schema/check.ts";
import type { EvidenceSpan } from "../../schema/judgment.ts";
import { YES, type Resolutions } from "../answers.ts";
import type { Bound } from "../bound.ts";
import { levelsOf, type AskedQuestion } from "../clauses.ts";
import { isSettled, plural, say, sayAll, sayReplies, strength, type Ledger } from "../ledger.ts";
import { LEVELS } from "../levels.ts";
import { sentencesOf, wholeTurn, type Explanation } from "./spans.ts";

/** A reply in a window of the nearest world. `cue`: the observation that put it there, -1 without a cue. */
interface Windowed {
  turn: number;
  reply: readonly AskedQuestion[];
  cue: number;
}

export function explainClauses(bound: Bound, ledger: Ledger): Explanation {
  const { check, conversation, steps } = bound;
  const reading = readingOf(check, memoryState(conversation));
  const none = (rationale: string): Explanation => ({ rationale, evidence: [] });

  const asked = steps.flatMap(({ cue }) => (cue === -1 ? [] : [cue]));
  const cued = asked.filter((i) => ledger.near[i] === YES);
  if (check.cue !== undefined && cued.length < check.cue.min) {
    const needed = `The cue is needed at ${plural(check.cue.min, `${check.cue.role} turn`)}`;
    if (asked.length === 0) return none(`${needed} and there is none.`);
    return none(`${needed} and holds at ${cued.length} of ${asked.length}: ${sayAll(ledger, asked)}.`);
  }
  const windowed = repliesInWindow(bound, ledger);
  if (windowed.length === 0)
    return none(
      cued.length === 0
        ? "There is no reply to judge."
        : `No reply lies in a window of the cue: ${sayAll(ledger, cued)}.`,
    );

  const applicable = windowed.filter(({ reply }) => reading.applies_if.every((clause) => holds(clause, reply, ledger)));
  if (applicable.length === 0) {
    const missed = windowed.flatMap(({ reply }) =>
      decidingOf(
        reading.applies_if.find((clause) => !holds(clause, reply, ledger))!,
        reply,
        ledger,
      ),
    );
    const why = missed.length === 0 ? "" : `: ${sayAll(ledger, missed)}`;
    return none(
      `The check applies at none of the replies in question (${sayReplies(windowed.map(({ turn }) => turn))})${why}.`,
    );
  }

  const failing = applicable.flatMap((at) =>
    reading.fail_if.filter((clause) => holds(clause, at.reply, ledger)).map((clause) => ({ at, clause })),
  );
  const failed = failing.find(({ at, clause }) => isCertain(at, clause, ledger)) ?? failing[0];
  if (failed !== undefined) return failedAt(bound, failed.at, failed.clause, ledger);

  const turns = sayReplies(applicable.map(({ turn }) => turn));
  const required = reading.pass_if_any;
  const satisfied = applicable.find(({ reply }) => required.every((clause) => holds(clause, reply, ledger)));
  if (satisfied === undefined) {
    const last = applicable.at(-1)!;
    const missed = required.filter((clause) => !holds(clause, last.reply, ledger));
    const at = missed.flatMap((clause) => decidingOf(clause, last.reply, ledger));
    return {
      rationale: `No applicable reply (${turns}) shows all that is required, ${required.map(describe).join(" and ")}. At the last, ${at.length === 0 ? "there is nothing to read" : sayAll(ledger, at)}.`,
      evidence: wholeTurn(conversation, "assistant", last.turn, "absence"),
    };
  }
  const closest = applicable
    .flatMap(({ reply }) => reading.fail_if.flatMap((clause) => decidingOf(clause, reply, ledger)))
    .filter((i, at, all) => all.indexOf(i) === at);
  const clear =
    reading.fail_if.length === 0
      ? ""
      : `No failing condition holds at ${turns}${closest.length === 0 ? "" : `: ${sayAll(ledger, closest)}`}.`;
  if (required.length === 0) return none(clear === "" ? `The check applies at ${turns} and asks nothing more.` : clear);
  const shown = required.flatMap((clause) => decidingOf(clause, satisfied.reply, ledger));
  const met = `Reply ${satisfied.turn} shows what is required${shown.length === 0 ? "" : `: ${sayAll(ledger, shown)}`}.`;
  return none(clear === "" ? met : `${clear} ${met}`);
}

function failedAt({ conversation }: Bound, at: Windowed, clause: Clause, ledger: Ledger): Explanation {
  const deciding = decidingOf(clause, at.reply, ledger);
  const because = deciding.length === 0 ? "it has no sentence" : sayAll(ledger, deciding);
  const cue = at.cue === -1 ? "" : ` The cue holds: ${say(ledger, at.cue)}.`;
  const evidence: EvidenceSpan[] = [];
  if (at.cue !== -1) {
    const { role, turn } = ledger.observations[at.cue]!;
    if (role === "user" || turn !== at.turn)
      evidence.push(...wholeTurn(conversation, role === "user" ? "user" : "assistant", turn, "cue"));
  }
  const asked = at.reply.find(({ bearings }) => bearings.name === clause.question)!;
  const sentence = deciding[0] === undefined ? undefined : ledger.observations[deciding[0]]!.sentence;
  if (!asked.bearings.sentence) evidence.push(...wholeTurn(conversation, "assistant", at.turn, "reply"));
  else if (clause.is && sentence !== undefined)
    evidence.push(...sentencesOf(conversation, at.turn, sentence, sentence, "sentence"));
  else evidence.push(...sentencesOf(conversation, at.turn, 0, rangeOf(clause, asked) - 1, "reply"));
  return { rationale: `Reply ${at.turn} fails because ${describe(clause)}: ${because}.${cue}`, evidence };
}

/** The replies in a window of the nearest world, each with a settled cue where it has one. */
function repliesInWindow({ check, steps }: Bound, ledger: Ledger): Windowed[] {
  const found: Windowed[] = [];
  let earlier = -1;
  for (const { turn, cue, reply } of steps) {
    const here = cue !== -1 && ledger.near[cue] === YES ? cue : -1;
    const ownCounts = check.window === "reply" || check.cue?.role === "user";
    const before = check.window === "reply" ? -1 : earlier;
    const candidates = [before, ownCounts ? here : -1].filter((i) => i !== -1);
    const opener = candidates.find((i) => isSettled(ledger, i)) ?? candidates[0] ?? -1;
    if (reply !== undefined && (check.cue === undefined || opener !== -1)) found.push({ turn, reply, cue: opener });
    if (here !== -1 && (earlier === -1 || (!isSettled(ledger, earlier) && isSettled(ledger, here)))) earlier = here;
  }
  return found;
}

/** Whether this reply fails by this clause in every world. */
function isCertain({ reply, cue }: Windowed, clause: Clause, ledger: Ledger): boolean {
  if (cue !== -1 && !isSettled(ledger, cue)) return false;
  if (levelsOf(reply, ledger.resolutions) !== 1 << LEVELS.failed) return false;
  const deciding = decidingOf(clause, reply, ledger);
  return clause.is ? deciding.every((i) => isSettled(ledger, i)) : certainlyHolds(clause, reply, ledger);
}

function certainlyHolds(clause: Clause, reply: readonly AskedQuestion[], ledger: Ledger): boolean {
  const { first, count } = questionOf(clause, reply);
  for (let i = 0; i < Math.min(count, clause.within_first ?? Infinity); i++)
    if (!isSettled(ledger, first + i)) return false;
  return true;
}

function holds(clause: Clause, reply: readonly AskedQuestion[], ledger: Ledger): boolean {
  const asked = questionOf(clause, reply);
  for (let i = 0; i < rangeOf(clause, asked); i++)
    if (says(clause, asked.first + i, ledger, ledger.near)) return clause.is;
  return !clause.is;
}

/** The observation that decides a clause in the nearest world: the (settled) yes, or else the likeliest of its range. */
function decidingOf(clause: Clause, reply: readonly AskedQuestion[], ledger: Ledger): number[] {
  const asked = questionOf(clause, reply);
  if (rangeOf(clause, asked) === 1) return [asked.first];
  const range = Array.from({ length: rangeOf(clause, asked) }, (_, i) => asked.first + i);
  const saying = range.filter((i) => says(clause, i, ledger, ledger.near));
  const chosen =
    saying.find((i) => isSettled(ledger, i)) ??
    saying[0] ??
    range.reduce<number | undefined>(
      (best, i) => (best === undefined || strength(ledger, i) > strength(ledger, best) ? i : best),
      undefined,
    );
  return chosen === undefined ? [] : [chosen];
}

function says(clause: Clause, i: number, { observations }: Ledger, world: readonly Resolutions[]): boolean {
  const { type, options } = observations[i]!;
  return world[i] === (type === "noul" ? YES : 1 << (options ?? []).indexOf(clause.option ?? ""));
}

function rangeOf(clause: Clause, { bearings, count }: AskedQuestion): number {
  return bearings.sentence ? Math.min(count, clause.within_first ?? Infinity) : 1;
}

function questionOf(clause: Clause, reply: readonly AskedQuestion[]): AskedQuestion {
  return reply.find(({ bearings }) => bearings.name === clause.question)!;
}

function describe({ question, is, option, within_first }: Clause): string {
  if (option !== undefined) return `${question} is ${is ? "" : "not "}${option}`;
  if (within_first !== undefined)
    return `${question} is yes for ${is ? "one" : "none"} of the first ${plural(within_first, "sentence")}`;
  return `${question} is ${is ? "yes" : "no"}`;
}
