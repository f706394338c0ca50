import { DuckDBInstance } from "@duckdb/node-api";
import { cpSync, existsSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { madeScan, plainCard, scratchDirectory } from "../../tests/helpers/made-scan.ts";
import { runScan } from "../scan/run.ts";
import { scanTables } from "./derive.ts";
import { openTables } from "./open.ts";
import { publishTables, scopeOf } from "./publish.ts";
import { runQuery, type Cell } from "./query.ts";
import { TABLE_NAMES } from "./schema.ts";

const directory = scratchDirectory();
const cache = join(directory, "cache");
const tables = join(directory, "tables");
const scans: string[] = [];

beforeAll(async () => {
  for (const [name, spec] of [
    ["one", "lexicon"],
    ["two", "constant:half"],
  ] as const) {
    const bundle = await madeScan(directory, name, { spec, cases: 2 });
    await runScan({ directory: bundle.directory, finish: plainCard });
    scans.push(bundle.directory);
  }
  await publishTables(scans, tables, { cache });
});

async function rows(from: string, sql: string): Promise<Cell[][]> {
  const connection = await openTables([from], join(directory, "scratch"), { cache });
  try {
    return (await runQuery(connection, sql)).rows;
  } finally {
    connection.closeSync();
  }
}

function filesBelow(root: string): string[] {
  return readdirSync(root, { recursive: true, encoding: "utf8" }).filter((path) => statSync(join(root, path)).isFile());
}

describe("published tables that were damaged", () => {
  const files = (): string[] => filesBelow(tables).filter((path) => path !== "digests.json");

  it.each([
    [
      "one bit of it changed",
      (file: string) => {
        const bytes = readFileSync(file);
        bytes[bytes.length >> 1]! ^= 1;
        writeFileSync(file, bytes);
      },
    ],
    ["cut short", (file: string) => writeFileSync(file, readFileSync(file).subarray(0, -3))],
    ["gone", (file: string) => rmSync(file)],
  ])("are refused, whichever file is %s", async (_, damage) => {
    for (const path of files()) {
      const copy = join(directory, "damaged");
      cpSync(tables, copy, { recursive: true });
      damage(join(copy, path));
      // Without its schema it is no directory of tables at all.
      const code = existsSync(join(copy, "schema.json")) ? "corrupt_tables" : "no_tables";
      await expect(rows(copy, "from scans"), path).rejects.toMatchObject({ code });
      rmSync(copy, { recursive: true });
    }
  });

  it("are refused where their digests are gone or no longer digests", async () => {
    const copy = join(directory, "no-digests");
    cpSync(tables, copy, { recursive: true });
    writeFileSync(join(copy, "digests.json"), "{}\n");
    await expect(rows(copy, "from scans")).rejects.toMatchObject({ code: "corrupt_tables" });
    rmSync(join(copy, "digests.json"));
    await expect(rows(copy, "from scans")).rejects.toMatchObject({ code: "corrupt_tables" });
  });

  it("in the cache are derived again", async () => {
    const made = await scanTables(scans[0]!, { cache });
    const file = made.file("answers");
    const sound = readFileSync(file);
    for (const damage of [sound.subarray(0, 40), Buffer.alloc(sound.length)]) {
      writeFileSync(file, damage);
      await scanTables(scans[0]!, { cache });
      expect(readFileSync(file).equals(sound)).toBe(true);
    }
    rmSync(file);
    await scanTables(scans[0]!, { cache });
    expect(existsSync(file)).toBe(true);
  });
});

describe("a plain DuckDB, without a word of this engine", () => {
  async function plain(sql: string): Promise<unknown[][]> {
    const connection = await (await DuckDBInstance.create(":memory:")).connect();
    try {
      return (await connection.runAndReadAll(sql)).getRowsJS();
    } finally {
      connection.closeSync();
    }
  }
  const partitioned = TABLE_NAMES.filter((table) => scopeOf(table) === "scan");
  const glob = (table: string): string => join(tables, table, "*", "*.parquet");

  it("reads every partitioned table by a glob, whether or not it takes the folders for a column", async () => {
    for (const table of partitioned) {
      const [[count]] = (await rows(tables, `select count(*)::integer from ${table}`)) as [[Cell]];
      for (const hive of [true, false])
        expect(
          await plain(`select count(*)::integer from read_parquet('${glob(table)}', hive_partitioning = ${hive})`),
          table,
        ).toEqual([[count]]);
    }
  });

  it("finds in the folder's name the scan that the rows name, and reads one folder for it", async () => {
    const source = `read_parquet('${glob("answers")}', hive_partitioning = true)`;
    const folders = await plain(`select distinct scan, scan_id from ${source} order by scan`);
    expect(folders).toHaveLength(2);
    for (const [folder, scan_id] of folders) expect(folder).toBe(scan_id);
    // Only the first file is sound now: a query of its folder does not meet the other.
    const pruned = join(directory, "pruned");
    cpSync(join(tables, "answers"), pruned, { recursive: true });
    const [first, second] = folders.map(([folder]) => String(folder));
    writeFileSync(join(pruned, `scan=${second}`, `answers-${second}.parquet`), "no longer Parquet");
    const left = `from read_parquet('${join(pruned, "*", "*.parquet")}', hive_partitioning = true)`;
    const [[count]] = (await rows(tables, `select count(*)::integer from answers where scan_id = '${first}'`)) as [
      [Cell],
    ];
    expect(await plain(`select count(*)::integer ${left} where scan = '${first}'`)).toEqual([[count]]);
    await expect(plain(`select sum(probability) ${left}`)).rejects.toThrow();
  });
});
