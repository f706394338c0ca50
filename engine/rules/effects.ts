import type { Check } from "../schema/check.ts";
import type { Thresholds } from "../schema/judge.ts";
import type { Observation } from "../schema/request.ts";
import type { Conversation } from "../schema/transcript.ts";
import type { WorldVerdict } from "../schema/verdict.ts";
import { isOpen, resolutionName, type Lookup, type Resolutions } from "./answers.ts";
import { bind, possibleVerdicts, type Bound } from "./bound.ts";
import { clausesAfter } from "./clauses.ts";
import { episodesAfter } from "./episode.ts";
import { resolveAll } from "./ledger.ts";
import { PARTED_RULES, partsAfter } from "./tasks.ts";
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

/** The verdict set once `resolutions[i]` alone has changed, without going over the whole conversation again. */
function setAfter(bound: Bound, resolutions: readonly Resolutions[]): (i: number) => VerdictSet {
  const { check, steps, episodes, observations } = bound;
  switch (check.rule) {
    case "clauses":
      return clausesAfter(check, steps, resolutions);
    case "episode":
      return episodesAfter(check, episodes, observations, resolutions);
    case "task_completion":
    case "source_support":
      return partsAfter(PARTED_RULES[check.rule], observations, resolutions);
  }
}
