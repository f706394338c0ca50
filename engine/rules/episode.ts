import { leaves } from "../evidence/reading.ts";
import { timeline } from "../evidence/timeline.ts";
import type { Check } from "../schema/check.ts";
import type { Observation } from "../schema/request.ts";
import type { Conversation } from "../schema/transcript.ts";
import { EITHER, NO, YES, type Resolutions } from "./answers.ts";
import { compileFormula, rangeOf, type CompiledFormula } from "./formula.ts";
import { FAIL, NOT_APPLICABLE, PASS, type VerdictSet } from "./verdicts.ts";

/** The formulas of an episode check, each over its own sorted list of question names. */
export interface EpisodeFormulas {
  opens: CompiledFormula;
  opensNames: readonly string[];
  /** Over `updateNames`: becomes confirmed by this message alone; and stays confirmed through it. */
  confirmsNow: CompiledFormula;
  staysConfirmed: CompiledFormula;
  updateNames: readonly string[];
  /** Over the reply-bound names, then the reference-bound ones. */
  violates: CompiledFormula;
  sharedNames: readonly string[];
  ownNames: readonly string[];
}

/** A message after the reference, as one episode sees it: where its observations begin. */
export interface Later {
  turn: number;
  role: "user" | "assistant";
  /** First observation of this episode's own names here. */
  own: number;
  /** First observation of the shared (reply-bound) names of a reply; -1 for a user message. */
  shared: number;
}

export interface Episode {
  reference: number;
  opens: number;
  later: Later[];
}

const cache = new WeakMap<Check, EpisodeFormulas>();

export function formulasOf(check: Check): EpisodeFormulas {
  const known = cache.get(check);
  if (known !== undefined) return known;
  const { opens, confirms, reopens, violates } = check.episode!;
  const opensNames = leaves(opens);
  const updateNames = leaves(confirms, reopens);
  const isShared = (name: string): boolean => check.questions[name]?.binds === "reply";
  const sharedNames = leaves(violates).filter(isShared);
  const ownNames = leaves(violates).filter((name) => !isShared(name));
  const formulas = {
    opens: compileFormula(opens, opensNames),
    opensNames,
    confirmsNow: compileFormula({ all: [confirms, { not: reopens }] }, updateNames),
    staysConfirmed: compileFormula({ not: reopens }, updateNames),
    updateNames,
    violates: compileFormula(violates, [...sharedNames, ...ownNames]),
    sharedNames,
    ownNames,
  };
  cache.set(check, formulas);
  return formulas;
}

/** The episodes a conversation may hold, counting observations in the order of `observe`. */
export function episodesOf(check: Check, conversation: Conversation): Episode[] {
  const { opensNames, updateNames, sharedNames, ownNames } = formulasOf(check);
  const moments = timeline(conversation);
  const last = moments.findLast((moment) => moment.assistant !== undefined)?.turn ?? 0;
  const episodes: Episode[] = [];
  let next = 0;
  const take = (count: number): number => (next += count) - count;
  for (const { turn, user, assistant } of moments) {
    if (turn > last) break;
    if (user !== undefined)
      for (const { later } of episodes) later.push({ turn, role: "user", own: take(updateNames.length), shared: -1 });
    if (assistant === undefined) continue;
    const shared = episodes.length > 0 ? take(sharedNames.length) : -1;
    for (const { later } of episodes) later.push({ turn, role: "assistant", own: take(ownNames.length), shared });
    if (turn !== last) episodes.push({ reference: turn, opens: take(opensNames.length), later: [] });
  }
  return episodes;
}

/** What one episode may come to, with every answer it reads free. */
export interface Prospects {
  /** Range of `opens`. */
  opens: Resolutions;
  canFail: boolean;
  canPass: boolean;
  /** Indices into `later` of the replies that find the episode unconfirmed in every world that avoids it. */
  exposed: number[];
}

/**
 * The exact verdict set of an episode check.
 *
 * Being confirmed never hurts: a reply fails an episode only while unconfirmed, and a message that confirms an
 * unconfirmed episode leaves a confirmed one confirmed. A message's answers bear on nothing else. So each episode has
 * one best course (confirmed wherever its messages allow) and one worst course, each the best or worst at every reply
 * at once, and:
 *  - FAIL is possible iff some episode can open and, on its worst course, some reply can violate. One episode is
 *    enough, so the sharing of reply-bound answers cannot stand in the way.
 *  - NOT_APPLICABLE is possible iff every episode can stay unopened.
 *  - PASS is possible iff no reply is bound to fail any of the episodes that cannot stay unopened, all on their best
 *    course; if there are none, iff one that can open can avoid failing. Replies share no answers with each other,
 *    so each is settled alone: some assignment of its reply-bound answers must spare all exposed episodes at once.
 *    `violates` may rise and fall with a shared answer, so this is a search over that reply's open shared answers,
 *    whose number the check bounds, not the conversation.
 */
export function possibleEpisode(
  check: Check,
  episodes: readonly Episode[],
  resolutions: readonly Resolutions[],
): VerdictSet {
  const prospects = episodes.map((episode) => prospectsOf(check, episode, resolutions));
  return possibleFrom(check, episodes, prospects, resolutions);
}

