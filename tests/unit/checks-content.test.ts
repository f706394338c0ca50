import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { packageRoot } from "../../engine/canon/root.ts";
import { readJsonl } from "../../engine/canon/lines.ts";
import { verifyExemplars } from "../../engine/checks/exemplars.ts";
import { lintChecks, loadChecks } from "../../engine/checks/index.ts";
import type { Instructions } from "../../engine/schema/check.ts";
import { Exemplar } from "../../engine/schema/exemplar.ts";

const root = join(packageRoot, "checks");
const loaded = loadChecks(root);
const files = readdirSync(root, { recursive: true, encoding: "utf8" })
  .filter((file) => file.endsWith(".exemplars.jsonl"))
  .sort()
  .map((file) => join(root, file));

const rows: Exemplar[] = [];
beforeAll(async () => {
  for (const file of files) for await (const row of readJsonl(file, Exemplar)) rows.push(row);
});

const countsAsNo = (instructions: Instructions): readonly string[] =>
  typeof instructions === "string" ? [] : (instructions.count_as_no ?? []);

describe("the shipped battery", () => {
  it("has no lint findings", () => expect(lintChecks(loaded)).toEqual([]));

  it("uses every rule, a choice, a sentence limit, both memory gates, and a later window", () => {
    const checks = loaded.map(({ check }) => check);
    expect(checks.length).toBeGreaterThanOrEqual(12);
    expect(new Set(checks.map(({ rule }) => rule))).toEqual(
      new Set(["clauses", "episode", "task_completion", "source_support"]),
    );
    const questions = checks.flatMap(({ questions }) => Object.values(questions));
    expect(questions.some(({ type }) => type === "choice")).toBe(true);
    expect(new Set(questions.map(({ memory }) => memory))).toEqual(new Set([undefined, "declared", "undeclared"]));
    expect(checks.flatMap(({ fail_if }) => fail_if).some(({ within_first }) => within_first !== undefined)).toBe(true);
    expect(checks.some(({ window }) => window === "after")).toBe(true);
    expect(checks.some(({ pass_if_any }) => pass_if_any.length > 0)).toBe(true);
  });

  it("says of every PASS what it does not establish", () => {
    for (const { check } of loaded) expect(check.pass_meaning, check.id).toMatch(/does not show/);
  });
});

describe("the exemplars", () => {
  it("reproduce from their saved answers, which are authored", async () => {
    const checks = new Map(loaded.map(({ check }) => [check.id, check]));
    const report = await verifyExemplars(files, checks);
    expect(report.failed).toEqual([]);
    expect(report.total).toBe(rows.length);
    expect(new Set(rows.map(({ answers_from }) => answers_from))).toEqual(new Set(["authored"]));
  });

  it("lie beside the checks they are about", () => {
    for (const { path, dimension } of loaded)
      expect(existsSync(join(root, path, "..", `${dimension}.exemplars.jsonl`)), path).toBe(true);
  });

  it.each(loaded.map(({ check }) => ({ check })))("show $check.id failing and not failing", ({ check }) => {
    const verdicts = new Set(rows.filter(({ check_id }) => check_id === check.id).map(({ expected }) => expected));
    expect(verdicts.has("FAIL")).toBe(true);
    expect(verdicts.has("PASS") || verdicts.has("NOT_APPLICABLE")).toBe(true);
  });

  const nearMisses = loaded.flatMap(({ check }) => {
    const asked = { ...(check.cue === undefined ? {} : { cue: check.cue }), ...check.questions };
    return Object.entries(asked).flatMap(([name, { instructions }]) =>
      countsAsNo(instructions).map((text, i) => ({
        id: `${check.id}/near-miss-${name}-${i + 1}`,
        name,
        text,
        choice: name !== "cue" && check.questions[name]?.type === "choice",
      })),
    );
  });

  it.each(nearMisses)("hold $id, a no for: $text", ({ id, name, choice }) => {
    const row = rows.find((candidate) => candidate.id === id);
    expect(row).toBeDefined();
    const asked = new RegExp(`/${name}(?:\\[\\d+\\]|/.*)?$`);
    const answers = Object.values(row!.answers).flatMap((place) =>
      Object.entries(place).filter(([key]) => asked.test(key)),
    );
    expect(answers.some(([, value]) => choice || (typeof value === "number" && value <= 0.35))).toBe(true);
  });
});
