import { memoryState, readingOf, windows } from "../evidence/reading.ts";
import { splitSentences } from "../evidence/sentences.ts";
import { timeline } from "../evidence/timeline.ts";
import type { Check } from "../schema/check.ts";
import type { Conversation } from "../schema/transcript.ts";
import { NO, YES, type Resolutions } from "./answers.ts";
import { APPLIES, FAILS, SATISFIES, bearingsOf, type QuestionBearings } from "./bearings.ts";
import { LEVEL_COUNT, LEVELS, ONLY_UNTOUCHED, strongest, verdictsOfLevels, type LevelSet } from "./levels.ts";
import { NOT_APPLICABLE, type VerdictSet } from "./verdicts.ts";

/** A question at one reply: its observations are `first` up to `first + count`. */
export interface AskedQuestion {
  bearings: QuestionBearings;
  first: number;
  count: number;
}

/** One turn number. `cue` is the index of its cue observation, -1 without; `reply` is absent outside all windows. */
export interface Step {
  turn: number;
  cue: number;
  reply: readonly AskedQuestion[] | undefined;
}

/** The turns of a conversation as a `clauses` check sees them, in the order of its observations. */
export function stepsOf(check: Check, conversation: Conversation): Step[] {
  const state = memoryState(conversation);
  const { questions } = readingOf(check, state);
  const bearings = bearingsOf(check, state);
  const inWindow = windows(check, conversation);
  let next = 0;
  return timeline(conversation).map(({ turn, user, assistant }) => {
    const cued = check.cue !== undefined && (check.cue.role === "user" ? user : assistant) !== undefined;
    const step: Step = { turn, cue: cued ? next++ : -1, reply: undefined };
    if (assistant === undefined || !inWindow(turn, user !== undefined)) return step;
    step.reply = questions.map(({ question, sentences }, i) => {
      const count = question.unit === "turn" ? 1 : Math.min(splitSentences(assistant.content).length, sentences);
      const asked = { bearings: bearings[i]!, first: next, count };
      next += count;
      return asked;
    });
    return step;
  });
}

/**
 * The exact verdict set of a `clauses` check. Observations resolve independently and each bears on one turn number
 * only, so sets of levels are folded over the turns, apart for each number of cues so far (capped at `min`; an
 * `after` window is open from the first cue on). Linear in the observations times `min`.
 */
export function possibleClauses(check: Check, steps: readonly Step[], resolutions: readonly Resolutions[]): VerdictSet {
  if (check.cue === undefined) {
    let levels = ONLY_UNTOUCHED;
    for (const { reply } of steps) if (reply !== undefined) levels = strongest(levels, levelsOf(reply, resolutions));
    return verdictsOfLevels(levels);
  }
  const { start, end } = frameOf(check);
  let byCount = start;
  for (const step of steps) byCount = advance(check, byCount, step, resolutions);
  return verdictsFrom(byCount, end);
}

/**
 * The verdict set once `resolutions[i]` alone has changed, at the cost of one turn: what all turns before it may come
 * to is kept going forward, what the later ones make of each state going backward.
 */
export function clausesAfter(
  check: Check,
  steps: readonly Step[],
  resolutions: readonly Resolutions[],
): (i: number) => VerdictSet {
  const before: ByCount[] = [];
  const { start, end } = frameOf(check);
  let byCount = start;
  for (const step of steps) {
    before.push(byCount);
    byCount = advance(check, byCount, step, resolutions);
  }
  const after = new Array<VerdictsByState>(steps.length);
  let then = end;
  for (let t = steps.length - 1; t >= 0; t--) {
    after[t] = then;
    then = retreat(check, then, steps[t]!, resolutions);
  }
  const places = placesOf(steps);
  return (i) => {
    const t = places.get(i)!;
    return verdictsFrom(advance(check, before[t]!, steps[t]!, resolutions), after[t]!);
  };
}

/** The levels possible with each number of cues so far; one entry, for none needed, without a cue. */
type ByCount = readonly LevelSet[];
/** What each state, `count * LEVEL_COUNT + level`, may end in. */
type VerdictsByState = readonly VerdictSet[];

interface Frame {
  start: ByCount;
  end: VerdictsByState;
}

const frames = new WeakMap<Check, Frame>();

/** Where the fold of a check begins, and what each state at the end amounts to. */
function frameOf(check: Check): Frame {
  let frame = frames.get(check);
  if (frame === undefined) {
    const min = check.cue?.min ?? 0;
    frame = {
      start: Array.from({ length: min + 1 }, (_, count) => (count === 0 ? ONLY_UNTOUCHED : 0)),
      end: Array.from({ length: (min + 1) * LEVEL_COUNT }, (_, state) =>
        state < min * LEVEL_COUNT ? NOT_APPLICABLE : verdictsOfLevels(1 << (state % LEVEL_COUNT)),
      ),
    };
    frames.set(check, frame);
  }
  return frame;
}

