import { h, hidden, uid } from "./dom.js";
import type { Child } from "./dom.js";

export interface Column<Row> {
  title: Child;
  /** What is shown. */
  cell: (row: Row) => Child;
  /** What the column sorts by; a column without it does not sort. */
  sort?: (row: Row) => string | number | null;
  align?: "right" | "center";
  /** The row's own name: rendered as a row header. */
  header?: boolean;
  class?: string;
}

export interface TableOptions<Row> {
  /** Rows shown before "show more". */
  page?: number;
  /** Starts a labelled group of rows when it changes; rows come in that order, and sorting is off. */
  group?: (row: Row) => string;
  /** The words of a row that a reader may look for; longer tables with it get a field to type them in. */
  filter?: (row: Row) => string;
  label: string;
  empty?: string;
}

/** Fewer rows than this are read faster than filtered. */
const WORTH_A_FILTER = 8;

/** A table of typed rows: sortable by its headers, longer ones in pages, nothing hidden without a count. */
export function dataTable<Row>(
  rows: readonly Row[],
  columns: readonly Column<Row>[],
  options: TableOptions<Row>,
): HTMLElement {
  if (rows.length === 0) return h("p", { class: "quiet table-empty" }, options.empty ?? "No rows.");
  const step = options.page ?? 50;
  let order = [...rows];
  let wanted: string[] = [];
  let shown = step;
  let sorted: { index: number; down: boolean } | null = null;
  const body = h("tbody", {});
  const more = h("p", { class: "table-more" });
  const status = h("span", { role: "status", class: "quiet" });
  const heads = columns.map((column, index) => head(column, options.group === undefined, () => sortBy(index)));

  function sortBy(index: number): void {
    const key = columns[index]?.sort;
    if (key === undefined) return;
    sorted = { index, down: sorted?.index === index ? !sorted.down : false };
    const sign = sorted.down ? -1 : 1;
    order = [...rows].sort((a, b) => sign * compare(key(a), key(b)));
    heads.forEach((cell, i) => {
      if (i === index) cell.setAttribute("aria-sort", sorted?.down === true ? "descending" : "ascending");
      else cell.removeAttribute("aria-sort");
    });
    draw();
  }

  function draw(): void {
    let group: string | undefined;
    const { filter } = options;
    const found =
      filter === undefined || wanted.length === 0
        ? order
        : order.filter((row) => wanted.every((word) => filter(row).toLowerCase().includes(word)));
    status.textContent = wanted.length === 0 ? "" : `${found.length}/${rows.length} rows`;
    body.replaceChildren();
    for (const row of found.slice(0, shown)) {
      const next = options.group?.(row);
      if (next !== undefined && next !== group) {
        group = next;
        body.append(h("tr", { class: "group-row" }, h("th", { colspan: columns.length, scope: "rowgroup" }, next)));
      }
      body.append(
        h(
          "tr",
          {},
          columns.map((column) =>
            h(
              column.header === true ? "th" : "td",
              { class: classOf(column), scope: column.header === true ? "row" : null },
              column.cell(row),
            ),
          ),
        ),
      );
    }
    more.replaceChildren();
    if (found.length > shown) {
      more.append(
        `${shown} of ${found.length} rows. `,
        h(
          "button",
          {
            type: "button",
            class: "plain",
            on: {
              click: () => {
                shown += step * 4;
                draw();
              },
            },
          },
          `Show ${Math.min(step * 4, found.length - shown)} more`,
        ),
      );
    }
  }

  draw();
  return h(
    "div",
    { class: "table-wrap" },
    options.filter !== undefined &&
      rows.length > WORTH_A_FILTER &&
      filterField(options.label, status, (words) => {
        wanted = words;
        shown = step;
        draw();
      }),
    h("table", { class: "data", "aria-label": options.label }, h("thead", {}, h("tr", {}, heads)), body),
    more,
  );
}

function filterField(label: string, status: HTMLElement, onWords: (words: string[]) => void): HTMLElement {
  const id = uid("filter");
  const input = h("input", { id, type: "search", class: "filter", autocomplete: "off", spellcheck: "false" });
  input.addEventListener("input", () =>
    onWords(
      input.value
        .toLowerCase()
        .split(/\s+/)
        .filter((word) => word !== ""),
    ),
  );
  return h(
    "p",
    { class: "table-filter" },
    h("label", { for: id }, "Filter", hidden(` ${label}`)),
    " ",
    input,
    " ",
    status,
  );
}

function head<Row>(column: Column<Row>, sortable: boolean, sort: () => void): HTMLTableCellElement {
  const label =
    column.sort !== undefined && sortable
      ? h("button", { type: "button", class: "sort", on: { click: sort } }, column.title)
      : column.title;
  return h("th", { scope: "col", class: classOf(column) }, label);
}

function classOf<Row>(column: Column<Row>): string | null {
  return [column.align && `align-${column.align}`, column.class].filter(Boolean).join(" ") || null;
}

function compare(a: string | number | null, b: string | number | null): number {
  if (a === null || b === null) return a === b ? 0 : a === null ? 1 : -1;
  return typeof a === "number" && typeof b === "number" ? a - b : String(a).localeCompare(String(b), "en");
}
