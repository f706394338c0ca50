import type { Judgment } from "../schema/judgment.ts";
import { VERDICTS, type Verdict } from "../schema/verdict.ts";

/** n of N; `rate` is null on an empty denominator. */
export interface Fraction {
  numerator: number;
  denominator: number;
  rate: number | null;
}

export function fraction(numerator: number, denominator: number): Fraction {
  return { numerator, denominator, rate: denominator === 0 ? null : numerator / denominator };
}

/** n/N; an empty denominator is no rate. */
export function ratio({ numerator, denominator }: { numerator: number; denominator: number }): string {
  return denominator === 0 ? "- (0/0)" : `${numerator}/${denominator}`;
}

/** Judgments counted: those without a verdict are apart, and in no rate but coverage. */
export interface Tally {
  judgments: number;
  verdicts: Record<Verdict, number>;
  not_judged: number;
  /** Judgments whose verdict the rule fixed without asking the judge anything. */
  not_asked: number;
}

export function emptyTally(): Tally {
  return { judgments: 0, verdicts: { PASS: 0, FAIL: 0, UNCLEAR: 0, NOT_APPLICABLE: 0 }, not_judged: 0, not_asked: 0 };
}

export function tallyJudgment(tally: Tally, judgment: Pick<Judgment, "verdict" | "asked">): void {
  tally.judgments += 1;
  if (judgment.verdict === null) tally.not_judged += 1;
  else {
    tally.verdicts[judgment.verdict] += 1;
    if (judgment.asked === 0) tally.not_asked += 1;
  }
}

/** The rates every surface shows together, over judged judgments. */
export function rates(tally: Tally): {
  unclear_rate_all: Fraction;
  unclear_rate_applicable: Fraction;
  coverage: Fraction;
} {
  const judged = VERDICTS.reduce((sum, verdict) => sum + tally.verdicts[verdict], 0);
  const { UNCLEAR, NOT_APPLICABLE } = tally.verdicts;
  return {
    unclear_rate_all: fraction(UNCLEAR, judged),
    unclear_rate_applicable: fraction(UNCLEAR, judged - NOT_APPLICABLE),
    coverage: fraction(judged, tally.judgments),
  };
}
