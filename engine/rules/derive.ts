import type { Check } from "../schema/check.ts";
import type { EvidenceSpan } from "../schema/judgment.ts";
import type { Thresholds } from "../schema/judge.ts";
import type { Observation } from "../schema/request.ts";
import type { Conversation } from "../schema/transcript.ts";
import type { Verdict, WorldVerdict } from "../schema/verdict.ts";
import type { Lookup } from "./answers.ts";
import { bind, possibleVerdicts } from "./bound.ts";
import { explain } from "./explain/explain.ts";
import { ledgerOf, resolveAll } from "./ledger.ts";
import { verdictsIn } from "./verdicts.ts";

export interface Derivation {
  verdict: Verdict;
  /** In the order PASS, FAIL, NOT_APPLICABLE. */
  possible: WorldVerdict[];
  /** How many observations the judge was asked for; 0: the verdict was fixed without asking. */
  asked: number;
  rationale: string;
  evidence: EvidenceSpan[];
  observations: Observation[];
}

/**
 * The verdict of (check, conversation) under saved answers, over every world they leave open: the one possible
 * verdict, or UNCLEAR. Each observation is looked up once, so the order of answers cannot matter.
 * Throws AssayError "missing_answer" or "bad_answer", naming `role:turn` and key; extra answers are ignored.
 */
export function derive(check: Check, conversation: Conversation, lookup: Lookup, thresholds: Thresholds): Derivation {
  const bound = bind(check, conversation);
  const answers = resolveAll(bound.observations, lookup, thresholds);
  const possible = verdictsIn(possibleVerdicts(bound, answers.resolutions));
  const verdict = possible.length === 1 ? possible[0]! : "UNCLEAR";
  const { rationale, evidence } = explain(bound, possible, ledgerOf(answers));
  return {
    verdict,
    possible,
    asked: bound.observations.length,
    rationale,
    evidence,
    observations: [...bound.observations],
  };
}

/** The verdict set alone: what a threshold what-if needs, without the words. Throws as `derive` does. */
export function possibleOf(
  check: Check,
  conversation: Conversation,
  lookup: Lookup,
  thresholds: Thresholds,
): WorldVerdict[] {
  const bound = bind(check, conversation);
  return verdictsIn(possibleVerdicts(bound, resolveAll(bound.observations, lookup, thresholds).resolutions));
}