/** The same from what each episode may come to: a change to one episode's answers leaves the others' as they were. */
export function possibleFrom(
  check: Check,
  episodes: readonly Episode[],
  prospects: readonly Prospects[],
  resolutions: readonly Resolutions[],
): VerdictSet {
  let verdicts = NOT_APPLICABLE;
  let passable = false;
  const bound: [Episode, Prospects][] = [];
  prospects.forEach((own, i) => {
    if (own.opens === NO) return;
    if (own.canFail) verdicts |= FAIL;
    passable ||= own.canPass;
    if (own.opens === YES) bound.push([episodes[i]!, own]);
  });
  if (bound.length > 0) {
    verdicts &= ~NOT_APPLICABLE;
    passable = bound.every(([, { canPass }]) => canPass) && canSpareAll(formulasOf(check), bound, resolutions);
  }
  return passable ? verdicts | PASS : verdicts;
}

/**
 * The verdict set once `resolutions[i]` alone has changed. Observations grow with the square of the replies, so only
 * the episode that owns the answer is followed again; all of them where it is a reply's, which they share.
 */
export function episodesAfter(
  check: Check,
  episodes: readonly Episode[],
  observations: readonly Observation[],
  resolutions: readonly Resolutions[],
): (i: number) => VerdictSet {
  const prospects = episodes.map((episode) => prospectsOf(check, episode, resolutions));
  const owners = new Map(episodes.map(({ reference }, i) => [reference, i]));
  return (i) => {
    const owner = owners.get(observations[i]!.reference_turn ?? 0);
    if (owner === undefined) return possibleEpisode(check, episodes, resolutions);
    const changed = prospects.with(owner, prospectsOf(check, episodes[owner]!, resolutions));
    return possibleFrom(check, episodes, changed, resolutions);
  };
}

export function prospectsOf(check: Check, episode: Episode, resolutions: readonly Resolutions[]): Prospects {
  const formulas = formulasOf(check);
  const opens = rangeOf(formulas.opens, slice(resolutions, episode.opens, formulas.opensNames.length));
  const prospects: Prospects = { opens, canFail: false, canPass: opens !== NO, exposed: [] };
  if (opens === NO) return prospects;
  let best = false;
  let worst = false;
  for (let i = 0; i < episode.later.length; i++) {
    const message = episode.later[i]!;
    if (message.role === "user") {
      const answers = slice(resolutions, message.own, formulas.updateNames.length);
      best = (rangeOf(best ? formulas.staysConfirmed : formulas.confirmsNow, answers) & YES) !== 0;
      worst = (rangeOf(worst ? formulas.staysConfirmed : formulas.confirmsNow, answers) & NO) === 0;
      continue;
    }
    if (best && worst) continue;
    const violates = rangeOf(formulas.violates, violationAnswers(formulas, message, resolutions));
    if (!worst && (violates & YES) !== 0) prospects.canFail = true;
    if (best) continue;
    if ((violates & NO) === 0) prospects.canPass = false;
    if (violates === EITHER) prospects.exposed.push(i);
  }
  return prospects;
}

/** Whether at every reply one assignment of the shared answers spares all the episodes exposed there. */
function canSpareAll(
  formulas: EpisodeFormulas,
  bound: readonly [Episode, Prospects][],
  resolutions: readonly Resolutions[],
): boolean {
  const shared = formulas.sharedNames.length;
  if (shared === 0 || bound.length === 1) return true;
  const byReply = new Map<number, Later[]>();
  for (const [episode, { exposed }] of bound)
    for (const i of exposed) {
      const message = episode.later[i]!;
      const together = byReply.get(message.turn);
      if (together === undefined) byReply.set(message.turn, [message]);
      else together.push(message);
    }
  return [...byReply.values()].every(
    (together) =>
      together.length === 1 ||
      sparesAll(
        formulas.violates,
        together.map((message) => violationAnswers(formulas, message, resolutions)),
        shared,
      ),
  );
}

/** `answers[e]` are the slots of `violates` for one episode; the first `shared` slots are common to all. */
function sparesAll(violates: CompiledFormula, answers: Resolutions[][], shared: number): boolean {
  if (answers.some((slots) => (rangeOf(violates, slots) & NO) === 0)) return false;
  const open = answers[0]!.findIndex((resolution, slot) => slot < shared && resolution === EITHER);
  if (open === -1) return true;
  const set = (resolution: Resolutions): void => answers.forEach((slots) => (slots[open] = resolution));
  for (const resolution of [NO, YES]) {
    set(resolution);
    if (sparesAll(violates, answers, shared)) return true;
  }
  set(EITHER);
  return false;
}

export function violationAnswers(
  { sharedNames, ownNames }: EpisodeFormulas,
  { shared, own }: Later,
  resolutions: readonly Resolutions[],
): Resolutions[] {
  const answers: Resolutions[] = [];
  for (let i = 0; i < sharedNames.length; i++) answers.push(resolutions[shared + i]!);
  for (let i = 0; i < ownNames.length; i++) answers.push(resolutions[own + i]!);
  return answers;
}

export function slice(resolutions: readonly Resolutions[], first: number, count: number): Resolutions[] {
  return resolutions.slice(first, first + count);
}
