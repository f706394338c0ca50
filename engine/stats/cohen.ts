import { normalWidth } from "./distributions.ts";
import type { Interval } from "./interval.ts";
import { overCells, proportions, type Matrix } from "./matrix.ts";

export type CohenKappa =
  { kappa: number; se: number; ci: Interval; reason?: never } | { kappa: null; se: null; ci: null; reason: string };

/**
 * Agreement of two raters beyond what their own marginals give by chance. Cohen J. A coefficient of agreement for
 * nominal scales. Educ Psychol Meas 1960; 20: 37-46; weighted: Psychol Bull 1968; 70: 213-220. `se` is the large-sample
 * standard error for a kappa that is not zero, and `ci` its 95 % normal interval: Fleiss JL, Cohen J, Everitt BS. Large
 * sample standard errors of kappa and weighted kappa. Psychol Bull 1969; 72: 323-327. Undefined for no items, and where
 * both raters used one and the same category, so that chance agreement is complete.
 */
export function cohenKappa(matrix: Matrix, weights: "none" | "linear" | "quadratic" = "none"): CohenKappa {
  const { n, q, cell, rows, columns } = proportions(matrix);
  if (n === 0) return undefinedKappa("no items");
  const weight = (i: number, j: number): number => {
    if (weights === "none") return i === j ? 1 : 0;
    const distance = q === 1 ? 0 : Math.abs(i - j) / (q - 1);
    return 1 - (weights === "linear" ? distance : distance ** 2);
  };
  const byRow = rows.map((_, i) => columns.reduce((sum, p, j) => sum + p * weight(i, j), 0));
  const byColumn = columns.map((_, j) => rows.reduce((sum, p, i) => sum + p * weight(i, j), 0));
  const observed = overCells(q, (i, j) => weight(i, j) * cell(i, j));
  const expected = overCells(q, (i, j) => weight(i, j) * rows[i]! * columns[j]!);
  if (rows.some((p, i) => p === 1 && columns[i] === 1))
    return undefinedKappa("both raters used one category only, the same one");
  const kappa = (observed - expected) / (1 - expected);
  const spread = overCells(q, (i, j) => cell(i, j) * (weight(i, j) - (byRow[i]! + byColumn[j]!) * (1 - kappa)) ** 2);
  const variance = (spread - (kappa - expected * (1 - kappa)) ** 2) / (n * (1 - expected) ** 2);
  const se = Math.sqrt(Math.max(0, variance));
  const half = normalWidth(0.95) * se;
  return { kappa, se, ci: [kappa - half, kappa + half] };
}

function undefinedKappa(reason: string): CohenKappa {
  return { kappa: null, se: null, ci: null, reason };
}
