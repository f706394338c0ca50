export type Level = "nominal" | "ordinal" | "interval" | "ratio";
export type Alpha = { alpha: number; reason?: never } | { alpha: null; reason: string };

/**
 * Reliability of any number of coders over units with missing values. `units[u][c]` is the value coder c gave unit u,
 * or null; units with fewer than two values drop out. Krippendorff K. Content analysis: an introduction to its
 * methodology, 3rd ed. Sage 2013, ch. 12, by coincidence counts. Undefined where no unit has two values, and where all
 * pairable values are equal, so that no disagreement is expected.
 */
export function krippendorffAlpha(units: readonly (readonly (number | null)[])[], level: Level): Alpha {
  const pairable = units
    .map((unit) => unit.filter((value): value is number => value !== null))
    .filter((values) => values.length >= 2);
  for (const value of pairable.flat())
    if (!Number.isFinite(value) || (level === "ratio" && value < 0))
      throw new RangeError(`${value} is not a value at the ${level} level`);
  if (pairable.length === 0) return { alpha: null, reason: "no unit has two values" };
  const values = [...new Set(pairable.flat())].sort((a, b) => a - b);
  if (values.length < 2) return { alpha: null, reason: "all values are equal" };
  const index = new Map(values.map((value, i) => [value, i]));
  const totals = values.map(() => 0);
  for (const value of pairable.flat()) totals[index.get(value)!]! += 1;
  const n = totals.reduce((a, b) => a + b, 0);
  const distance = distances(level, values, totals);

  let observed = 0;
  for (const unit of pairable) {
    const counts = new Map<number, number>();
    for (const value of unit) counts.set(index.get(value)!, (counts.get(index.get(value)!) ?? 0) + 1);
    for (const [i, a] of counts) for (const [j, b] of counts) observed += (a * b * distance(i, j)) / (unit.length - 1);
  }
  let expected = 0;
  totals.forEach((a, i) => totals.forEach((b, j) => (expected += a * b * distance(i, j))));
  return { alpha: 1 - ((n - 1) * observed) / expected };
}

/** The squared difference of the i-th and j-th value; `totals` are how often each occurs. */
function distances(
  level: Level,
  values: readonly number[],
  totals: readonly number[],
): (i: number, j: number) => number {
  switch (level) {
    case "nominal":
      return (i, j) => (i === j ? 0 : 1);
    case "ordinal": {
      // Values occurring up to and including each: the middle of a value's block of ranks.
      let before = 0;
      const ranks = totals.map((total) => (before += total) - total / 2);
      return (i, j) => (ranks[i]! - ranks[j]!) ** 2;
    }
    case "interval":
      return (i, j) => (values[i]! - values[j]!) ** 2;
    case "ratio":
      return (i, j) => (i === j ? 0 : ((values[i]! - values[j]!) / (values[i]! + values[j]!)) ** 2);
  }
}
