import type { Interval } from "./interval.ts";
import { wilsonInterval } from "./wilson.ts";

/**
 * The interval of a difference x1/n1 - x2/n2 of independent proportions: the hybrid score interval, method 10 of
 * Newcombe RG. Interval estimation for the difference between independent proportions. Stat Med 1998; 17: 873-890.
 * null where n1 or n2 is 0: one side was not observed.
 */
export function newcombeDifference(x1: number, n1: number, x2: number, n2: number, level = 0.95): Interval | null {
  const [first, second] = [wilsonInterval(x1, n1, level), wilsonInterval(x2, n2, level)];
  if (first === null || second === null) return null;
  const [p1, p2] = [x1 / n1, x2 / n2];
  return [p1 - p2 - Math.hypot(p1 - first[0], second[1] - p2), p1 - p2 + Math.hypot(first[1] - p1, p2 - second[0])];
}
