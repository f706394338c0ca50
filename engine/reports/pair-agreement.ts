import { cohenKappa, gwetAC1, wilsonInterval, type Interval } from "../stats/index.ts";
import { VERDICTS, type Verdict } from "../schema/verdict.ts";
import { emptyMatrix, type Matrix } from "../validation/index.ts";

/** Below this many judgments a rate is shown as n/N only. */
export const FEWEST_FOR_A_RATE = 30;
const Z95 = 1.959963984540054;

/** A coefficient, with its 95 % interval where one is defined; what is undefined says why. */
export interface Coefficient {
  value: number | null;
  ci: Interval | null;
  reason: string | null;
}

/** n of N; rate and Wilson interval only from thirty judgments on. */
export interface AgreedShare {
  numerator: number;
  denominator: number;
  rate: number | null;
  ci: Interval | null;
}

/** How a judge that always gives one verdict would stand beside side a or b: what agreement costs nothing. */
export interface ConstantBaseline {
  against: "a" | "b";
  always: Verdict;
  agreed: AgreedShare;
  kappa: Coefficient;
  alpha: Coefficient;
  ac1: Coefficient;
}

/** Two judges' verdicts of the same judgments, all four verdicts as categories. */
export interface PairAgreement {
  /** Verdict of a (rows) by verdict of b (columns). */
  table: Matrix;
  agreed: AgreedShare;
  kappa: Coefficient;
  alpha: Coefficient;
  ac1: Coefficient;
  /** The best constant judge against each side. */
  baselines: ConstantBaseline[];
}

export function pairAgreement(table: Matrix): PairAgreement {
  return { table, ...coefficients(table), baselines: [baseline(table, "a"), baseline(table, "b")] };
}

export function agreedShare(numerator: number, denominator: number): AgreedShare {
  const enough = denominator >= FEWEST_FOR_A_RATE;
  return {
    numerator,
    denominator,
    rate: enough ? numerator / denominator : null,
    ci: enough ? wilsonInterval(numerator, denominator) : null,
  };
}

function coefficients(table: Matrix): Omit<PairAgreement, "table" | "baselines"> {
  const cells = VERDICTS.map((row) => VERDICTS.map((column) => table[row][column]));
  const n = cells.flat().reduce((sum, count) => sum + count, 0);
  const kappa = cohenKappa(cells);
  const ac1 = gwetAC1(cells);
  return {
    agreed: agreedShare(
      VERDICTS.reduce((sum, verdict) => sum + table[verdict][verdict], 0),
      n,
    ),
    kappa: { value: kappa.kappa, ci: kappa.ci, reason: kappa.reason ?? null },
    alpha: alphaOfTable(cells),
    ac1: { value: ac1.ac1, ci: ac1.ci, reason: ac1.reason ?? null },
  };
}

/**
 * Krippendorff's nominal alpha of two coders without missing values, from their table, with an interval from the
 * delete-one jackknife over judgments. Judgments of one conversation are not independent, so it is rather narrow.
 */
function alphaOfTable(cells: readonly (readonly number[])[]): Coefficient {
  const n = cells.flat().reduce((sum, count) => sum + count, 0);
  const value = nominalAlpha(cells);
  if (value === null) return { value, ci: null, reason: n === 0 ? "no unit has two values" : "all values are equal" };
  const left: { times: number; alpha: number | null }[] = [];
  cells.forEach((row, i) =>
    row.forEach((times, j) => {
      if (times === 0) return;
      const without = cells.map((other, k) => other.map((count, l) => (k === i && l === j ? count - 1 : count)));
      left.push({ times, alpha: nominalAlpha(without) });
    }),
  );
  let mean = 0;
  for (const { times, alpha } of left) {
    if (alpha === null) return { value, ci: null, reason: "it hangs on one judgment, so it has no interval" };
    mean += (times * alpha) / n;
  }
  const spread = left.reduce((sum, { times, alpha }) => sum + times * ((alpha ?? 0) - mean) ** 2, 0);
  const half = Z95 * Math.sqrt((spread * (n - 1)) / n);
  return { value, ci: [value - half, Math.min(1, value + half)], reason: null };
}

function nominalAlpha(cells: readonly (readonly number[])[]): number | null {
  const totals = cells.map((row, i) => row.reduce((sum, count, j) => sum + count + (cells[j]?.[i] ?? 0), 0));
  const n = totals.reduce((sum, total) => sum + total, 0);
  const agreeing = cells.reduce((sum, row, i) => sum + 2 * (row[i] ?? 0), 0);
  const expected = n * n - totals.reduce((sum, total) => sum + total * total, 0);
  return expected === 0 ? null : 1 - ((n - 1) * (n - agreeing)) / expected;
}

function baseline(table: Matrix, against: "a" | "b"): ConstantBaseline {
  const totals = VERDICTS.map((verdict) =>
    VERDICTS.reduce((sum, other) => sum + (against === "a" ? table[verdict][other] : table[other][verdict]), 0),
  );
  const best = totals.indexOf(Math.max(...totals));
  const always = VERDICTS[best]!;
  const constant = emptyMatrix();
  VERDICTS.forEach((verdict, i) => (constant[verdict][always] = totals[i]!));
  return { against, always, ...coefficients(constant) };
}
