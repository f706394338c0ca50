import { normalWidth } from "./distributions.ts";
import { checkLevel, checkProportion, type Interval } from "./interval.ts";

/**
 * The score interval of a proportion x/n, without continuity correction. Wilson EB. Probable inference, the law of
 * succession, and statistical inference. J Am Stat Assoc 1927; 22: 209-212. null where n is 0: nothing was observed.
 */
export function wilsonInterval(x: number, n: number, level = 0.95): Interval | null {
  checkProportion(x, n);
  checkLevel(level);
  if (n === 0) return null;
  const z2 = normalWidth(level) ** 2;
  const centre = x + z2 / 2;
  const half = Math.sqrt(z2) * Math.sqrt((x * (n - x)) / n + z2 / 4);
  // The ends are exact at no and at all successes, where the difference would leave a rounding error.
  return [x === 0 ? 0 : (centre - half) / (n + z2), x === n ? 1 : (centre + half) / (n + z2)];
}
