export type FleissKappa = { kappa: number; reason?: never } | { kappa: null; reason: string };

/**
 * Agreement of several raters beyond chance. `table[i][j]` raters put subject i into category j; every subject has the
 * same number of raters. Fleiss JL. Measuring nominal scale agreement among many raters. Psychol Bull 1971; 76: 378-382.
 * Undefined for no subjects, for fewer than two raters, for unequal numbers of raters (see Krippendorff's alpha or Gwet's
 * AC1), and where only one category was used.
 */
export function fleissKappa(table: readonly (readonly number[])[]): FleissKappa {
  for (const count of table.flat())
    if (!Number.isInteger(count) || count < 0) throw new RangeError(`${count} is not a count of raters`);
  const totals = table.map((row) => row.reduce((a, b) => a + b, 0));
  const m = totals[0];
  if (m === undefined) return { kappa: null, reason: "no subjects" };
  if (totals.some((total) => total !== m)) return { kappa: null, reason: "subjects have unequal numbers of raters" };
  if (m < 2) return { kappa: null, reason: "fewer than two raters" };
  const n = table.length;
  const used: number[] = [];
  for (const row of table) row.forEach((count, j) => (used[j] = (used[j] ?? 0) + count));
  if (used.filter((count) => count > 0).length < 2) return { kappa: null, reason: "only one category was used" };
  const agreeing = table.reduce((sum, row) => sum + row.reduce((pairs, count) => pairs + count * (count - 1), 0), 0);
  const observed = agreeing / (n * m * (m - 1));
  const expected = used.reduce((sum, count) => sum + (count / (n * m)) ** 2, 0);
  return { kappa: (observed - expected) / (1 - expected) };
}
