import { h } from "./dom.js";
import type { Child } from "./dom.js";
import type { Cells } from "./matrix.js";
import { rate } from "./rate.js";
import type { Column } from "./table.js";
import { VERDICTS, verdictShort } from "./verdict.js";
import type { Verdict } from "./verdict.js";

interface Coefficient {
  ci?: readonly number[] | null;
  reason?: string;
}
/** The engine's estimators, as the page loads them. */
export interface Stats {
  cohenKappa(matrix: number[][]): Coefficient & { kappa: number | null };
  gwetAC1(matrix: number[][]): Coefficient & { ac1: number | null };
  krippendorffAlpha(units: (number | null)[][], level: "nominal"): Coefficient & { alpha: number | null };
}

export const at = (cells: Cells, row: Verdict, column: Verdict): number => cells[`${row}>${column}`] ?? 0;
export const total = (cells: Cells): number => Object.values(cells).reduce((sum, n) => sum + n, 0);
export const agree = (cells: Cells): number => VERDICTS.reduce((sum, verdict) => sum + at(cells, verdict, verdict), 0);

const matrixOf = (cells: Cells): number[][] => VERDICTS.map((row) => VERDICTS.map((column) => at(cells, row, column)));
const unitsOf = (cells: Cells): number[][] =>
  VERDICTS.flatMap((row, i) =>
    VERDICTS.flatMap((column, j) => Array.from({ length: at(cells, row, column) }, () => [i, j])),
  );

/** The verdict that a judge giving it always would agree with most, on one side of a table. */
export function bestConstant(cells: Cells, side: "row" | "column"): { always: Verdict; n: number } {
  const totals = VERDICTS.map((verdict) => ({
    always: verdict,
    n: VERDICTS.reduce(
      (sum, other) => sum + (side === "row" ? at(cells, verdict, other) : at(cells, other, verdict)),
      0,
    ),
  }));
  return totals.reduce((best, next) => (next.n > best.n ? next : best));
}

type Counted = { cells: Cells };

/** What agreement costs nothing: always the side's most frequent verdict, over the same judgments. */
export function constantColumn<Row extends Counted>(
  title: Child,
  side: "row" | "column",
  href: (row: Row, always: Verdict) => string,
): Column<Row> {
  return {
    title,
    align: "right",
    cell: (row) => {
      if (total(row.cells) === 0) return rate(0, 0);
      const { always, n } = bestConstant(row.cells, side);
      return [
        h("span", { class: "quiet" }, `always ${verdictShort(always)} `),
        rate(n, total(row.cells), { href: href(row, always), label: `judgments with ${verdictShort(always)}` }),
      ];
    },
    sort: ({ cells }) => (total(cells) === 0 ? null : bestConstant(cells, side).n / total(cells)),
  };
}

/** Two decimals, and no minus before a zero. */
const decimals = (value: number): string => value.toFixed(2).replace(/^-(?=0\.00$)/, "");

/** Kappa, alpha and AC1; intervals only where the house rule gives one. */
export function coefficientColumns<Row extends Counted>(stats: Stats, interval: boolean): Column<Row>[] {
  const column = (
    title: string,
    of: (cells: Cells) => {
      value: number | null;
      ci?: readonly number[] | null | undefined;
      reason?: string | undefined;
    },
  ): Column<Row> => ({
    title,
    align: "right",
    cell: ({ cells }) => {
      const { value, ci, reason } = of(cells);
      if (value === null) return h("span", { class: "quiet", title: reason }, "undefined");
      const shown = interval && ci && total(cells) >= 30;
      return [decimals(value), shown && h("span", { class: "rate-ci" }, ` [${ci.map(decimals).join(", ")}]`)];
    },
    sort: ({ cells }) => of(cells).value,
  });
  return [
    column("Kappa", (cells) => {
      const found = stats.cohenKappa(matrixOf(cells));
      return { value: found.kappa, ci: found.ci, reason: found.reason };
    }),
    column("Alpha", (cells) => {
      const found = stats.krippendorffAlpha(unitsOf(cells), "nominal");
      return { value: found.alpha, reason: found.reason };
    }),
    column("AC1", (cells) => {
      const found = stats.gwetAC1(matrixOf(cells));
      return { value: found.ac1, ci: found.ci, reason: found.reason };
    }),
  ];
}

const INTERVALS = {
  conversations:
    "Intervals from 30 conversations on, 95 %. Coefficients of few or nearly equal verdicts are unstable whatever their interval says.",
  pooled: "No intervals: judgments of one conversation are not independent of each other.",
  authored: "No intervals: authored cases support no estimate.",
};

export function coefficientNote(over: keyof typeof INTERVALS): string {
  return `Coefficients over the four verdicts. A constant judge has kappa 0 by definition and may have a high AC1. ${INTERVALS[over]}`;
}
