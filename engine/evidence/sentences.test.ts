import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { packageRoot } from "../canon/root.ts";
import { MAX_SENTENCES, splitSentences } from "./sentences.ts";

const texts = (reply: string) => splitSentences(reply).map((sentence) => sentence.text);
const shared = join(packageRoot, "../shared/peer/splitter.jsonl");

describe.skipIf(!existsSync(shared))("peer splitter rows (skipped where ../shared is absent)", () => {
  const Row = z.object({ reply: z.string(), sentences: z.array(z.string()) });
  const rows = existsSync(shared)
    ? readFileSync(shared, "utf8")
        .trim()
        .split("\n")
        .map((line) => Row.parse(JSON.parse(line)))
    : [];
  it("are all reproduced", () => {
    expect(rows.length).toBe(13);
    for (const row of rows) expect(texts(row.reply)).toEqual(row.sentences);
  });
});

describe("splitSentences", () => {
  it("splits after ending punctuation, closing quotes and newlines", () => {
    expect(texts(`She said "no!" Then she left.\nI see`)).toEqual([`She said "no!"`, "Then she left.", "I see"]);
  });
  it("keeps abbreviations, initials, list numbers, decimals and times whole", () => {
    expect(texts("See Dr. Ngo (e.g. on Monday) at 8.30. J. Roe, St. Mary's.")).toEqual([
      "See Dr. Ngo (e.g. on Monday) at 8.30.",
      "J. Roe, St. Mary's.",
    ]);
    expect(texts("2. Rest. 3. Eat.")).toEqual(["2. Rest.", "3. Eat."]);
  });
  it("puts the rest in the last piece", () => {
    const many = texts("One. ".repeat(60));
    expect(many).toHaveLength(MAX_SENTENCES);
    expect(many.at(-1)).toBe("One. ".repeat(21).trim());
  });
  it("returns exact substrings in order that lose nothing but white space", () => {
    const piece = fc.constantFrom("a", "Dr", ".", "!", "?", " ", "\n", '"', ")", "3", "😀", "…", "\t", "M");
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 80 }), (pieces) => {
        const reply = pieces.join("");
        let at = 0;
        for (const { text, start, end } of splitSentences(reply)) {
          expect(start).toBeGreaterThanOrEqual(at);
          expect(reply.slice(at, start).trim()).toBe("");
          expect(reply.slice(start, end)).toBe(text);
          at = end;
        }
        expect(reply.slice(at).trim()).toBe("");
      }),
    );
  });
  it.each([".", ". ", "a.", " ", "Dr. ", '."', "1. ", "x\n"])("takes linear time on %j repeated", (unit) => {
    const time = (n: number) => {
      const text = unit.repeat(n);
      const begin = performance.now();
      splitSentences(text);
      return performance.now() - begin;
    };
    time(1000);
    expect(time(400_000)).toBeLessThan(1000);
  });
});
