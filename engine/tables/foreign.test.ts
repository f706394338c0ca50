import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { foreignOver, type ForeignOver } from "../../tests/helpers/foreign.ts";
import { plainCard, scratchDirectory } from "../../tests/helpers/made-scan.ts";
import { runScan } from "../scan/index.ts";
import { openTables } from "./open.ts";
import { publishTables, publishedPath } from "./publish.ts";
import { runQuery, type Cell } from "./query.ts";
import { FOREIGN_TABLE_NAMES, TABLES } from "./schema.ts";

const directory = scratchDirectory();
const cache = join(directory, "cache");
let theirs: ForeignOver;

beforeAll(async () => {
  theirs = await foreignOver(directory);
  await runScan({ directory: theirs.scan, finish: plainCard });
});

let opened = 0;
async function ask(directories: string[], sql: string, map?: string): Promise<Cell[][]> {
  const connection = await openTables(directories, join(directory, `scratch-${opened++}`), { cache, map });
  try {
    return (await runQuery(connection, sql)).rows;
  } finally {
    connection.closeSync();
  }
}

const AGREEMENT = "select check_id, foreign_id, verdict, foreign_verdict, n from foreign_agreement order by all";

describe("foreign judgments in the tables", () => {
  it("are counted as given, with unfound quotes and split repeats", async () => {
    const totals = `select count(*)::integer, count(distinct foreign_id)::integer, sum(quotes)::integer,
      sum(unfound)::integer, count_if(split)::integer from foreign_judgments`;
    expect(await ask([theirs.foreign], totals)).toEqual([[6, 2, 6, 6, 2]]);
    expect(await ask([theirs.foreign, theirs.foreign], totals)).toEqual([[6, 2, 6, 6, 2]]);
    expect(await ask([theirs.foreign], "select count(*) from foreign_quotes where found")).toEqual([[0]]);
    const repeats = "select foreign_id, judgments, split from foreign_repeats";
    expect(await ask([theirs.foreign], repeats)).toEqual([
      ["theirs.mapped", 3, 1],
      ["theirs.unmapped", 3, 1],
    ]);
  });

  it("meet a scan under a declared map only, and what the map leaves out is listed", async () => {
    const both = [theirs.scan, theirs.foreign];
    expect(await ask(both, AGREEMENT)).toEqual([]);
    const cells = await ask(both, AGREEMENT, theirs.map);
    expect(cells.reduce((sum, row) => sum + Number(row.at(-1)), 0)).toBe(3);
    expect(new Set(cells.map((row) => row[1]))).toEqual(new Set(["theirs.mapped"]));
    const unmapped = "select foreign_id, judgments from foreign_unmapped";
    expect(await ask(both, unmapped, theirs.map)).toEqual([["theirs.unmapped", 3]]);
  });

  it("are published as files of their own, the same bytes twice, and read as they were", async () => {
    const one = join(directory, "published-1");
    const two = join(directory, "published-2");
    const { rows } = await publishTables([theirs.scan, theirs.foreign], one, { cache, map: theirs.map });
    await publishTables([theirs.foreign, theirs.scan], two, { cache, map: theirs.map });
    expect(rows).toMatchObject({ foreign_judgments: 6, foreign_quotes: 6, check_map: 1 });
    for (const table of FOREIGN_TABLE_NAMES) {
      const path = publishedPath(table, "");
      expect(readFileSync(join(one, path)).equals(readFileSync(join(two, path))), table).toBe(true);
      expect(await ask([one], `select count(*)::integer from ${table}`)).toEqual([[rows[table]]]);
      const keys = TABLES[table].key.join(", ");
      const twice = `select count(*) from (select 1 from ${table} group by ${keys} having count(*) > 1)`;
      expect(await ask([one], twice), table).toEqual([[0]]);
    }
    expect(await ask([one], AGREEMENT)).toEqual(await ask([theirs.scan, theirs.foreign], AGREEMENT, theirs.map));
    const other = join(directory, "other-map.json");
    writeFileSync(other, readFileSync(theirs.map, "utf8").replace("theirs.mapped", "theirs.unmapped"));
    expect(new Set((await ask([one], AGREEMENT, other)).map((row) => row[1]))).toEqual(new Set(["theirs.unmapped"]));
  });

  it("are found in a directory of bundles, and never read from private/", async () => {
    const below = join(directory, "below");
    mkdirSync(below);
    cpSync(theirs.scan, join(below, "scan"), { recursive: true });
    cpSync(theirs.foreign, join(below, "foreign"), { recursive: true });
    expect(await ask([below], "select count(*)::integer from foreign_judgments")).toEqual([[6]]);
    const hidden = join("private", `foreign-test-${process.pid}`);
    cpSync(theirs.foreign, hidden, { recursive: true });
    try {
      await expect(ask([hidden], "from foreign_judgments")).rejects.toMatchObject({ code: "private_data" });
    } finally {
      rmSync(hidden, { recursive: true });
    }
  });
});
