import { studentWidth } from "./distributions.ts";
import type { Interval } from "./interval.ts";
import { overCells, proportions, type Matrix } from "./matrix.ts";

export type GwetAC1 =
  | { ac1: number; se: number | null; ci: Interval | null; reason?: string }
  | { ac1: null; se: null; ci: null; reason: string };

/**
 * Gwet's AC1 of two raters: agreement beyond chance where chance is a random rating of the items that are hard to rate.
 * Gwet KL. Computing inter-rater reliability and its variance in the presence of high agreement. Br J Math Stat Psychol
 * 2008; 61: 29-48. `se` is his large-sample standard error without a finite-population correction, `ci` the 95 %
 * interval with Student's t at n - 1 degrees of freedom, cut at 1. The number of categories is the matrix's own,
 * used or not. Undefined for no items and for fewer than two categories; one item has no standard error.
 */
export function gwetAC1(matrix: Matrix): GwetAC1 {
  const { n, q, cell, rows, columns } = proportions(matrix);
  if (n === 0) return undefinedAC1("no items");
  if (q < 2) return undefinedAC1("fewer than two categories");
  const share = rows.map((row, k) => (row + columns[k]!) / 2);
  const observed = overCells(q, (i, j) => (i === j ? cell(i, j) : 0));
  const chance = chanceAgreement(share);
  const ac1 = (observed - chance) / (1 - chance);
  const agreed = overCells(q, (i, j) => (i === j ? cell(i, j) * (1 - share[i]!) : 0)) / (q - 1);
  const mixed = overCells(q, (i, j) => cell(i, j) * (1 - (share[i]! + share[j]!) / 2) ** 2) / (q - 1) ** 2;
  const spread =
    observed * (1 - observed) -
    4 * (1 - ac1) * (agreed - observed * chance) +
    4 * (1 - ac1) ** 2 * (mixed - chance ** 2);
  return withError(ac1, Math.sqrt(Math.max(0, spread) / (n * (1 - chance) ** 2)), n);
}

/**
 * Gwet's AC1 of any number of raters, ratings missing at random: `units[u][r]` is the category rater r gave unit u, or
 * null. Units with one rating count towards chance only, those with none drop out. `categories` lists what could be
 * chosen; by default what was. The 2008 paper's several-rater estimator and variance. Undefined where no unit has two
 * ratings and for fewer than two categories.
 */
export function gwetAC1Raters(
  units: readonly (readonly (string | number | null)[])[],
  categories?: readonly (string | number)[],
): GwetAC1 {
  const rated = units.map((unit) => unit.filter((value) => value !== null)).filter((ratings) => ratings.length > 0);
  const known = [...new Set(categories ?? rated.flat())];
  for (const value of rated.flat())
    if (!known.includes(value)) throw new RangeError(`${value} is not one of the categories`);
  const n = rated.length;
  const pairable = rated.filter((ratings) => ratings.length >= 2).length;
  const q = known.length;
  if (pairable === 0) return undefinedAC1("no unit has two ratings");
  if (q < 2) return undefinedAC1("fewer than two categories");

  const counts = rated.map((ratings) => known.map((k) => ratings.filter((value) => value === k).length));
  const share = known.map((_, k) => counts.reduce((sum, row, u) => sum + row[k]! / rated[u]!.length, 0) / n);
  const agreement = counts.map((row, u) => {
    const raters = rated[u]!.length;
    return raters < 2 ? 0 : row.reduce((sum, count) => sum + count * (count - 1), 0) / (raters * (raters - 1));
  });
  const observed = agreement.reduce((a, b) => a + b, 0) / pairable;
  const chance = chanceAgreement(share);
  const ac1 = (observed - chance) / (1 - chance);
  // Each unit's part of the estimate; their spread is its variance.
  const parts = counts.map((row, u) => {
    const raters = rated[u]!.length;
    const own = raters < 2 ? 0 : ((n / pairable) * (agreement[u]! - chance)) / (1 - chance);
    const ownChance = row.reduce((sum, count, k) => sum + (count * (1 - share[k]!)) / raters, 0) / (q - 1);
    return own - (2 * (1 - ac1) * (ownChance - chance)) / (1 - chance);
  });
  const spread = parts.reduce((sum, part) => sum + (part - ac1) ** 2, 0);
  return withError(ac1, Math.sqrt(spread / (n * (n - 1))), n);
}

function chanceAgreement(share: readonly number[]): number {
  return share.reduce((sum, p) => sum + p * (1 - p), 0) / (share.length - 1);
}

function withError(ac1: number, se: number, n: number): GwetAC1 {
  if (n < 2) return { ac1, se: null, ci: null, reason: "one unit has no standard error" };
  const half = studentWidth(0.95, n - 1) * se;
  return { ac1, se, ci: [ac1 - half, Math.min(1, ac1 + half)] };
}

function undefinedAC1(reason: string): GwetAC1 {
  return { ac1: null, se: null, ci: null, reason };
}
