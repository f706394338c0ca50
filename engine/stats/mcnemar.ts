import { logGamma } from "./distributions.ts";

export type McNemar = { p: number; midP: number; reason?: never } | { p: null; midP: null; reason: string };

/**
 * Two-sided test of paired yes/no results from the discordant counts: b pairs changed one way, c the other.
 * Exact: McNemar Q. Note on the sampling error of the difference between correlated proportions or percentages.
 * Psychometrika 1947; 12: 153-157. Mid-P: Fagerland MW, Lydersen S, Laake P. The McNemar test for binary
 * matched-pairs data: mid-p and asymptotic are better than exact conditional. BMC Med Res Methodol 2013; 13: 91.
 * Undefined without a discordant pair: the test conditions on them.
 */
export function mcnemarExact(b: number, c: number): McNemar {
  for (const count of [b, c])
    if (!Number.isInteger(count) || count < 0) throw new RangeError(`${count} is not a count of pairs`);
  const n = b + c;
  if (n === 0) return { p: null, midP: null, reason: "no discordant pairs" };
  const fewer = Math.min(b, c);
  const point = Math.exp(logGamma(n + 1) - logGamma(fewer + 1) - logGamma(n - fewer + 1) - n * Math.LN2);
  // The tail from its largest term down, each term from the one above it.
  let tail = 0;
  let term = point;
  for (let k = fewer; k >= 0 && term > 0; k--) {
    tail += term;
    term *= k / (n - k + 1);
  }
  if (b === c) return { p: 1, midP: 1 - point / 2 };
  return { p: Math.min(1, 2 * tail), midP: 2 * tail - point };
}
