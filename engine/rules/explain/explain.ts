import type { WorldVerdict } from "../../schema/verdict.ts";
import type { Bound } from "../bound.ts";
import { plural, sayAll, type Ledger } from "../ledger.ts";
import { explainClauses } from "./clauses.ts";
import { explainEpisode } from "./episode.ts";
import type { Explanation } from "./spans.ts";
import { explainSource, explainTask } from "./tasks.ts";

/** The rationale and quotes of a verdict set: from the rule and the numbers alone, the same for equal answers. */
export function explain(bound: Bound, possible: readonly WorldVerdict[], ledger: Ledger): Explanation {
  const { open } = ledger;
  const [verdict] = possible;
  if (possible.length !== 1 || verdict === undefined)
    return {
      rationale: `${plural(open.length, "open answer")} ${open.length === 1 ? "leaves" : "leave"} ${possible.join(" or ")} possible: ${sayAll(ledger, open, 6)}.`,
      evidence: [],
    };
  const { rationale, evidence } = explainVerdict(bound, verdict, ledger);
  if (open.length === 0) return { rationale, evidence };
  // The words above are those of one world, the nearest; the verdict is that of all.
  const same = `None of the ways in which ${plural(open.length, "open answer")} may resolve changes the verdict.`;
  return { rationale: `${rationale} ${same}`, evidence };
}

function explainVerdict(bound: Bound, verdict: WorldVerdict, ledger: Ledger): Explanation {
  const { check, replies } = bound;
  if (replies < check.requires_assistant_turns)
    return {
      rationale: `The check needs ${plural(check.requires_assistant_turns, "assistant turn")} and the conversation has ${replies}; nothing was asked.`,
      evidence: [],
    };
  switch (check.rule) {
    case "clauses":
      return explainClauses(bound, ledger);
    case "episode":
      return explainEpisode(bound, verdict, ledger);
    case "task_completion":
      return explainTask(bound, verdict, ledger);
    case "source_support":
      return explainSource(bound, verdict, ledger);
  }
}
