import type { Observation } from "../schema/request.ts";
import { NO, YES, type Resolutions } from "./answers.ts";
import { LEVELS, ONLY_UNTOUCHED, othersOf, strongest, verdictsOfLevels, type LevelSet } from "./levels.ts";
import type { VerdictSet } from "./verdicts.ts";

/** The resolution of an observation that a completed task needs: an excluded detail must be absent. */
export function wanted(observation: Observation): Resolutions {
  return observation.detail?.list === "excluded_details" ? NO : YES;
}

/** A rule whose conversation is the maximum of parts that share no observation. */
interface PartedRule {
  /** Observations a part has, one after the other. */
  size: number;
  /** What the part whose observations begin at `first` may come to. */
  levels(observations: readonly Observation[], resolutions: readonly Resolutions[], first: number): LevelSet;
}

/** `task_completion`: every observation at every requested draft must come out as wanted, and each may spoil the whole. */
const TASK: PartedRule = {
  size: 1,
  levels(observations, resolutions, i) {
    const want = wanted(observations[i]!);
    const says = resolutions[i]!;
    return ((says & want) === 0 ? 0 : 1 << LEVELS.satisfied) | ((says & ~want) === 0 ? 0 : 1 << LEVELS.failed);
  },
};

/** `source_support`: asserts then supported, a pair a sentence, which is silent, supported or unsupported. */
const SOURCE: PartedRule = {
  size: 2,
  levels(_observations, resolutions, i) {
    const asserts = resolutions[i]!;
    const supported = resolutions[i + 1]!;
    let levels = (asserts & NO) === 0 ? 0 : ONLY_UNTOUCHED;
    if ((asserts & YES) !== 0 && (supported & YES) !== 0) levels |= 1 << LEVELS.satisfied;
    if ((asserts & YES) !== 0 && (supported & NO) !== 0) levels |= 1 << LEVELS.failed;
    return levels;
  },
};

export const PARTED_RULES = { task_completion: TASK, source_support: SOURCE } as const;

/** The exact verdict set: parts resolve independently, so the set of maxima is folded over them. */
export function possibleParts(
  rule: PartedRule,
  observations: readonly Observation[],
  resolutions: readonly Resolutions[],
): VerdictSet {
  let levels = ONLY_UNTOUCHED;
  for (let i = 0; i < observations.length; i += rule.size)
    levels = strongest(levels, rule.levels(observations, resolutions, i));
  return verdictsOfLevels(levels);
}

/** The verdict set once `resolutions[i]` alone has changed, at the cost of one part. */
export function partsAfter(
  rule: PartedRule,
  observations: readonly Observation[],
  resolutions: readonly Resolutions[],
): (i: number) => VerdictSet {
  const parts: LevelSet[] = [];
  for (let i = 0; i < observations.length; i += rule.size) parts.push(rule.levels(observations, resolutions, i));
  const others = othersOf(parts);
  return (i) => {
    const part = Math.floor(i / rule.size);
    return verdictsOfLevels(strongest(others[part]!, rule.levels(observations, resolutions, part * rule.size)));
  };
}