function advance(check: Check, from: ByCount, { cue, reply }: Step, resolutions: readonly Resolutions[]): ByCount {
  const own = reply === undefined ? ONLY_UNTOUCHED : levelsOf(reply, resolutions);
  const says = cue === -1 ? NO : resolutions[cue]!;
  const last = from.length - 1;
  const to = new Array<LevelSet>(from.length).fill(0);
  for (let count = 0; count <= last; count++) {
    const levels = from[count]!;
    if (levels === 0) continue;
    if ((says & NO) !== 0) to[count]! |= isOpen(check, count, false) ? strongest(levels, own) : levels;
    if ((says & YES) !== 0)
      to[Math.min(count + 1, last)]! |= isOpen(check, count, true) ? strongest(levels, own) : levels;
  }
  return to;
}

/** `advance` read backward: what each state before a turn may end in, from what those after it may. */
function retreat(
  check: Check,
  then: VerdictsByState,
  { cue, reply }: Step,
  resolutions: readonly Resolutions[],
): VerdictsByState {
  const own = reply === undefined ? ONLY_UNTOUCHED : levelsOf(reply, resolutions);
  const says = cue === -1 ? NO : resolutions[cue]!;
  const last = then.length / LEVEL_COUNT - 1;
  return then.map((_, state) => {
    const count = Math.floor(state / LEVEL_COUNT);
    const level = 1 << (state % LEVEL_COUNT);
    let verdicts = 0;
    if ((says & NO) !== 0)
      verdicts |= verdictsAt(count, isOpen(check, count, false) ? strongest(level, own) : level, then);
    if ((says & YES) !== 0)
      verdicts |= verdictsAt(
        Math.min(count + 1, last),
        isOpen(check, count, true) ? strongest(level, own) : level,
        then,
      );
    return verdicts;
  });
}

/** Whether the reply of a turn is in a window, with `count` cues before the turn, and a cue at it or none. */
function isOpen({ cue, window }: Check, count: number, cued: boolean): boolean {
  if (cue === undefined) return true;
  // A reply is in an assistant cue's `after` window only from the next one on.
  if (cued && (window === "reply" || cue.role === "user")) return true;
  return window === "after" && count > 0;
}

function verdictsFrom(byCount: ByCount, then: VerdictsByState): VerdictSet {
  return byCount.reduce((verdicts, levels, count) => verdicts | verdictsAt(count, levels, then), 0);
}

function verdictsAt(count: number, levels: LevelSet, then: VerdictsByState): VerdictSet {
  let verdicts = 0;
  for (let level = 0; level < LEVEL_COUNT; level++)
    if ((levels & (1 << level)) !== 0) verdicts |= then[count * LEVEL_COUNT + level]!;
  return verdicts;
}

/** The step of each observation. */
function placesOf(steps: readonly Step[]): Map<number, number> {
  const places = new Map<number, number>();
  steps.forEach(({ cue, reply }, t) => {
    if (cue !== -1) places.set(cue, t);
    for (const { first, count } of reply ?? []) for (let i = first; i < first + count; i++) places.set(i, t);
  });
  return places;
}

/** The levels a reply may reach, were it in a window. */
export function levelsOf(reply: readonly AskedQuestion[], resolutions: readonly Resolutions[]): LevelSet {
  // Bit b: the reply may bear on the rule in way b (a combination of applies, fails, satisfies).
  let ways = 1 << (APPLIES | SATISFIES);
  for (const { bearings, first, count } of reply) {
    const own = bearings.ways(resolutions, first, count);
    let joined = 0;
    for (let a = 0; a < 8; a++)
      if ((ways & (1 << a)) !== 0)
        for (let b = 0; b < 8; b++)
          if ((own & (1 << b)) !== 0) joined |= 1 << ((a & b & (APPLIES | SATISFIES)) | ((a | b) & FAILS));
    ways = joined;
  }
  let levels = 0;
  for (let way = 0; way < 8; way++) if ((ways & (1 << way)) !== 0) levels |= 1 << levelOf(way);
  return levels;
}

function levelOf(way: number): number {
  if ((way & APPLIES) === 0) return LEVELS.untouched;
  if ((way & FAILS) !== 0) return LEVELS.failed;
  return (way & SATISFIES) !== 0 ? LEVELS.satisfied : LEVELS.applicable;
}
