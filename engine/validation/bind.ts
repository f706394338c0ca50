import type { Expectation } from "../schema/expectation.ts";
import type { ScanPlan } from "../schema/plan.ts";

/** What keeps a label from a scan. `conversation` and `check`: the scan has none of that name. */
export type Difference = "conversation" | "check" | "transcript_sha256" | "evidence_context_sha256" | "check_sha256";

export interface BoundExpectation {
  expectation: Expectation;
  /** Index into the plan's conversations. */
  conversation: number;
}

export interface UnboundExpectation {
  expectation: Expectation;
  differs: Difference[];
}

export interface Binding {
  bound: BoundExpectation[];
  unbound: UnboundExpectation[];
}

/** Tie labels to a scan by exact transcript, evidence context and check bytes; order is the labels' own. */
export function bindExpectations(
  expectations: readonly Expectation[],
  plan: Pick<ScanPlan, "conversations" | "checks">,
): Binding {
  const conversations = new Map(
    plan.conversations.map((conversation, index) => [
      JSON.stringify([conversation.model_id, conversation.scenario_id]),
      { conversation, index },
    ]),
  );
  const checks = new Map(plan.checks.map((check) => [check.id, check]));
  const binding: Binding = { bound: [], unbound: [] };
  for (const expectation of expectations) {
    const found = conversations.get(JSON.stringify([expectation.model_id, expectation.scenario_id]));
    const check = checks.get(expectation.check_id);
    const differs: Difference[] = [];
    if (found === undefined) differs.push("conversation");
    else {
      if (found.conversation.transcript.sha256 !== expectation.transcript_sha256) differs.push("transcript_sha256");
      if (found.conversation.evidence_context_sha256 !== expectation.evidence_context_sha256)
        differs.push("evidence_context_sha256");
    }
    if (check === undefined) differs.push("check");
    else if (check.check_sha256 !== expectation.check_sha256) differs.push("check_sha256");
    if (found === undefined || differs.length > 0) binding.unbound.push({ expectation, differs });
    else binding.bound.push({ expectation, conversation: found.index });
  }
  return binding;
}
