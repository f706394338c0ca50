import { betaQuantile } from "./distributions.ts";
import { checkLevel, checkProportion, type Interval } from "./interval.ts";

/**
 * The exact interval of a proportion x/n: both binomial tails at (1 - level) / 2. Clopper CJ, Pearson ES. The use of
 * confidence or fiducial limits illustrated in the case of the binomial. Biometrika 1934; 26: 404-413. null where n
 * is 0: nothing was observed.
 */
export function clopperPearsonInterval(x: number, n: number, level = 0.95): Interval | null {
  checkProportion(x, n);
  checkLevel(level);
  if (n === 0) return null;
  const tail = (1 - level) / 2;
  return [x === 0 ? 0 : betaQuantile(tail, x, n - x + 1), x === n ? 1 : 1 - betaQuantile(tail, n - x, x + 1)];
}
