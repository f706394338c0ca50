import { getDefaultClient } from "npm:@observablehq/duckdb";
import { plain } from "./db.js";
import type { Row, Value } from "./db.js";
import { h, uid } from "./dom.js";
import type { Child } from "./dom.js";
import { emptyState, errorState, loadingState } from "./states.js";

/** Rows shown, and rows kept for the CSV: a query may return millions, a page should not. */
export const SHOWN = 500;
export const KEPT = 100_000;

export interface Example {
  title: string;
  query: string;
}

/** The published schema: what the tables hold, and the views to make over them. */
export interface Schema {
  tables: {
    name: string;
    description: string;
    columns: { name: string; type: string; unit?: string; description: string }[];
  }[];
  views: { name: string; description: string; sql: string }[];
}

export interface Result {
  columns: string[];
  rows: Row[];
  /** False where the result went on after `KEPT` rows. */
  complete: boolean;
  milliseconds: number;
}

/** Run one query and keep at most `KEPT` rows of it. */
export async function run(text: string): Promise<Result> {
  const start = performance.now();
  const client = await getDefaultClient();
  const stream = await client.queryStream(text);
  const columns = stream.schema.fields.map((field) => field.name);
  const rows: Row[] = [];
  let complete = true;
  const batches = stream.readRows();
  for await (const batch of batches) {
    for (const item of batch) {
      if (rows.length === KEPT) complete = false;
      else rows.push(Object.fromEntries(Object.entries(item.toJSON()).map(([name, value]) => [name, plain(value)])));
    }
    if (!complete) break;
  }
  return { columns, rows, complete, milliseconds: performance.now() - start };
}

/** RFC 4180, with a header line. */
export function csv({ columns, rows }: Pick<Result, "columns" | "rows">): string {
  const field = (value: Value | undefined): string => {
    const text =
      value === null || value === undefined ? "" : typeof value === "object" ? JSON.stringify(value) : String(value);
    return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
  };
  return (
    [columns, ...rows.map((row) => columns.map((name) => row[name]))]
      .map((line) => line.map(field).join(","))
      .join("\r\n") + "\r\n"
  );
}

/** Editor, examples, result. The query lives in the address, so that a number anywhere can link to its rows. */
export async function sqlConsole(schema: Schema, examples: readonly Example[]): Promise<HTMLElement> {
  const client = await getDefaultClient();
  for (const view of schema.views) await client.query(`create or replace view ${view.name} as ${view.sql}`);
  const id = uid("query");
  const initial = decodeURIComponent(location.hash.slice(1)) || (examples[0]?.query ?? "");
  const editor = h("textarea", {
    id,
    class: "editor",
    rows: 9,
    spellcheck: "false",
    autocapitalize: "off",
    autocomplete: "off",
    "aria-describedby": `${id}-keys`,
  });
  editor.value = initial;
  const output = h("div", { class: "console-output", "aria-live": "polite" });
  const button = h("button", { type: "submit", class: "plain primary" }, "Run");
  let turn = 0;

  async function execute(): Promise<void> {
    const mine = (turn += 1);
    const text = editor.value.trim().replace(/;\s*$/, "");
    if (text === "") {
      output.replaceChildren(emptyState("There is no query yet", "Write one, or take an example."));
      return;
    }
    history.replaceState(null, "", `#${encodeURIComponent(text)}`);
    output.replaceChildren(loadingState("Running"));
    try {
      const result = await run(text);
      if (mine === turn) output.replaceChildren(resultView(result));
    } catch (error) {
      if (mine === turn) output.replaceChildren(errorState(error, "The query did not run"));
    }
  }
  const load = (text: string): void => {
    editor.value = text;
    void execute();
  };

  editor.addEventListener("keydown", (event) => {
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) void execute();
  });
  window.addEventListener("hashchange", () => load(decodeURIComponent(location.hash.slice(1))));
  const form = h(
    "form",
    {
      class: "console",
      on: {
        submit: (event) => {
          event.preventDefault();
          void execute();
        },
      },
    },
    h("label", { for: id, class: "small-caps" }, "Query"),
    editor,
    h(
      "p",
      { class: "console-bar" },
      button,
      h(
        "span",
        { id: `${id}-keys`, class: "quiet" },
        "Ctrl or ⌘ + Enter runs it. DuckDB SQL, in this page, over the published tables.",
      ),
    ),
  );
  void execute();
  return h(
    "div",
    { class: "console-grid" },
    h("div", { class: "console-main" }, form, output),
    h(
      "section",
      { class: "console-side", "aria-label": "Examples and tables" },
      h("h2", { class: "small-caps" }, "Examples"),
      h(
        "ul",
        { class: "examples" },
        examples.map(({ title, query: text }) =>
          h("li", {}, h("button", { type: "button", class: "link", on: { click: () => load(text) } }, title)),
        ),
      ),
      schemaList(schema),
    ),
  );
}

