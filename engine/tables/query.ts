import { StatementType, type DuckDBConnection } from "@duckdb/node-api";
import { AssayError } from "../canon/errors.ts";
import { literal } from "./sink.ts";

export type Cell = string | number | boolean | null | Cell[] | { [name: string]: Cell };

export interface QueryResult {
  columns: { name: string; type: string }[];
  rows: Cell[][];
}

const READING: ReadonlySet<StatementType> = new Set([
  StatementType.SELECT,
  StatementType.EXPLAIN,
  StatementType.PRAGMA,
]);

/** One reading statement. Throws `bad_sql` with line and column, in one line, whatever the statement gets wrong. */
export async function runQuery(connection: DuckDBConnection, sql: string): Promise<QueryResult> {
  await requireOneQuery(connection, sql, READING);
  return await explained(sql, async () => {
    const reader = await connection.runAndReadAll(sql);
    const names = reader.columnNames();
    const types = reader.columnTypes();
    return {
      columns: names.map((name, i) => ({ name, type: String(types[i]) })),
      rows: reader.getRowsJS().map((row) => row.map(cellOf)),
    };
  });
}

/** Write the result of one query to a file; answers the number of rows. Throws as `runQuery`. */
export async function exportQuery(
  connection: DuckDBConnection,
  sql: string,
  file: string,
  format: "csv" | "parquet",
): Promise<number> {
  await requireOneQuery(connection, sql, new Set([StatementType.SELECT]));
  const options = format === "csv" ? "format csv, header" : "format parquet, compression zstd";
  const query = sql.trim().replace(/;\s*$/, "");
  return await explained(sql, async () => {
    // The line break ends a comment that the query may end with.
    const reader = await connection.runAndReadAll(`copy (\n${query}\n) to ${literal(file)} (${options})`);
    return Number(reader.getRows()[0]?.[0] ?? 0);
  });
}

async function requireOneQuery(
  connection: DuckDBConnection,
  sql: string,
  allowed: ReadonlySet<StatementType>,
): Promise<void> {
  if (sql.trim() === "") throw new AssayError("bad_sql", "the query is empty", { fix: "give one select statement" });
  await explained(sql, async () => {
    const statements = await connection.extractStatements(sql);
    if (statements.count !== 1)
      throw new AssayError("bad_sql", `holds ${statements.count} statements`, {
        file: "sql",
        fix: "give one select statement",
      });
    const prepared = await statements.prepare(0);
    const reads = allowed.has(prepared.statementType);
    prepared.destroySync();
    if (!reads)
      throw new AssayError("bad_sql", "only reads are allowed here", { file: "sql", fix: "give one select statement" });
  });
}

async function explained<T>(sql: string, run: () => Promise<T>): Promise<T> {
  try {
    return await run();
  } catch (error) {
    throw error instanceof AssayError ? error : sqlError(sql, error instanceof Error ? error.message : String(error));
  }
}

/** DuckDB's message in one line, with the place its caret shows. */
export function sqlError(sql: string, message: string): AssayError {
  const [head = ""] = message.split(/\n\s*\nLINE \d+:/);
  const problem = head
    .replace(/^Failed to [a-z ]+: /, "")
    .replace(/\s*\n\s*/g, "; ")
    .trim();
  return new AssayError("bad_sql", problem, { file: "sql", ...placeOf(sql, message) });
}

function placeOf(sql: string, message: string): { line: number; column: number } | Record<string, never> {
  const shown = /LINE (\d+): (.*)\n( *)\^/.exec(message);
  if (shown?.[1] === undefined || shown[2] === undefined || shown[3] === undefined) return {};
  const line = Number(shown[1]);
  const text = shown[2];
  const at = shown[3].length - `LINE ${line}: `.length;
  // A long line is shown from its middle on, after three dots.
  const piece = text.replace(/^\.\.\./, "").replace(/\.\.\.$/, "");
  const start = text.startsWith("...") ? (sql.split("\n")[line - 1] ?? "").indexOf(piece) - 3 : 0;
  return { line, column: Math.max(1, start + at + 1) };
}

/** A value as JSON holds it; an integer that a number cannot hold exactly stays a text. */
function cellOf(value: unknown): Cell {
  if (value === null || value === undefined) return null;
  if (typeof value === "bigint") return Number.isSafeInteger(Number(value)) ? Number(value) : String(value);
  if (typeof value === "number") return Number.isFinite(value) ? value : String(value);
  if (typeof value === "string" || typeof value === "boolean") return value;
  if (value instanceof Date) return value.toISOString();
  if (value instanceof Uint8Array) return Buffer.from(value).toString("hex");
  if (Array.isArray(value)) return value.map(cellOf);
  if (typeof value === "object")
    return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, cellOf(item)]));
  return typeof value === "symbol" ? value.toString() : JSON.stringify(value);
}
