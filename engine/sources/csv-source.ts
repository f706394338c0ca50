import { AssayError } from "../canon/errors.ts";
import { runDateOf } from "./conversation.ts";
import { readCsv } from "./csv.ts";
import type { FileFacts, ImportedConversation, Reading } from "./imported.ts";
import { MAX_CONVERSATION } from "./limits.ts";
import { conversationsOf, mapColumns, type Field, type TableColumns, type TableRow } from "./table.ts";

/** A CSV file with a header and one message a row. */
export async function* readCsvSource(reading: Reading): AsyncGenerator<ImportedConversation, FileFacts> {
  const run_date = runDateOf(reading);
  yield* conversationsOf(reading, rowsOf(reading));
  return { run_dates: [run_date], cost_usd: null, version: null, about: {} };
}

async function* rowsOf(reading: Reading): AsyncGenerator<TableRow> {
  const { file, options, used, dropped } = reading;
  if (options.delimiter !== undefined) used.add("delimiter");
  let columns: TableColumns | undefined;
  let width = 0;
  let number = 0;
  for await (const { cells, line } of readCsv(file, options.delimiter ?? ",", MAX_CONVERSATION)) {
    if (columns === undefined) {
      width = cells.length;
      columns = mapColumns(reading, cells);
      continue;
    }
    number++;
    if (cells.length !== width)
      throw new AssayError("bad_csv", `row ${number} has ${cells.length} cells, the header ${width}`, {
        file,
        line,
        row: number,
        fix: "quote cells that hold the delimiter, quotes or newlines",
      });
    const row: Partial<Record<Field, string | null>> = {};
    // An empty cell and a missing one look the same in CSV; only a content may be empty.
    for (const [field, at] of columns.found)
      row[field] = cells[at] === "" && field !== "content" ? null : (cells[at] ?? null);
    yield { cells: row, where: { file, line }, number };
  }
  for (const name of columns?.left ?? []) dropped.add(`column ${name}`, number);
}
