import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { readText } from "../canon/files.ts";
import { digestOf } from "../canon/json.ts";
import { packageRoot } from "../canon/root.ts";
import { Check, Clause, Cue, Question } from "../schema/check.ts";
import { verifyExemplars } from "./exemplars.ts";
import { lintChecks } from "./lint.ts";
import { parseCheckYaml } from "./parse.ts";

const page = readText(join(packageRoot, "docs/check-grammar.md"));
const blocks = (language: string) => [...page.matchAll(new RegExp(`\`\`\`${language}\n(.*?)\`\`\``, "gs"))].map(([, text]) => text!);

describe("the page on writing checks", () => {
  const whole = blocks("yaml").find((text) => text.startsWith("id:"))!;
  const check = parseCheckYaml(whole, "check-grammar.md");
  it("shows a definition that parses and is worth having", () => {
    expect(lintChecks([{ check, check_sha256: digestOf(check), layer: "care", dimension: "attunement", path: "x" }])).toEqual([]);
  });
  it("shows an exemplar that reproduces", async () => {
    const path = join(mkdtempSync(join(tmpdir(), "assay-page-")), "page.jsonl");
    writeFileSync(path, `${JSON.stringify(JSON.parse(blocks("json")[0]!))}\n`);
    expect(await verifyExemplars([path], new Map([[check.id, check]]))).toEqual({ total: 1, reproduced: 1, failed: [] });
  });
  it("names every field of the schema", () => {
    for (const schema of [Check, Question, Clause, Cue])
      for (const field of Object.keys(schema.shape)) expect(page).toMatch(new RegExp(`\`${field}\`|\\b${field}:`));
  });
});
