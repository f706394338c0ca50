import type { DuckDBConnection } from "@duckdb/node-api";
import { existsSync, mkdirSync, readdirSync } from "node:fs";
import { join, resolve } from "node:path";
import { AssayError } from "../canon/errors.ts";
import { isDirectory } from "../canon/files.ts";
import { refusePrivate } from "../canon/private.ts";
import { isForeign } from "../foreign/index.ts";
import { PLAN_FILE } from "../scan/bundle.ts";
import { writeForeignTables } from "./foreign.ts";
import { requireDigests } from "./digests.ts";
import { distinctScans, scopeOf, unionQuery } from "./publish.ts";
import type { DeriveOptions } from "./derive.ts";
import { FOREIGN_TABLE_NAMES, SCAN_TABLE_NAMES, TABLE_NAMES, type TableName } from "./schema.ts";
import { literal, openDatabase } from "./sink.ts";
import { viewStatements } from "./views.ts";

/** Parquet files by table. */
type Files = Map<TableName, string[]>;

/**
 * A database in which every documented table and view can be queried, over finished scans, directories of scans,
 * directories that `bench tables` wrote, and imported foreign judgments. A map that is given here takes the place of
 * the published ones. It reads those files and nothing else, and writes below `scratch` only. Throws `no_tables`, and
 * `corrupt_tables` and what deriving throws: an unfinished scan is refused, never half shown.
 */
export async function openTables(
  directories: readonly string[],
  scratch: string,
  { map, ...options }: DeriveOptions & { map?: string | undefined } = {},
): Promise<DuckDBConnection> {
  const files: Files = new Map(TABLE_NAMES.map((name) => [name, []]));
  const bundles = directories.flatMap((directory) => bundlesOf(directory, files));
  for (const directory of directories.filter(isPublished)) await requireDigests(directory);
  const imported = bundles.filter(isForeign);
  const finished = bundles.filter((directory) => !isForeign(directory));
  for (const scan of await distinctScans(finished, options))
    for (const name of SCAN_TABLE_NAMES) files.get(name)?.push(scan.file(name));
  if (imported.length > 0 || map !== undefined) {
    mkdirSync(scratch, { recursive: true });
    const file = (name: TableName): string => join(scratch, `${name}.parquet`);
    await writeForeignTables(imported, map, file);
    if (map !== undefined) files.set("check_map", []);
    for (const name of FOREIGN_TABLE_NAMES) files.get(name)?.push(file(name));
  }
  const connection = await openDatabase();
  const paths = [...files.values()].flat().map((file) => resolve(file));
  await connection.run(`set allowed_paths = [${paths.map(literal).join(", ")}]`);
  await connection.run(`set allowed_directories = [${literal(`${resolve(scratch)}/`)}]`);
  for (const name of TABLE_NAMES)
    await connection.run(
      `create view ${name} as from ${unionQuery(
        name,
        (files.get(name) ?? []).map((file) => resolve(file)),
      )}`,
    );
  for (const statement of viewStatements(new Set(TABLE_NAMES))) await connection.run(statement);
  await connection.run("set enable_external_access = false");
  await connection.run("set lock_configuration = true");
  return connection;
}

/** The scans and imports a directory is or holds; the files of one that `bench tables` wrote go to `files`. */
function bundlesOf(directory: string, files: Files): string[] {
  if (!isDirectory(directory))
    throw new AssayError("no_tables", "is not a directory", {
      file: directory,
      fix: "name a scan, or what bench tables wrote",
    });
  if (isBundle(directory)) return [directory];
  if (isPublished(directory)) {
    for (const name of TABLE_NAMES) {
      const found = publishedFiles(directory, name);
      for (const file of found) refusePrivate(file);
      files.get(name)?.push(...found);
    }
    return [];
  }
  const below = readdirSync(directory)
    .filter((name) => !name.startsWith("."))
    .sort()
    .map((name) => join(directory, name))
    .filter(isBundle);
  if (below.length === 0)
    throw new AssayError("no_tables", "holds neither scans nor tables", {
      file: directory,
      fix: "name a scan, or what bench tables wrote",
    });
  return below;
}

function isPublished(directory: string): boolean {
  return !isBundle(directory) && existsSync(join(directory, "schema.json"));
}

function isBundle(directory: string): boolean {
  return existsSync(join(directory, PLAN_FILE)) || isForeign(directory);
}

function publishedFiles(directory: string, name: TableName): string[] {
  const folder = join(directory, name);
  if (!isDirectory(folder))
    throw new AssayError("no_tables", `holds no ${name}`, { file: directory, fix: "write it again with bench tables" });
  if (scopeOf(name) === "content") return [join(folder, `${name}.parquet`)];
  return readdirSync(folder)
    .filter((part) => part.startsWith("scan="))
    .sort()
    .map((part) => join(folder, part, `${name}-${part.slice("scan=".length)}.parquet`));
}
