import { DuckDBInstance } from "@duckdb/node-api";
import fc from "fast-check";
import { mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { imported, refused } from "../../tests/helpers/imports.ts";
import { readCsv } from "./csv.ts";
import type { RawOptions } from "./options.ts";

const given: RawOptions = { modelId: "org/model", runDate: "unknown" };
const head = "conversation_id,role,content\n";

async function rows(text: string, delimiter = ","): Promise<string[][]> {
  const file = join(mkdtempSync(join(tmpdir(), "assay-csv-")), "x.csv");
  writeFileSync(file, text);
  const found: string[][] = [];
  for await (const { cells } of readCsv(file, delimiter, 1 << 26)) found.push(cells);
  return found;
}

describe("CSV", () => {
  it.each([
    [
      "a,b\r\nc,d\r\n",
      [
        ["a", "b"],
        ["c", "d"],
      ],
    ],
    [
      "a,b\rc,d",
      [
        ["a", "b"],
        ["c", "d"],
      ],
    ],
    ['"a\r\nb","say ""hi"""\n', [["a\r\nb", 'say "hi"']]],
    ['a "b" c,d\n', [['a "b" c', "d"]]],
    ['\ufeff"a",\n', [["a", ""]]],
    ['a\n\n\r\n""\nb\n', [["a"], [""], ["b"]]],
    [",\n", [["", ""]]],
    ["", []],
  ])("reads %j", async (text, expected) => expect(await rows(text)).toEqual(expected));
  it("reads back any cells, whatever the newline", async () => {
    const cell = fc.string({ unit: fc.constantFrom("a", '"', ",", "\n", "\r", " ", "é", "🙂", ";") });
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.array(cell, { minLength: 1, maxLength: 4 }), { maxLength: 5 }),
        fc.constantFrom("\n", "\r\n", "\r"),
        async (table, newline) => {
          const quoted = table.map((row) => row.map((text) => `"${text.replaceAll('"', '""')}"`).join(","));
          expect(await rows(quoted.map((row) => row + newline).join(""))).toEqual(table);
        },
      ),
      { numRuns: 200 },
    );
  });
  it("is the same over chunks of any size", async () => {
    const long = `"${'x""\r\n,é'.repeat(60_000)}",end\r\n`;
    const found = await rows(`a,b\r\n${long}${long}`);
    expect(found).toHaveLength(3);
    expect(found[1]).toEqual(['x"\r\n,é'.repeat(60_000), "end"]);
    expect(found[2]).toEqual(found[1]);
  });
});

describe("importing CSV", () => {
  it("groups rows, numbers turns, keeps newlines, counts other columns", async () => {
    const { report, turns } = await imported(
      "csv",
      given,
      `${head.trim()},note\na,user,"one\r\n""two""",x\na,assistant,three,x\nb,user,"",x\nb,assistant,,x\nb,tool,result,x\n`,
    );
    expect(turns).toEqual({
      a: [
        { role: "user", turn: 1, content: 'one\r\n"two"' },
        { role: "assistant", turn: 1, content: "three" },
      ],
      b: [
        { role: "user", turn: 1, content: "" },
        { role: "assistant", turn: 1, content: "" },
      ],
    });
    expect(report).toMatchObject({ conversations: 2, suspect_turns: 1 });
    expect(report.dropped.map(({ field, count }) => [field, count])).toEqual([
      ["column note", 5],
      ["rows with role tool", 1],
    ]);
  });
  it("takes names of columns and roles, turns and models", async () => {
    const { report, turns } = await imported(
      "csv",
      {
        runDate: "2026-05-02",
        delimiter: "tab",
        column: ["id=thread", "content=text", "model=engine"],
        role: ["human=user", "bot=assistant"],
      },
      "thread\tengine\trole\ttext\tturn\tfinish_reason\n" +
        "7\tm1\thuman\tq\t2\t\n7\tm1\tbot\tr\t2.0\tlength\n7\tm2\thuman\tq\t03\t\n7\tm2\tbot\ts\t3\tstop\n",
    );
    expect(report.models).toEqual([
      { model_id: "m1", conversations: 1 },
      { model_id: "m2", conversations: 1 },
    ]);
    expect(report).toMatchObject({ conversations: 2, suspect_turns: 1 });
    expect(turns["7"]?.map(({ turn }) => turn)).toEqual([3, 3]);
  });
  it.each([
    ["no rows", head, {}, "bad_source", /no rows/],
    ["nothing", "", {}, "bad_source", /no rows/],
    ["a missing column", "id,role,content\n", {}, "bad_columns", /"conversation_id".*--column id=/],
    ["a named column that is missing", head, { column: ["turn=t"] }, "bad_columns", /"t"/],
    ["a column twice", `${head.trim()},role\n`, {}, "bad_columns", /two columns "role"/],
    ["an unknown field", head, { column: ["text=content"] }, "bad_option", /the left side is/],
    ["a row that is too short", `${head}a,user\n`, {}, "bad_csv", /:2: row 1 has 2 cells/],
    ["an open quote", `${head}a,user,q\na,assistant,"r\n\n`, {}, "bad_csv", /:3: opens a quote/],
    ["text behind a quote", `${head}a,user,"q"x\n`, {}, "bad_csv", /:2: has text behind/],
    ["no id", `${head},user,q\n`, {}, "bad_row", /:2: row 1 has no id/],
    ["no role", `${head}a,,q\n`, {}, "bad_row", /row 1 has no role/],
    ["another role", `${head}a,human,q\n`, {}, "bad_role", /:2: .*--role/],
    ["a conversation without reply", `${head}a,user,q\n`, {}, "no_assistant_turn", /:2: /],
    [
      "rows that stand apart",
      `${head}a,user,q\na,assistant,r\nb,assistant,r\na,user,"q\n"\na,assistant,r\n`,
      {},
      "scattered",
      /:5: conversation "a"/,
    ],
    ["a turn that is none", `turn,${head}0,a,user,q\n`, {}, "bad_row", /row 1 has the turn "0"/],
    [
      "a turn that goes back",
      `turn,${head}2,a,user,q\n1,a,assistant,r\n`,
      {},
      "bad_row",
      /row 2 goes back from turn 2/,
    ],
    ["turns only sometimes", `turn,${head}1,a,user,q\n,a,assistant,r\n`, {}, "bad_row", /row 2 has no turn/],
    ["turns only later", `turn,${head},a,user,q\n1,a,assistant,r\n`, {}, "bad_row", /row 2 has a turn/],
    [
      "a turn twice",
      `turn,${head}1,a,assistant,q\n1,a,assistant,r\n`,
      {},
      "repeated_turn",
      /:2: repeats \(assistant, 1\)/,
    ],
    [
      "a model that changes where rows lack it",
      `model,${head},a,user,q\nm,a,assistant,r\nn,a,assistant,r\n`,
      { modelId: undefined },
      "bad_row",
      /row 3 names a second model/,
    ],
    ["a delimiter of two characters", head, { delimiter: "||" }, "bad_option", /--delimiter/],
    ["other bytes than UTF-8", Buffer.from([...Buffer.from(head), 0xff, 0x0a]), {}, "not_utf8", /UTF-8/],
  ])("refuses %s", async (_name, content, options, code, message) => {
    const error = await refused("csv", { ...given, ...options }, content);
    expect(error.message).toMatch(message);
    expect(error.code).toBe(code);
  });
  it("refuses a row that is too long", async () => {
    const error = await refused(
      "csv",
      given,
      Buffer.concat([Buffer.from(`${head}a,user,"`), Buffer.alloc(70 << 20, "a")]),
    );
    expect(error).toMatchObject({ code: "too_large", details: { line: 2 } });
  });
});

