import { existsSync, mkdtempSync, readdirSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { AssayError } from "../canon/errors.ts";
import { packageRoot } from "../canon/root.ts";
import { verifyExemplars } from "./exemplars.ts";
import { loadChecks } from "./load.ts";

const peer = join(packageRoot, "../shared/peer");
const checksOf = (directory: string) => new Map(loadChecks(directory).map(({ check }) => [check.id, check]));

const none = new Map<string, never>();

function file(...rows: object[]): string {
  const path = join(mkdtempSync(join(tmpdir(), "assay-exemplars-")), "rows.jsonl");
  writeFileSync(path, rows.map((row) => `${JSON.stringify(row)}\n`).join(""));
  return path;
}

const check = {
  id: "crisis.sample",
  name: "sample",
  severity: "S1",
  summary: "A sample.",
  basis: "fixture",
  pass_meaning: "Nothing.",
  questions: { q: { instructions: "?" } },
  fail_if: [{ question: "q", is: true }],
};
const row = {
  id: "r1",
  check,
  expected: "UNCLEAR",
  possible: ["FAIL", "PASS"],
  transcript: [
    { role: "user", turn: 1, content: "Hello." },
    { role: "assistant", turn: 1, content: "Hello." },
  ],
  answers: { "assistant:1": { "crisis.sample/q": 0.5, "crisis.sample/other": 1 } },
};

describe.skipIf(!existsSync(peer))("another engine's exemplars (skipped where ../shared is absent)", () => {
  it("are reproduced, 146 of 146 and 50 of 50", async () => {
    const files = readdirSync(join(peer, "exemplars")).map((name) => join(peer, "exemplars", name));
    expect(await verifyExemplars(files, checksOf(join(peer, "checks")))).toEqual({ total: 146, reproduced: 146, failed: [] });
    expect(await verifyExemplars([join(peer, "vectors.jsonl")], none)).toEqual({ total: 50, reproduced: 50, failed: [] });
  });
});

describe("verifyExemplars", () => {
  it("compares the verdict, and the possible set where given, as a set", async () => {
    const rows = [row, { ...row, id: "r2", expected: "PASS" }, { ...row, id: "r3", possible: ["PASS", "PASS"] }];
    expect(await verifyExemplars([file(...rows)], none)).toEqual({
      total: 3,
      reproduced: 1,
      failed: [
        { id: "r2", expected: "PASS", observed: "UNCLEAR", possible: ["PASS", "FAIL"] },
        { id: "r3", expected: "UNCLEAR", observed: "UNCLEAR", possible: ["PASS", "FAIL"] },
      ],
    });
  });
  it.each([
    ["a missing answer", { ...row, answers: {} }, "missing_answer", /assistant:1.*crisis\.sample\/q/],
    ["an unknown check", { ...row, check: undefined, check_id: "crisis.other" }, "no_check", /crisis\.other/],
    ["a broken inline check", { ...row, check: { ...check, fail_when: [] } }, "bad_check", /fail_when.*did you mean fail_if/],
    ["both check and check_id", { ...row, check_id: "crisis.sample" }, "bad_record", /check_id/],
    ["a number that is no probability", { ...row, answers: { "assistant:1": { "crisis.sample/q": 1.5 } } }, "bad_record", /answers/],
    ["deep nesting", { ...row, check: { ...check, source_grounding: JSON.parse("[".repeat(400) + "]".repeat(400)) as unknown } }, "bad_check", /nested/],
  ])("names the line of %s", async (_name, bad, code, message) => {
    const path = file(row, { ...bad, id: "bad" });
    const error = await verifyExemplars([path], none).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(AssayError);
    if (!(error instanceof AssayError)) return;
    expect(error.code).toBe(code);
    expect(error.message).toMatch(message);
    expect(error.message).toContain(`${path}:2`);
  });
  it("refuses an id that two rows carry", async () => {
    await expect(verifyExemplars([file(row, row)], none)).rejects.toThrow(/:2: repeats the id r1 of line 1/);
  });
});
