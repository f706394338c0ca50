import { h, hidden } from "./dom.js";
import { VERDICTS, verdictMark, verdictShort, verdictSlug } from "./verdict.js";
import type { Verdict } from "./verdict.js";

export interface MatrixOptions {
  /** What the rows are ("Expected"), and the columns ("Observed"). */
  rowTitle: string;
  columnTitle: string;
  /** The rows behind one cell. */
  href?: (row: Verdict, column: Verdict) => string;
  /** A name for a cell off the diagonal, such as "false pass". */
  name?: (row: Verdict, column: Verdict) => string | undefined;
  caption?: string;
  /** The scan it counts, kept on the table for whoever reads the page by program. */
  scan?: string;
  /** Off-diagonal cells are errors only where one side is an expectation; between two judges they are differences. */
  neutral?: boolean;
}

export type Cells = Partial<Record<`${Verdict}>${Verdict}`, number>>;

/** Sum counts into cells keyed `ROW>COLUMN`; rows with a verdict that is none of the four are not counted here. */
export function cellsOf(rows: Iterable<{ row: string; column: string; n: number }>): Cells {
  const cells: Record<string, number> = {};
  for (const { row, column, n } of rows) cells[`${row}>${column}`] = (cells[`${row}>${column}`] ?? 0) + n;
  return cells;
}

/**
 * 4 x 4 counts with their margins. The diagonal is framed; an off-diagonal count is set in the strong colour and
 * names its kind. Every non-empty cell opens its rows.
 */
export function verdictMatrix(cells: Cells, options: MatrixOptions): HTMLElement {
  const at = (row: Verdict, column: Verdict): number => cells[`${row}>${column}`] ?? 0;
  const rowTotal = (row: Verdict): number => VERDICTS.reduce((sum, column) => sum + at(row, column), 0);
  const columnTotal = (column: Verdict): number => VERDICTS.reduce((sum, row) => sum + at(row, column), 0);
  const total = VERDICTS.reduce((sum, row) => sum + rowTotal(row), 0);
  return h(
    "table",
    { class: options.neutral === true ? "matrix matrix-neutral" : "matrix", "data-scan": options.scan },
    options.caption !== undefined && h("caption", {}, options.caption),
    h(
      "thead",
      {},
      h(
        "tr",
        {},
        h(
          "th",
          { scope: "col", class: "matrix-corner" },
          h("span", { class: "matrix-axis" }, `${options.rowTitle} ↓ `),
          h("span", { class: "matrix-axis" }, `${options.columnTitle} →`),
        ),
        VERDICTS.map((verdict) => h("th", { scope: "col" }, head(verdict))),
        h("th", { scope: "col", class: "matrix-sum" }, "Sum"),
      ),
    ),
    h(
      "tbody",
      {},
      VERDICTS.map((row) =>
        h(
          "tr",
          {},
          h("th", { scope: "row" }, head(row)),
          VERDICTS.map((column) => cell(row, column, at(row, column), options)),
          h("td", { class: "matrix-sum" }, rowTotal(row)),
        ),
      ),
    ),
    h(
      "tfoot",
      {},
      h(
        "tr",
        {},
        h("th", { scope: "row", class: "matrix-sum" }, "Sum"),
        VERDICTS.map((column) => h("td", { class: "matrix-sum" }, columnTotal(column))),
        h("td", { class: "matrix-sum matrix-total" }, total),
      ),
    ),
  );
}

/** The kind of a difference between an expected and an observed verdict; undefined on the diagonal. */
export function mismatchName(expected: Verdict, observed: Verdict): string | undefined {
  if (expected === observed) return undefined;
  if (expected === "NOT_APPLICABLE" || observed === "NOT_APPLICABLE") return "applicability";
  if (expected === "UNCLEAR") return "decided";
  if (observed === "UNCLEAR") return "unresolved";
  return expected === "FAIL" ? "false pass" : "false fail";
}

function head(verdict: Verdict): HTMLElement {
  return h("span", { class: `matrix-head chip-${verdictSlug(verdict)}` }, verdictMark(verdict), verdictShort(verdict));
}

function cell(row: Verdict, column: Verdict, n: number, options: MatrixOptions): HTMLElement {
  const kind = row === column ? "same" : "differs";
  const name = n > 0 ? options.name?.(row, column) : undefined;
  const label = `${options.rowTitle} ${verdictShort(row)}, ${options.columnTitle.toLowerCase()} ${verdictShort(column)}`;
  const body =
    n === 0
      ? h("span", { class: "matrix-zero" }, "0")
      : options.href
        ? h("a", { href: options.href(row, column) }, n, hidden(`: ${label}`))
        : n;
  return h(
    "td",
    { class: `matrix-cell matrix-${kind}${n === 0 ? " matrix-empty" : ""}` },
    body,
    name !== undefined && h("span", { class: "matrix-kind" }, name),
  );
}
