import { describe, expect, it } from "vitest";
import { z } from "zod";
import { AssayError } from "./errors.ts";
import { parsePlaced, parsePlacedYaml } from "./yaml.ts";

const Schema = z.strictObject({
  title: z.string(),
  parts: z
    .array(
      z.union([z.strictObject({ kind: z.literal("a"), width: z.number() }), z.strictObject({ depth: z.number() })]),
    )
    .default([]),
});

function refusal(text: string): AssayError {
  try {
    parsePlaced(Schema, parsePlacedYaml(text, "x.yaml", "bad_thing"), "bad_thing");
  } catch (error) {
    if (error instanceof AssayError) return error;
    throw error;
  }
  throw new Error("it parsed");
}

describe("placed YAML", () => {
  it("names the nearest field of the same object", () => {
    expect(refusal("title: x\npart: []\n").message).toBe(
      "x.yaml:2:1: the file: unknown field part; did you mean parts?",
    );
    expect(refusal("title: x\nparts:\n  - {kind: a, widht: 1}\n").message).toMatch(
      /^x\.yaml:3:15: parts\.0: unknown field widht.*did you mean width\?$/,
    );
  });
  it("lists the fields where none is near", () => {
    expect(refusal("title: x\nzzzzzzzzzzzz: 1\n").details.fix).toBe("remove it; the fields here are title, parts");
  });
  it("reads unquoted keys as text and refuses collections as keys", () => {
    const { value } = parsePlacedYaml("true: a\n1: b\n", "x", "bad_thing");
    expect(value).toEqual({ true: "a", "1": "b" });
    expect(refusal("{}: x\n").code).toBe("bad_thing");
  });
  it.each([
    "[".repeat(20_000),
    "- ".repeat(5000),
    "a: {".repeat(5000),
    "? ".repeat(5000),
    "[".repeat(300) + "]".repeat(300),
  ])("refuses nesting that would exhaust the stack (%#)", (text) =>
    expect(refusal(text).message).toMatch(/nested|must be|expected|flow/i),
  );
});
