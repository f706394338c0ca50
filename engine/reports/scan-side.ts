import type { Judgment } from "../schema/judgment.ts";
import type { Agreement, AgreementCounter } from "../validation/index.ts";
import { answerNoise } from "./answer-changes.ts";
import type { Noise, RatedTally, ScanSide } from "./comparison.ts";
import type { ScanView } from "./scan-view.ts";
import { seenLabels } from "./seen.ts";
import type { SelfAgreement } from "./self-agreement.ts";
import { emptyTally, rates, tallyJudgment, type Tally } from "./tally.ts";

/** What one pass over a scan's judgments says of it alone. */
export interface ReadSide {
  side: ScanSide;
  checks: ReadonlyMap<string, RatedTally>;
  agreement: Agreement;
  noise: Noise | null;
  repeats: SelfAgreement | null;
}

export async function readSide(
  scan: ScanView,
  labels: AgreementCounter,
  also: (judgment: Judgment) => void = () => undefined,
): Promise<ReadSide> {
  const { plan, execution } = scan;
  const all = emptyTally();
  const checks = new Map(plan.checks.map(({ id }) => [id, emptyTally()]));
  for await (const judgment of scan.judgments()) {
    tallyJudgment(all, judgment);
    tallyJudgment(checks.get(judgment.check_id)!, judgment);
    labels.add(judgment);
    also(judgment);
  }
  const repeats = await scan.repeats();
  const answers = await answerNoise({ judge: plan.judge, answers: scan.answers });
  return {
    side: {
      plan_sha256: scan.plan_sha256,
      claim: plan.claim,
      judge: plan.judge,
      conversations: plan.conversations.length,
      checks: plan.checks.length,
      ...rated(all),
      suspect_turns: plan.conversations.reduce((sum, row) => sum + row.suspect_turns.length, 0),
      cost: {
        estimated_cost_usd: plan.estimate.estimated_cost_usd,
        actual_cost_usd: execution.actual_cost_usd,
      },
      execution,
      sources: scan.sources.map(({ study, seen: _, ...source }) => ({ ...source, study_id: study?.study.id ?? null })),
      seen: seenLabels(scan.sources),
    },
    checks: new Map([...checks].map(([id, tally]) => [id, rated(tally)])),
    agreement: labels.result(),
    noise: repeats === null || answers === null ? null : { changed_verdicts: changedOf(repeats.overall), answers },
    repeats,
  };
}

/** Of all judgments of later repeats, those with another verdict than the first repeat's. */
export function changedOf({
  changed: { numerator, denominator },
}: SelfAgreement["overall"]): Noise["changed_verdicts"] {
  return { numerator, denominator };
}

function rated(tally: Tally): RatedTally {
  return { ...tally, ...rates(tally) };
}
