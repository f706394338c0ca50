import fc from "fast-check";
import { expect, it } from "vitest";
import { parseCsv } from "./csv.ts";

const quoted = (cell: string): string => `"${cell.replaceAll('"', '""')}"`;

it("reads back what is written, with the line each record begins on", () => {
  fc.assert(
    fc.property(
      fc.array(fc.array(fc.string({ unit: fc.constantFrom("a", '"', ",", "\n", " ", "é") }), { minLength: 1 }), {
        minLength: 1,
      }),
      fc.constantFrom("\n", "\r\n"),
      (rows, newline) => {
        const texts = rows.map((row) => `${row.map(quoted).join(",")}${newline}`);
        const records = parseCsv(texts.join(""), "x.csv");
        expect(records.map(({ cells }) => cells)).toEqual(rows);
        records.forEach(({ line }, i) => expect(line).toBe(texts.slice(0, i).join("").split("\n").length));
      },
    ),
  );
});

it("takes bare cells, empty ones and a missing last newline", () => {
  expect(parseCsv("a,,b\n\nc", "x.csv").map(({ cells }) => cells)).toEqual([["a", "", "b"], [""], ["c"]]);
  expect(parseCsv("", "x.csv")).toEqual([]);
  expect(parseCsv("a,", "x.csv")).toEqual([{ cells: ["a", ""], line: 1 }]);
});

it("refuses what it would have to guess", () => {
  expect(() => parseCsv('a\n"b', "x.csv")).toThrow(/x\.csv:2: /);
  expect(() => parseCsv('"a"b', "x.csv")).toThrow(/follows a quoted cell/);
});
