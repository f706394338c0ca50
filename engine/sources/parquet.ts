import type { DuckDBConnection } from "@duckdb/node-api";
import { resolve } from "node:path";
import { AssayError } from "../canon/errors.ts";
import { runDateOf } from "./conversation.ts";
import type { FileFacts, ImportedConversation, Reading } from "./imported.ts";
import { MAX_CONVERSATION, sizeOf, tooLarge } from "./limits.ts";
import { conversationsOf, mapColumns, type Field, type TableRow } from "./table.ts";

/** Scalars whose text is unambiguous; lists, structs and bytes are not. */
const TEXTUAL = /^(?:VARCHAR|ENUM\(.*\)|U?(?:TINY|SMALL|BIG|HUGE)?INT(?:EGER)?|UUID|FLOAT|DOUBLE|DECIMAL\(.*\))$/s;

/** A Parquet file with one message a row, in the order of its rows. */
export async function* readParquet(reading: Reading): AsyncGenerator<ImportedConversation, FileFacts> {
  const run_date = runDateOf(reading);
  yield* conversationsOf(reading, rowsOf(reading));
  return { run_dates: [run_date], cost_usd: null, version: null, about: {} };
}

async function* rowsOf(reading: Reading): AsyncGenerator<TableRow> {
  const { file } = reading;
  sizeOf(file);
  if (/[*?[\]]/.test(file))
    throw new AssayError("bad_parquet", "has a name that the reader would take for a pattern", {
      file,
      fix: "rename it without * ? [ ]",
    });
  const connection = await open(resolve(file), file);
  try {
    const table = `read_parquet('${resolve(file).replaceAll("'", "''")}')`;
    const { found, left } = await columnsOf(connection, table, reading);
    const fields = [...found.keys()];
    const texts = [...found.values()].map((name) => `cast(${identifier(name)} as varchar)`);
    const result = await guarded(file, () =>
      connection.stream(
        // A content beyond the limit is not brought over, only its length.
        `select ${texts.map((text) => `case when strlen(${text}) <= ${MAX_CONVERSATION} then ${text} end, strlen(${text})`).join(", ")} from ${table}`,
      ),
    );
    let number = 0;
    for (;;) {
      const chunk = await guarded(file, () => result.fetchChunk());
      if (chunk === null || chunk.rowCount === 0) break;
      for (const values of chunk.getRows()) {
        number++;
        const cells: Partial<Record<Field, string | null>> = {};
        fields.forEach((field, i) => {
          const value = values[2 * i];
          if (typeof value !== "string" && values[2 * i + 1] !== null)
            throw tooLarge(`the ${field} of row ${number}`, MAX_CONVERSATION, { file }, "leave this row out");
          cells[field] = typeof value === "string" && (value !== "" || field === "content") ? value : null;
        });
        yield { cells, where: { file: `${file} (row ${number})` }, number };
      }
    }
    for (const name of left) reading.dropped.add(`column ${name}`, number);
  } finally {
    connection.closeSync();
  }
}

/** A database that can read this one file and nothing else, with bounded memory. */
async function open(path: string, file: string): Promise<DuckDBConnection> {
  return guarded(file, async () => {
    const { DuckDBInstance } = await import("@duckdb/node-api");
    const instance = await DuckDBInstance.create(":memory:", {
      threads: "1",
      memory_limit: "1GB",
      autoinstall_known_extensions: "false",
      autoload_known_extensions: "false",
    });
    const connection = await instance.connect();
    await connection.run(`set allowed_paths = ['${path.replaceAll("'", "''")}']`);
    await connection.run("set enable_external_access = false");
    await connection.run("set lock_configuration = true");
    return connection;
  });
}

/** The names of the columns that hold a field's text, and of those left behind. */
async function columnsOf(
  connection: DuckDBConnection,
  table: string,
  reading: Reading,
): Promise<{ found: Map<Field, string>; left: readonly string[] }> {
  const { file } = reading;
  const described = await guarded(file, () => connection.runAndReadAll(`describe select * from ${table}`));
  const columns = described.getRows().map(([name, type]) => ({ name: String(name), type: String(type) }));
  const names = columns.map(({ name }) => name);
  const { found: mapped, left } = mapColumns(reading, names);
  const found = new Map<Field, string>();
  for (const [field, at] of mapped) {
    const column = columns[at];
    if (column === undefined) continue;
    const types = field === "content" ? /^(?:VARCHAR|ENUM\(.*\))$/s : TEXTUAL;
    if (!types.test(column.type))
      throw new AssayError("bad_columns", `its column ${JSON.stringify(column.name)} is ${column.type.slice(0, 80)}`, {
        file,
        fix: `write the ${field} as text`,
      });
    found.set(field, column.name);
  }
  return { found, left };
}

function identifier(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}

async function guarded<T>(file: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof AssayError) throw error;
    const said = error instanceof Error ? error.message : String(error);
    throw new AssayError("bad_parquet", `cannot be read as Parquet: ${said.split("\n", 1)[0]?.slice(0, 300) ?? ""}`, {
      file,
    });
  }
}
