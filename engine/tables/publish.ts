import { copyFileSync, mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { AssayError } from "../canon/errors.ts";
import { newDirectory } from "../canon/files.ts";
import { isForeign } from "../foreign/index.ts";
import type { Table } from "./columns.ts";
import { writeDigests } from "./digests.ts";
import { scanTables, type DeriveOptions, type ScanTables } from "./derive.ts";
import { writeForeignTables } from "./foreign.ts";
import { FOREIGN_TABLE_NAMES, SCAN_TABLE_NAMES, TABLES, TABLES_VERSION, orderOf, type TableName } from "./schema.ts";
import { copySorted, identifier, literal, openDatabase } from "./sink.ts";
import { VIEWS } from "./views.ts";

/** Where a table of a scan lies below a published directory. Base names are unique: some readers know files by it. */
export function publishedPath(table: TableName, scan_id: string): string {
  return scopeOf(table) === "scan"
    ? `${table}/scan=${scan_id}/${table}-${scan_id}.parquet`
    : `${table}/${table}.parquet`;
}

export function scopeOf(table: TableName): Table["scope"] {
  return TABLES[table].scope;
}

export interface Published {
  directory: string;
  scans: string[];
  rows: Record<string, number>;
}

/**
 * `bench tables`: the tables of finished scans and of imported foreign judgments in a new directory, with the schema
 * and the digest of every file beside them. Tables of scope `scan` are partitioned, one file a scan; those of scope `content` are one file. Equal
 * inputs give equal bytes.
 */
export async function publishTables(
  directories: readonly string[],
  output: string,
  { map, ...options }: DeriveOptions & { map?: string | undefined } = {},
): Promise<Published> {
  return await newDirectory(output, async (staging) => {
    const scans = await distinctScans(
      directories.filter((directory) => !isForeign(directory)),
      options,
    );
    const rows: Record<string, number> = {};
    const place = (table: TableName, scan_id: string): string => {
      const file = join(staging, publishedPath(table, scan_id));
      mkdirSync(dirname(file), { recursive: true });
      return file;
    };
    for (const table of SCAN_TABLE_NAMES) {
      if (scopeOf(table) === "content") {
        const files = scans.map((scan) => scan.file(table));
        rows[table] = await unionTable(table, files, place(table, ""));
        continue;
      }
      rows[table] = 0;
      for (const scan of scans) {
        copyFileSync(scan.file(table), place(table, scan.scan_id));
        rows[table] += scan.rows[table] ?? 0;
      }
    }
    const foreign = await writeForeignTables(directories.filter(isForeign), map, (table) => place(table, ""));
    for (const table of FOREIGN_TABLE_NAMES) rows[table] = foreign[table] ?? 0;
    writeFileSync(join(staging, "schema.json"), `${JSON.stringify(schemaDocument(), null, 2)}\n`);
    await writeDigests(staging);
    return { directory: output, scans: scans.map(({ scan_id }) => scan_id), rows };
  });
}

/** The tables of several scans, by scan id; a scan named twice is there once. */
export async function distinctScans(directories: readonly string[], options: DeriveOptions): Promise<ScanTables[]> {
  const scans = new Map<string, ScanTables>();
  for (const directory of directories) {
    const tables = await scanTables(directory, options);
    const known = scans.get(tables.scan_id);
    if (known !== undefined && known.seal_sha256 !== tables.seal_sha256)
      throw new AssayError("duplicate_scan", `is another run of the plan of ${tables.scan_id}, with other answers`, {
        file: directory,
        fix: "name one of the two",
      });
    scans.set(tables.scan_id, tables);
  }
  return [...scans.values()].sort((a, b) => (a.scan_id < b.scan_id ? -1 : 1));
}

/** One file of a table from several; a fact that several of them hold is one row. Answers the rows. */
export async function unionTable(table: TableName, files: readonly string[], file: string): Promise<number> {
  const connection = await openDatabase();
  try {
    return await copySorted(connection, table, unionQuery(table, files), file);
  } finally {
    connection.closeSync();
  }
}

/** The rows of a table in several files, as a query in brackets. */
export function unionQuery(table: TableName, files: readonly string[]): string {
  const { columns, key, scope }: Table = TABLES[table];
  if (files.length === 0) {
    const empty = Object.entries(columns).map(([name, { type }]) => `null::${type} as ${identifier(name)}`);
    return `(select ${empty.join(", ")} where false)`;
  }
  const list = files.map(literal).join(", ");
  const all = `select * from read_parquet([${list}], hive_partitioning = false)`;
  if (scope === "scan") return `(${all})`;
  // Rows of one key can differ only where two plans froze them under different words; the first in order stays.
  const keys = key.map(identifier).join(", ");
  const order = orderOf(table).map(identifier).join(", ");
  return `(select distinct on (${keys}) * from (${all}) order by ${order})`;
}

/** The schema as data: what readers of the files, and the pages, go by. */
export function schemaDocument() {
  return {
    version: TABLES_VERSION,
    tables: Object.entries(TABLES).map(([name, definition]) => {
      const { description, scope, key, columns }: Table = definition;
      return {
        name,
        description,
        scope,
        key,
        columns: Object.entries(columns).map(([column, { type, nullable, unit, description }]) => ({
          name: column,
          type,
          nullable,
          ...(unit === undefined ? {} : { unit }),
          description,
        })),
      };
    }),
    views: Object.entries(VIEWS).map(([name, { description, reads, sql }]) => ({
      name,
      description,
      reads,
      sql: sql.trim(),
    })),
  };
}
