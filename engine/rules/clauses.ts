import { memoryState, readingOf, windows } from "../evidence/reading.ts";
import { splitSentences } from "../evidence/sentences.ts";
import { timeline } from "../evidence/timeline.ts";
import type { Check } from "../schema/check.ts";
import type { Conversation } from "../schema/transcript.ts";
import { NO, YES, type Resolutions } from "./answers.ts";
import { APPLIES, FAILS, SATISFIES, bearingsOf, type QuestionBearings } from "./bearings.ts";
import { FAIL, NOT_APPLICABLE, PASS, type VerdictSet } from "./verdicts.ts";

/**
 * What one turn number does to the verdict, weakest first, so that a conversation is the maximum of its turns:
 * nothing; an applicable reply that neither fails nor satisfies; one that satisfies; one that fails.
 */
export const LEVELS = { untouched: 0, applicable: 1, satisfied: 2, failed: 3 } as const;
/** A set of levels: bit i is level i. */
type LevelSet = number;
const ONLY_UNTOUCHED = 1 << LEVELS.untouched;

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
  const { cue } = check;
  if (cue === undefined) {
    let levels: LevelSet = ONLY_UNTOUCHED;
    for (const { reply } of steps) if (reply !== undefined) levels = strongest(levels, levelsOf(reply, resolutions));
    return VERDICTS[levels]!;
  }
  let byCount: LevelSet[] = new Array<LevelSet>(cue.min + 1).fill(0);
  byCount[0] = ONLY_UNTOUCHED;
  for (const { cue: asked, reply } of steps) {
    const levels = reply === undefined ? ONLY_UNTOUCHED : levelsOf(reply, resolutions);
    const says = asked === -1 ? NO : resolutions[asked]!;
    // A reply is in an assistant cue's `after` window only from the next one on.
    if (check.window === "after" && cue.role === "assistant") joinWindow(byCount, levels);
    if (says !== NO || check.window === "reply")
      byCount = count(byCount, says, check.window === "reply" ? levels : ONLY_UNTOUCHED);
    if (check.window === "after" && cue.role === "user") joinWindow(byCount, levels);
  }
  let verdicts = VERDICTS[byCount[cue.min]!]!;
  for (let i = 0; i < cue.min; i++) if (byCount[i] !== 0) verdicts |= NOT_APPLICABLE;
  return verdicts;
}

/** The reply of this turn is in the window of every world with a cue before it. */
function joinWindow(byCount: LevelSet[], levels: LevelSet): void {
  for (let i = 1; i < byCount.length; i++) byCount[i] = strongest(byCount[i]!, levels);
}

/** Worlds where the cue is absent stay; the others count one more and take in `levels`, those of its own reply. */
function count(byCount: readonly LevelSet[], says: Resolutions, levels: LevelSet): LevelSet[] {
  const next = (says & NO) !== 0 ? [...byCount] : new Array<LevelSet>(byCount.length).fill(0);
  if ((says & YES) !== 0)
    for (let i = 0; i < byCount.length; i++) {
      const more = Math.min(i + 1, byCount.length - 1);
      next[more]! |= strongest(byCount[i]!, levels);
    }
  return next;
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

/** `STRONGEST[a << 4 | b]`: the maxima of a level of `a` and a level of `b`. */
const STRONGEST = Uint8Array.from({ length: 256 }, (_, pair) => {
  let maxima = 0;
  for (let a = 0; a < 4; a++)
    for (let b = 0; b < 4; b++)
      if (((pair >> 4) & (1 << a)) !== 0 && (pair & (1 << b)) !== 0) maxima |= 1 << Math.max(a, b);
  return maxima;
});

function strongest(a: LevelSet, b: LevelSet): LevelSet {
  return STRONGEST[(a << 4) | b]!;
}

/** The verdict of each level, for a set of levels. Applicable replies of which none satisfies fail by absence. */
const VERDICTS = Uint8Array.from({ length: 16 }, (_, levels) =>
  [NOT_APPLICABLE, FAIL, PASS, FAIL].reduce((set, verdict, i) => ((levels & (1 << i)) === 0 ? set : set | verdict), 0),
);