describe("importing Parquet", () => {
  let parquet: (select: string) => Promise<Buffer>;
  beforeAll(async () => {
    const connection = await (await DuckDBInstance.create(":memory:")).connect();
    parquet = async (select) => {
      const file = join(mkdtempSync(join(tmpdir(), "assay-parquet-")), "x.parquet");
      await connection.run(`copy (${select}) to '${file}' (format parquet)`);
      return readFileSync(file);
    };
  });
  it("reads rows in their order, with text that needs no quoting", async () => {
    const { report, turns } = await imported(
      "parquet",
      given,
      await parquet(
        `select * from (values (7::bigint, 1, 'user', 'a"b,\n🙂', 1.5), (7, 1, 'assistant', 'c', 2), (8, 1, 'assistant', null, 3))
         t("conversation_id", turn, role, content, score)`,
      ),
    );
    expect(turns).toEqual({
      7: [
        { role: "user", turn: 1, content: 'a"b,\n🙂' },
        { role: "assistant", turn: 1, content: "c" },
      ],
      8: [{ role: "assistant", turn: 1, content: "" }],
    });
    expect(report.dropped.map(({ field, count }) => [field, count])).toEqual([["column score", 3]]);
  });
  it("reads many rows", async () => {
    const { report } = await imported(
      "parquet",
      given,
      await parquet(
        `select i // 10 as conversation_id, if(i % 2 = 0, 'user', 'assistant') as role, 'text ' || i as content from range(5000) t(i)`,
      ),
    );
    expect(report).toMatchObject({ conversations: 500, turns: 5000 });
  });
  it("takes columns whose names need quoting", async () => {
    const { turns } = await imported(
      "parquet",
      { ...given, column: ['content=te"xt'] },
      await parquet(`select 'a' as conversation_id, 'assistant' as role, 'r' as "te""xt"`),
    );
    expect(turns["a"]?.[0]?.content).toBe("r");
  });
  const row = `'a' as conversation_id, 'user' as role`;
  it.each([
    ["a missing column", `select ${row}`, "bad_columns", /"content"/],
    ["a list", `select ${row}, ['a'] as content`, "bad_columns", /VARCHAR\[\]/],
    ["bytes", `select ${row}, 'a'::blob as content`, "bad_columns", /BLOB/],
    ["a struct for an id", `select {x: 1} as conversation_id, 'user' as role, '' as content`, "bad_columns", /STRUCT/],
    ["a user without content", `select ${row}, null::varchar as content`, "bad_row", /row 1 has no content/],
    ["no rows", `select ${row}, 'x' as content limit 0`, "bad_source", /no rows/],
    ["a cell that is too long", `select ${row}, repeat('a', 70000000) as content`, "too_large", /content of row 1/],
  ])("refuses %s", async (_name, select, code, message) => {
    const error = await refused("parquet", given, await parquet(select));
    expect(error.message).toMatch(message);
    expect(error.code).toBe(code);
  });
  it("refuses what is no Parquet", async () => {
    for (const content of ["", "PAR1", "a,b\n", "PAR1xxxxPAR1"])
      expect((await refused("parquet", given, content)).code).toBe("bad_parquet");
  });
});
