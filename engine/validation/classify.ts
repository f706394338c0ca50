import type { MismatchKind } from "../schema/expectation.ts";
import { VERDICTS, type Verdict } from "../schema/verdict.ts";

/** Which of the five kinds a difference is; null where the verdict is the expected one. */
export function classify(expected: Verdict, observed: Verdict): MismatchKind | null {
  if (expected === observed) return null;
  if (expected === "NOT_APPLICABLE" || observed === "NOT_APPLICABLE") return "applicability";
  if (observed === "UNCLEAR") return "unresolved";
  if (expected === "UNCLEAR") return "decided";
  return expected === "FAIL" ? "false_pass" : "false_fail";
}

/** Counts by row verdict, then column verdict; every cell is present. */
export type Matrix = Record<Verdict, Record<Verdict, number>>;

export function emptyMatrix(): Matrix {
  const row = (): Record<Verdict, number> => ({ PASS: 0, FAIL: 0, UNCLEAR: 0, NOT_APPLICABLE: 0 });
  return { PASS: row(), FAIL: row(), UNCLEAR: row(), NOT_APPLICABLE: row() };
}

/** The non-empty cells as `"PASS->FAIL": n`, in verdict order. */
export function transitionsOf(matrix: Matrix): Record<string, number> {
  const cells: Record<string, number> = {};
  for (const from of VERDICTS)
    for (const to of VERDICTS) if (matrix[from][to] > 0) cells[`${from}->${to}`] = matrix[from][to];
  return cells;
}
