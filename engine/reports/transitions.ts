import { VERDICTS, type Verdict } from "../schema/verdict.ts";
import { transitionsOf, type Matrix, type Share } from "../validation/index.ts";

/** Judgments that both scans judged, the old verdict by the new one. */
export interface Transitions {
  transition_table: Matrix;
  /** The cells that are not empty: `"PASS->FAIL": n`. */
  transitions: Record<string, number>;
  changed_verdicts: Share;
  applicability_transitions: { became_applicable: number; became_not_applicable: number };
}

export function countTransitions(table: Matrix): Transitions {
  const cells = VERDICTS.flatMap((from) => VERDICTS.map((to) => ({ from, to, n: table[from][to] })));
  const sum = (keep: (from: Verdict, to: Verdict) => boolean): number =>
    cells.filter(({ from, to }) => keep(from, to)).reduce((total, { n }) => total + n, 0);
  return {
    transition_table: table,
    transitions: transitionsOf(table),
    changed_verdicts: { numerator: sum((from, to) => from !== to), denominator: sum(() => true) },
    applicability_transitions: {
      became_applicable: sum((from, to) => from === "NOT_APPLICABLE" && to !== "NOT_APPLICABLE"),
      became_not_applicable: sum((from, to) => from !== "NOT_APPLICABLE" && to === "NOT_APPLICABLE"),
    },
  };
}
