import {
  DuckDBInstance,
  LIST,
  STRUCT,
  structValue,
  VARCHAR,
  type DuckDBAppender,
  type DuckDBConnection,
  type DuckDBStructValue,
} from "@duckdb/node-api";
import type { Column, Table } from "./columns.ts";
import { TABLES, orderOf, type Row, type TableName } from "./schema.ts";

/** Rows in a group: small enough that a page that wants one conversation reads little, large enough to compress. */
const ROW_GROUP = 16_384;

const TEXTS = LIST(VARCHAR);
const OPTIONS = LIST(STRUCT({ option: VARCHAR, description: VARCHAR }));
const BOUNDARIES = LIST(
  STRUCT({ boundary_id: VARCHAR, change: VARCHAR, expected_effect: VARCHAR, prohibited: VARCHAR, legitimate: VARCHAR }),
);

/** Takes rows of the documented tables, in any order. */
export interface Sink {
  add<Name extends TableName>(table: Name, row: Row<Name>): void;
}

/** A database in memory with one thread, so that equal rows give equal files. `scratch` takes what does not fit. */
export async function openDatabase(scratch?: string): Promise<DuckDBConnection> {
  const instance = await DuckDBInstance.create(":memory:", {
    threads: "1",
    ...(scratch === undefined ? {} : { temp_directory: scratch }),
  });
  return await instance.connect();
}

/** Staging for the rows of some tables: appended to a database in memory, written as one sorted Parquet file a table. */
export class StagingTables implements Sink {
  readonly #connection: DuckDBConnection;
  readonly #appenders: Map<TableName, DuckDBAppender>;
  readonly #seen = new Map<TableName, Set<string>>();

  private constructor(connection: DuckDBConnection, appenders: Map<TableName, DuckDBAppender>) {
    this.#connection = connection;
    this.#appenders = appenders;
  }

  static async open(names: readonly TableName[], scratch: string): Promise<StagingTables> {
    const connection = await openDatabase(scratch);
    const appenders = new Map<TableName, DuckDBAppender>();
    for (const name of names) {
      const definition: Table = TABLES[name];
      const columns = Object.entries(definition.columns).map(
        ([column, { type, nullable }]) => `"${column}" ${type}${nullable ? "" : " not null"}`,
      );
      await connection.run(`create table ${name} (${columns.join(", ")})`);
      appenders.set(name, await connection.createAppender(name));
    }
    return new StagingTables(connection, appenders);
  }

  add<Name extends TableName>(table: Name, row: Row<Name>): void {
    const definition: Table = TABLES[table];
    const values: Readonly<Record<string, unknown>> = row;
    if (definition.scope === "content" && this.#repeats(table, definition, values)) return;
    const appender = this.#appenders.get(table);
    if (appender === undefined) throw new Error(`${table} is not staged here`);
    for (const [name, column] of Object.entries(definition.columns))
      append(appender, `${table}.${name}`, column, values[name]);
    appender.endRow();
  }

  /** A fact keyed by digest is one row, however often it is met. */
  #repeats(table: TableName, { key }: Table, values: Readonly<Record<string, unknown>>): boolean {
    let seen = this.#seen.get(table);
    if (seen === undefined) this.#seen.set(table, (seen = new Set()));
    const identity = JSON.stringify(key.map((name) => values[name]));
    if (seen.has(identity)) return true;
    seen.add(identity);
    return false;
  }

  /** Write every table to `file(name)`, sorted; answers the number of rows of each. */
  async write(file: (name: TableName) => string): Promise<Record<string, number>> {
    const counts: Record<string, number> = {};
    for (const [name, appender] of this.#appenders) {
      appender.closeSync();
      counts[name] = await copySorted(this.#connection, name, name, file(name));
    }
    return counts;
  }

  close(): void {
    this.#connection.closeSync();
  }
}

/** Write the rows of `from` (a table or a query in brackets) as `name`'s file; answers their number. */
export async function copySorted(
  connection: DuckDBConnection,
  name: TableName,
  from: string,
  file: string,
): Promise<number> {
  const columns = Object.keys(TABLES[name].columns).map(identifier).join(", ");
  const order = orderOf(name).map(identifier).join(", ");
  const result = await connection.run(
    `copy (select ${columns} from ${from} order by ${order}) to ${literal(file)} (format parquet, compression zstd, row_group_size ${ROW_GROUP})`,
  );
  return Number((await result.getRows())[0]?.[0] ?? 0);
}

export function identifier(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}

export function literal(text: string): string {
  return `'${text.replaceAll("'", "''")}'`;
}

/** Texts as they are, records as structs. */
function listItem(item: unknown): string | DuckDBStructValue {
  if (typeof item === "string") return item;
  if (typeof item !== "object" || item === null) throw new Error(`a list holds ${typeof item}`);
  return structValue(Object.fromEntries(Object.entries(item).map(([name, text]) => [name, String(text)])));
}

export function append(appender: DuckDBAppender, where: string, { type, nullable }: Column, value: unknown): void {
  if (value === null) {
    if (!nullable) throw new Error(`${where} is null`);
    appender.appendNull();
  } else if (type === "VARCHAR" && typeof value === "string") appender.appendVarchar(value);
  else if (type === "INTEGER" && typeof value === "number" && Number.isInteger(value)) appender.appendInteger(value);
  else if (type === "DOUBLE" && typeof value === "number") appender.appendDouble(value);
  else if (type === "BOOLEAN" && typeof value === "boolean") appender.appendBoolean(value);
  else if (Array.isArray(value)) {
    const listType = type === "VARCHAR[]" ? TEXTS : type.includes("boundary_id") ? BOUNDARIES : OPTIONS;
    appender.appendList(value.map(listItem), listType);
  } else throw new Error(`${where} is ${typeof value}, not ${type}`);
}
