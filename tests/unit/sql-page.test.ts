import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { parse } from "yaml";
import { z } from "zod";
import { TABLE_NAMES } from "../../engine/tables/schema.ts";

// The views that the page makes stand on all tables: one that it does not register breaks it as a whole.
it("the SQL page registers every table of the schema, each from its own file", () => {
  const [, front = ""] = readFileSync("src/sql.md", "utf8").split(/^---$/m);
  const { sql } = z.object({ sql: z.record(z.string(), z.string()) }).parse(parse(front));
  expect(sql).toEqual(Object.fromEntries(TABLE_NAMES.map((name) => [name, `./data/${name}.parquet`])));
});
