import type { Check } from "../schema/check.ts";
import type { Thresholds } from "../schema/judge.ts";
import type { Observation } from "../schema/request.ts";
import type { Conversation } from "../schema/transcript.ts";
import type { WorldVerdict } from "../schema/verdict.ts";
import { isOpen, resolutionName, type Lookup, type Resolutions } from "./answers.ts";
import { bind, possibleVerdicts, type Bound } from "./bound.ts";
import { possibleFrom, prospectsOf } from "./episode.ts";
import { resolveAll } from "./ledger.ts";
import { verdictsIn, type VerdictSet } from "./verdicts.ts";

export interface Effect {
  observation: Observation;
  /** The verdict set now. */
  possible: WorldVerdict[];
  /** One entry per resolution still open to it: no then yes, or the options in order. */
  resolutions: { resolution: string; possible: WorldVerdict[] }[];
}

/**
 * Each unresolved observation whose resolution, alone, makes the verdict set strictly smaller in at least one
 * direction. One answer at a time: an empty list does not prove that the open answers together are harmless.
 */
export function effectsOf(check: Check, conversation: Conversation, lookup: Lookup, thresholds: Thresholds): Effect[] {
  const bound = bind(check, conversation);
  const { resolutions } = resolveAll(bound.observations, lookup, thresholds);
  const now = possibleVerdicts(bound, resolutions);
  const effects: Effect[] = [];
  // A set of one cannot shrink: some world always remains.
  if ((now & (now - 1)) === 0) return effects;
  const after = setAfter(bound, resolutions);
  bound.observations.forEach((observation, i) => {
    const open = resolutions[i]!;
    if (!isOpen(open)) return;
    const then: { bit: number; set: number }[] = [];
    for (let rest = open; rest !== 0; rest &= rest - 1) {
      const bit = rest & -rest;
      resolutions[i] = bit;
      then.push({ bit, set: after(i) });
    }
    resolutions[i] = open;
    if (then.every(({ set }) => set === now)) return;
    effects.push({
      observation,
      possible: verdictsIn(now),
      resolutions: then.map(({ bit, set }) => ({
        resolution: resolutionName(observation, bit),
        possible: verdictsIn(set),
      })),
    });
  });
  return effects;
}

/**
 * The verdict set once `resolutions[i]` has changed. Observations of an episode check grow with the square of its
 * replies, so there only the episode that owns the answer is followed again.
 */
function setAfter(bound: Bound, resolutions: readonly Resolutions[]): (i: number) => VerdictSet {
  const { check, episodes, observations } = bound;
  if (check.rule !== "episode") return () => possibleVerdicts(bound, resolutions);
  const prospects = episodes.map((episode) => prospectsOf(check, episode, resolutions));
  const owners = new Map(episodes.map(({ reference }, i) => [reference, i]));
  return (i) => {
    const owner = owners.get(observations[i]!.reference_turn ?? 0);
    if (owner === undefined) return possibleVerdicts(bound, resolutions);
    const changed = prospects.with(owner, prospectsOf(check, episodes[owner]!, resolutions));
    return possibleFrom(check, episodes, changed, resolutions);
  };
}
