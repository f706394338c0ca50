import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { AssayError } from "../canon/errors.ts";
import { parseRawJson, spacedJson } from "./raw-json.ts";

const again = (text: string) => spacedJson(parseRawJson(text, { file: "x.json" }));

describe("JSON with its spelling", () => {
  it.each([
    ['{"b":1,"a":2}', '{"b": 1, "a": 2}'],
    [
      '{"2": 0, "1": 1.0, "x": 1e5, "y": -0, "z": 12345678901234567890}',
      '{"2": 0, "1": 1.0, "x": 1e5, "y": -0, "z": 12345678901234567890}',
    ],
    ["[ ]", "[]"],
    ['{ "a" : { } , "b":[1,[true,null]] }', '{"a": {}, "b": [1, [true, null]]}'],
    ['"\\u00e9\\ud83d\\ude00\\/"', '"é😀/"'],
    ['"a\\"b\\\\,{}:[]\\n\\u0001\\u007f"', '"a\\"b\\\\,{}:[]\\n\\u0001\u007f"'],
  ])("%s", (text, expected) => expect(again(text)).toBe(expected));
  it("is the same value, and the same text when written again", () => {
    fc.assert(
      fc.property(fc.json({ maxDepth: 6 }), (text) => {
        const spaced = again(text);
        expect(JSON.parse(spaced)).toEqual(JSON.parse(text));
        expect(again(spaced)).toBe(spaced);
        expect(spaced).not.toContain("\n");
      }),
    );
  });
  it.each([
    ["{"],
    ['{"a":1,"a":2}'],
    ['{"__proto__":1}'],
    ["[".repeat(70) + "]".repeat(70)],
    ["[".repeat(200_000) + "]".repeat(200_000)],
    ["NaN"],
  ])("refuses what JSON or we do not allow (%#)", (text) => {
    try {
      again(text);
      expect.unreachable();
    } catch (error) {
      expect(error).toBeInstanceOf(AssayError);
      expect(error).toHaveProperty("code", "bad_json");
    }
  });
});