function resultView(result: Result): HTMLElement {
  const { columns, rows, complete, milliseconds } = result;
  const size = complete ? rows.length.toLocaleString("en") : `more than ${KEPT.toLocaleString("en")}`;
  const shown = rows.length > SHOWN ? `, the first ${SHOWN} shown` : "";
  const status = `${size} ${rows.length === 1 ? "row" : "rows"}${shown}; ${Math.max(1, Math.round(milliseconds))} ms`;
  const numeric = columns.map(
    (name) => rows.length > 0 && rows.every((row) => row[name] === null || typeof row[name] === "number"),
  );
  return h(
    "div",
    {},
    h(
      "p",
      { class: "console-status" },
      status,
      " ",
      rows.length > 0 &&
        h(
          "button",
          { type: "button", class: "plain", on: { click: () => download(result) } },
          complete ? "Download CSV" : `Download CSV (first ${KEPT.toLocaleString("en")} rows)`,
        ),
    ),
    rows.length === 0
      ? emptyState("The query ran and returned no rows")
      : h(
          "div",
          { class: "console-scroll", tabindex: 0, role: "region", "aria-label": "Result" },
          h(
            "table",
            { class: "data" },
            h(
              "thead",
              {},
              h(
                "tr",
                {},
                columns.map((name, i) =>
                  h("th", { scope: "col", class: numeric[i] === true ? "align-right" : null }, name),
                ),
              ),
            ),
            h(
              "tbody",
              {},
              rows.slice(0, SHOWN).map((row) =>
                h(
                  "tr",
                  {},
                  columns.map((name, i) =>
                    h("td", { class: numeric[i] === true ? "align-right" : null }, cell(row[name])),
                  ),
                ),
              ),
            ),
          ),
        ),
  );
}

function cell(value: Value | undefined): string | Node {
  if (value === null || value === undefined) return h("span", { class: "quiet" }, "null");
  if (typeof value === "number") return Number.isInteger(value) ? String(value) : String(Number(value.toPrecision(6)));
  const text = typeof value === "object" ? JSON.stringify(value) : String(value);
  return text.length <= 280 ? text : h("span", { title: text }, `${text.slice(0, 280)}…`);
}

function download(result: Result): void {
  const url = URL.createObjectURL(new Blob([csv(result)], { type: "text/csv" }));
  h("a", { href: url, download: "assay-query.csv" }).click();
  setTimeout(() => URL.revokeObjectURL(url), 1000);
}

function schemaList({ tables, views }: Schema): Child[] {
  const entry = (name: string, description: string, columns: Child): HTMLElement =>
    h(
      "details",
      { class: "schema-table" },
      h("summary", {}, h("code", {}, name)),
      h("p", { class: "quiet" }, description),
      columns,
    );
  return [
    h("h2", { class: "small-caps" }, "Tables"),
    tables.map(({ name, description, columns }) =>
      entry(
        name,
        description,
        h(
          "ul",
          {},
          columns.map((column) =>
            h(
              "li",
              {},
              h("code", {}, column.name),
              " ",
              h("span", { class: "quiet" }, column.description, column.unit === undefined ? "" : ` (${column.unit})`),
            ),
          ),
        ),
      ),
    ),
    h("h2", { class: "small-caps" }, "Views"),
    views.map(({ name, description }) => entry(name, description, null)),
  ];
}
