import { observe } from "../evidence/observations.ts";
import { timeline } from "../evidence/timeline.ts";
import type { Check } from "../schema/check.ts";
import type { Observation } from "../schema/request.ts";
import type { Conversation } from "../schema/transcript.ts";
import type { Resolutions } from "./answers.ts";
import { possibleClauses, stepsOf, type Step } from "./clauses.ts";
import { episodesOf, possibleEpisode, type Episode } from "./episode.ts";
import { PARTED_RULES, possibleParts } from "./tasks.ts";
import { NOT_APPLICABLE, type VerdictSet } from "./verdicts.ts";

/** A check laid over one conversation: everything that no answer changes. */
export interface Bound {
  check: Check;
  conversation: Conversation;
  observations: readonly Observation[];
  replies: number;
  /** Turns of a `clauses` check; empty for the other rules and below the required number of replies. */
  steps: readonly Step[];
  /** Episodes of an `episode` check; likewise. */
  episodes: readonly Episode[];
}

const cache = new WeakMap<Conversation, Map<Check, Bound>>();

/** Cached per pair of objects: neither is modified once it is judged. */
export function bind(check: Check, conversation: Conversation): Bound {
  let checks = cache.get(conversation);
  if (checks === undefined) cache.set(conversation, (checks = new Map<Check, Bound>()));
  let bound = checks.get(check);
  if (bound === undefined) {
    const replies = timeline(conversation).filter((moment) => moment.assistant !== undefined).length;
    const enough = replies >= check.requires_assistant_turns;
    bound = {
      check,
      conversation,
      observations: observe(check, conversation),
      replies,
      steps: enough && check.rule === "clauses" ? stepsOf(check, conversation) : [],
      episodes: enough && check.rule === "episode" ? episodesOf(check, conversation) : [],
    };
    checks.set(check, bound);
  }
  return bound;
}

/** The exact set of verdicts over all worlds that the resolutions leave; `resolutions[i]` is of `observations[i]`. */
export function possibleVerdicts(bound: Bound, resolutions: readonly Resolutions[]): VerdictSet {
  const { check } = bound;
  if (bound.replies < check.requires_assistant_turns) return NOT_APPLICABLE;
  switch (check.rule) {
    case "clauses":
      return possibleClauses(check, bound.steps, resolutions);
    case "episode":
      return possibleEpisode(check, bound.episodes, resolutions);
    case "task_completion":
    case "source_support":
      return possibleParts(PARTED_RULES[check.rule], bound.observations, resolutions);
  }
}
