import type { Observation } from "../schema/request.ts";
import { NO, YES, type Resolutions } from "./answers.ts";
import { FAIL, NOT_APPLICABLE, PASS, type VerdictSet } from "./verdicts.ts";

/** The resolution of an observation that a completed task needs: an excluded detail must be absent. */
export function wanted(observation: Observation): Resolutions {
  return observation.detail?.list === "excluded_details" ? NO : YES;
}

/**
 * The exact verdict set of `task_completion`: every observation at every requested draft must come out as wanted,
 * each resolves alone, so each may spoil the whole alone.
 */
export function possibleTask(observations: readonly Observation[], resolutions: readonly Resolutions[]): VerdictSet {
  if (observations.length === 0) return NOT_APPLICABLE;
  let verdicts: VerdictSet = PASS;
  for (let i = 0; i < observations.length; i++) {
    const want = wanted(observations[i]!);
    if (resolutions[i] === want) continue;
    if ((resolutions[i]! & want) === 0) return FAIL;
    verdicts = PASS | FAIL;
  }
  return verdicts;
}

/**
 * The exact verdict set of `source_support`. Observations come in pairs, asserts then supported, one pair a sentence.
 * A sentence is silent, supported or unsupported; the conversation is the worst of its sentences.
 */
export function possibleSource(resolutions: readonly Resolutions[]): VerdictSet {
  let canAvoidFail = true;
  let canFail = false;
  let canAssertSupported = false;
  let canStaySilent = true;
  for (let i = 0; i < resolutions.length; i += 2) {
    const asserts = resolutions[i]!;
    const supported = resolutions[i + 1]!;
    if ((asserts & YES) !== 0 && (supported & NO) !== 0) canFail = true;
    if (asserts === YES && supported === NO) canAvoidFail = false;
    if ((asserts & YES) !== 0 && (supported & YES) !== 0) canAssertSupported = true;
    if (asserts === YES) canStaySilent = false;
  }
  return (canFail ? FAIL : 0) | (canAvoidFail && canAssertSupported ? PASS : 0) | (canStaySilent ? NOT_APPLICABLE : 0);
}
