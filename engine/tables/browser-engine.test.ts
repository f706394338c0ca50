import * as duckdb from "@duckdb/duckdb-wasm/blocking";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { packageRoot } from "../canon/root.ts";
import { plainCard } from "../../tests/helpers/made-scan.ts";
import { foreignOver } from "../../tests/helpers/foreign.ts";
import { runScan } from "../scan/index.ts";
import { judgeStudies } from "../studies/demo.ts";
import { loadStudy } from "../studies/load.ts";
import { writeForeignTables } from "./foreign.ts";
import { distinctScans, unionTable } from "./publish.ts";
import { openTables } from "./open.ts";
import { runQuery } from "./query.ts";
import { SCAN_TABLE_NAMES, TABLE_NAMES } from "./schema.ts";
import { VIEW_NAMES, viewStatements } from "./views.ts";

const directory = mkdtempSync(join(tmpdir(), "assay-wasm-"));
const cache = join(directory, "cache");
let bundles: string[] = [];
let theirs: Awaited<ReturnType<typeof foreignOver>>;
let wasm: Awaited<ReturnType<typeof openWasm>>;

/** The engine that the pages run, here in Node. */
async function openWasm() {
  const resolve = createRequire(import.meta.url).resolve;
  const file = (name: string): string => resolve(`@duckdb/duckdb-wasm/dist/${name}`);
  const bundle = { mainModule: file("duckdb-eh.wasm"), mainWorker: file("duckdb-node-eh.worker.cjs") };
  const mvp = { mainModule: file("duckdb-mvp.wasm"), mainWorker: file("duckdb-node-mvp.worker.cjs") };
  const database = await duckdb.createDuckDB({ mvp, eh: bundle }, new duckdb.VoidLogger(), duckdb.NODE_RUNTIME);
  await database.instantiate(() => undefined);
  return { database, connection: database.connect() };
}

/** A column in words of both versions: how a list is quoted as text has changed between them. */
function asText(column: string, type: string): string {
  if (type.startsWith("STRUCT")) return `len(${column})::varchar`;
  return type.endsWith("[]")
    ? `len(${column}) || ' ' || coalesce(array_to_string(${column}, ';'), '')`
    : `${column}::varchar`;
}

beforeAll(async () => {
  const study = loadStudy(join(packageRoot, "studies", "caregiver-boundaries"));
  const judges = study.study.judges.filter(({ judge }) => judge === "lexicon" || judge === "constant:half");
  const made = await judgeStudies({
    studies: [{ ...study, study: { ...study.study, judges } }],
    output: join(directory, "bundles"),
    checksDir: join(packageRoot, "checks"),
  });
  theirs = await foreignOver(directory);
  await runScan({ directory: theirs.scan, finish: plainCard });
  bundles = [...made.map((scan) => scan.directory), theirs.scan];
  const scans = await distinctScans(bundles, { cache });
  wasm = await openWasm();
  const file = (table: string): string => join(directory, `${table}.parquet`);
  for (const table of SCAN_TABLE_NAMES)
    await unionTable(
      table,
      scans.map((scan) => scan.file(table)),
      file(table),
    );
  await writeForeignTables([theirs.foreign], theirs.map, file);
  for (const table of TABLE_NAMES) {
    wasm.database.registerFileBuffer(`${table}.parquet`, readFileSync(file(table)));
    wasm.connection.query(`create table ${table} as select * from read_parquet('${table}.parquet')`);
  }
  for (const statement of viewStatements(new Set(TABLE_NAMES))) wasm.connection.query(statement);
}, 240_000);
afterAll(() => rmSync(directory, { recursive: true, force: true }));

describe("the engine of the pages", () => {
  it("gives for every table and view what the loaders' engine gives", async () => {
    const native = await openTables([...bundles, theirs.foreign], join(directory, "native"), {
      cache,
      map: theirs.map,
    });
    for (const name of [...TABLE_NAMES, ...VIEW_NAMES]) {
      const { columns } = await runQuery(native, `from ${name} limit 0`);
      const list = columns
        .map(({ name: column, type }) => `coalesce(${asText(`"${column}"`, type)}, 'null')`)
        .join(" || '|' || ");
      const query = `select r from (select ${list} as r from ${name}) order by r`;
      const expected = (await runQuery(native, query)).rows.map(([text]) => text);
      const found = wasm.connection.query(query).getChildAt(0)?.toJSON().map(String);
      expect(found, name).toEqual(expected);
      expect(expected.length, name).toBeGreaterThan(0);
    }
    native.closeSync();
  });
});
