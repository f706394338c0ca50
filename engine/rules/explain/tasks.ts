import type { EvidenceSpan } from "../../schema/judgment.ts";
import type { WorldVerdict } from "../../schema/verdict.ts";
import { YES } from "../answers.ts";
import type { Bound } from "../bound.ts";
import { isSettled, plural, say, sayAll, sayReplies, type Ledger } from "../ledger.ts";
import { wanted } from "../tasks.ts";
import { sentencesOf, wholeTurn, type Explanation } from "./spans.ts";

export function explainTask({ conversation }: Bound, verdict: WorldVerdict, ledger: Ledger): Explanation {
  const { observations, near } = ledger;
  if (verdict === "NOT_APPLICABLE") return { rationale: "No message that asks for a draft has a reply.", evidence: [] };
  const spoiled = observations.flatMap((observation, i) => (near[i] === wanted(observation) ? [] : [i]));
  const first = spoiled.find((i) => isSettled(ledger, i)) ?? spoiled[0];
  if (first === undefined) {
    const turns = [...new Set(observations.map(({ turn }) => turn))];
    const all = observations.map((_observation, i) => i);
    return {
      rationale: `The draft at ${sayReplies(turns)} has all that was asked: ${sayAll(ledger, all)}.`,
      evidence: [],
    };
  }
  const { turn } = observations[first]!;
  const here = spoiled.filter((i) => observations[i]!.turn === turn);
  // What is missing is an absence; only an excluded detail is there to be quoted.
  const kind: EvidenceSpan["kind"] = here.some((i) => observations[i]!.detail?.list === "excluded_details")
    ? "reply"
    : "absence";
  return {
    rationale: `Reply ${turn} does not complete the task: ${sayAll(ledger, [first, ...here.filter((i) => i !== first)])}.`,
    evidence: wholeTurn(conversation, "assistant", turn, kind),
  };
}

export function explainSource({ conversation }: Bound, verdict: WorldVerdict, ledger: Ledger): Explanation {
  const { observations, near } = ledger;
  const pairs = observations.flatMap((_observation, i) => (i % 2 === 0 ? [i] : []));
  const asserted = pairs.filter((i) => near[i] === YES);
  if (verdict === "NOT_APPLICABLE" || asserted.length === 0) {
    if (pairs.length === 0)
      return { rationale: "No message with a source excerpt has a reply with a sentence.", evidence: [] };
    return { rationale: `No sentence asserts a fact: ${sayAll(ledger, pairs)}.`, evidence: [] };
  }
  const unsupported = asserted.filter((i) => near[i + 1] !== YES);
  const first = unsupported.find((i) => isSettled(ledger, i) && isSettled(ledger, i + 1)) ?? unsupported[0];
  if (first === undefined)
    return {
      rationale: `The excerpt supports ${asserted.length === 1 ? "the one asserted sentence" : `all ${plural(asserted.length, "asserted sentence")}`}: ${sayAll(
        ledger,
        asserted.map((i) => i + 1),
      )}.`,
      evidence: [],
    };
  const { turn, sentence = 0 } = observations[first]!;
  return {
    rationale: `Sentence ${sentence} of reply ${turn}, counted from 0, asserts a fact (${say(ledger, first)}) that the excerpt does not support (${say(ledger, first + 1)}).`,
    evidence: sentencesOf(conversation, turn, sentence, sentence, "sentence"),
  };
}
