import { appendFileSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, it } from "vitest";
import { sha256 } from "../canon/json.ts";
import { parseJudge, type JudgeOptions } from "../judges/index.ts";
import { loadChecks } from "../checks/index.ts";
import { runScan } from "../scan/index.ts";
import { checksDir, scratchDirectory } from "../../tests/helpers/made-scan.ts";
import { writeCard } from "../reports/card.ts";
import {
  editedCases,
  freezeWave,
  isSeen,
  lintStudy,
  loadStudy,
  newStudy,
  planStudy,
  planStudyForAll,
  readRegister,
  recordSeen,
  recordWave,
  renderCases,
  seenCases,
  type LoadedStudy,
} from "./index.ts";

const root = scratchDirectory();
let studies = "";
let made = 0;
beforeEach(() => {
  studies = join(root, `studies-${made++}`);
  mkdirSync(studies);
});

function study(id: string, change: (yaml: string) => string = (yaml) => yaml): LoadedStudy {
  const file = newStudy(id, { check: "scope.dose-advice", author: "A. Author", directory: studies }, () => new Date(0));
  writeFileSync(file, change(readFileSync(file, "utf8")));
  return loadStudy(join(studies, id));
}
const revising = (older: string) => (yaml: string) => yaml.replace("# revises: older-study", `revises: ${older}`);

/** Plan for one judge and run it, as its own wave or as part of one. */
async function answered(loaded: LoadedStudy, judge = "constant:no", settings: JudgeOptions = {}): Promise<string> {
  const output = join(root, `scan-${made++}`);
  const { directory, plan_sha256 } = await planStudy(loaded, { output, judge: parseJudge(judge, settings), checksDir });
  await runScan({ directory, finish: writeCard });
  await recordSeen(directory, studies);
  return plan_sha256;
}

const seenOf = (loaded: LoadedStudy, plan?: string): string[] =>
  seenCases(loaded, readRegister(studies), plan).flatMap(({ case_id, seen }) => (seen ? [case_id] : []));

describe("the seen register", () => {
  it("gets a row a case with its first answer, once", async () => {
    const loaded = study("one");
    expect(seenOf(loaded)).toEqual([]);
    const first = await answered(loaded);
    await answered(loaded, "constant:yes");
    expect(readRegister(studies).rows).toMatchObject([
      { study: "one", case: "allowed", plan_sha256: first },
      { study: "one", case: "not-allowed", plan_sha256: first },
    ]);
    expect(seenOf(loaded)).toEqual(["allowed", "not-allowed"]);
  });

  it("leaves the judges of one wave unseen to each other, and a judge added later not", async () => {
    const loaded = study("wave");
    const output = join(root, `wave-${made++}`);
    const bundles = await planStudyForAll(loaded, { output, checksDir });
    expect(bundles).toHaveLength(5);
    const wave = recordWave(loaded, bundles);
    expect(wave?.plans.map((plan) => plan.plan_sha256)).toEqual(bundles.map((bundle) => bundle.plan_sha256));
    for (const { directory } of bundles) {
      await runScan({ directory, finish: writeCard });
      await recordSeen(directory, studies);
    }
    for (const { plan_sha256 } of bundles) expect(seenOf(loaded, plan_sha256)).toEqual([]);
    const later = await answered(loaded, "constant:no", { context: "final_pair" });
    expect(seenOf(loaded, later)).toEqual(["allowed", "not-allowed"]);
    expect(seenOf(loaded)).toEqual(["allowed", "not-allowed"]);
    // Everything is seen, so no later set of plans is a wave of unseen cases.
    expect(await freezeWave(loaded, checksDir)).toBeUndefined();
    expect(readRegister(studies).waves).toHaveLength(1);
  });

  it("does not let a wave frozen after an answer excuse it", async () => {
    const loaded = study("late");
    const plan = await answered(loaded, "constant:no");
    const bundles = await planStudyForAll(loaded, { output: join(root, `late-${made++}`), checksDir });
    expect(bundles.some(({ plan_sha256 }) => plan_sha256 === plan)).toBe(true);
    appendFileSync(
      join(studies, "waves.jsonl"),
      `${JSON.stringify({
        study: "late",
        study_sha256: "0".repeat(64),
        register: registerNow(),
        plans: bundles.map(({ plan: { judge }, plan_sha256 }) => ({ judge: judge.name, context: judge.context, plan_sha256 })),
      })}\n`,
    );
    for (const { plan_sha256 } of bundles) expect(seenOf(loaded, plan_sha256)).toEqual(["allowed", "not-allowed"]);
  });

  it("keeps a reworded question and a changed case seen under a new study id", async () => {
    const old = study("first");
    await answered(old);
    const reworded = study("second", revising("first"));
    expect(seenOf(reworded)).toEqual(["allowed", "not-allowed"]);
    const changed = study("third", (yaml) => revising("first")(yaml).replaceAll("is right", "is quite right"));
    expect(seenOf(changed)).toEqual(["allowed", "not-allowed"]);
    const again = study("fourth", (yaml) => revising("third")(yaml).replaceAll("is right", "is wholly right"));
    expect(seenOf(again)).toEqual(["allowed", "not-allowed"]);
  });

  it("knows the same bytes under any study and case name", async () => {
    await answered(study("first"));
    const copied = study("copied", (yaml) => yaml.replaceAll("not-allowed", "another").replaceAll("allowed", "base"));
    expect(seenOf(copied)).toEqual(["base", "another"]);
    const fresh = study("fresh", (yaml) => yaml.replaceAll("A reply", "An answer"));
    expect(seenOf(fresh)).toEqual([]);
  });

  it("follows derivation: a fresh case made from a seen one is seen", async () => {
    await answered(study("first"));
    const derived = study("derived", (yaml) =>
      yaml.replace("pairs:\n", `  - id: made-from-it
    title: Another
    from: not-allowed
    operations: [{op: replace_text, role: assistant, turn: 1, from: "is not", to: "is odd"}]
    expectations:
      - {check: scope.dose-advice, expected: PASS, source: s, author: a, reason: r}
  - id: of-its-own
    title: Its own
    turns: [{role: user, turn: 1, content: Else.}, {role: assistant, turn: 1, content: Something.}]
    expectations:
      - {check: scope.dose-advice, expected: PASS, source: s, author: a, reason: r}
pairs:
`),
    );
    const register = readRegister(studies);
    expect(isSeen(derived, "made-from-it", register)).toBe(true);
    expect(isSeen(derived, "of-its-own", register)).toBe(false);
  });

  it("refuses a case edited under its old id, in lint and in planning", async () => {
    const loaded = study("edited");
    await answered(loaded);
    writeFileSync(loaded.file, readFileSync(loaded.file, "utf8").replaceAll("is right", "is fine"));
    const after = loadStudy(loaded.directory);
    expect(editedCases(after.study, renderCases(after), readRegister(studies))).toMatchObject([
      { level: "error", rule: "edited_case", about: "allowed", fix: expect.stringContaining("revises: edited") as string },
    ]);
    const output = join(root, `refused-${made++}`);
    await expect(planStudy(after, { output, judge: parseJudge("constant:no", {}), checksDir })).rejects.toMatchObject({
      code: "study_findings",
    });
  });

  it("is append-only: a wave names the lines it was frozen over", async () => {
    const first = study("first");
    await answered(first);
    expect(await freezeWave(study("second", (yaml) => yaml.replaceAll("is right", "is so")), checksDir)).toMatchObject({
      register: { rows: 2 },
    });
    const file = join(studies, "seen.jsonl");
    writeFileSync(file, readFileSync(file, "utf8").replace("not-allowed", "other"));
    expect(() => readRegister(studies)).toThrowError(expect.objectContaining({ code: "register_changed" }) as Error);
    writeFileSync(file, "{}\n");
    expect(() => readRegister(studies)).toThrow(/seen\.jsonl:1: /);
  });

  it("says nothing of scans of studies it does not keep", async () => {
    const loaded = study("elsewhere");
    const output = join(root, `elsewhere-${made++}`);
    const { directory } = await planStudy(loaded, { output, judge: parseJudge("constant:no", {}), checksDir });
    // Planned, not run: nothing was answered.
    expect((await recordSeen(directory, studies))?.added).toEqual([]);
    expect(await recordSeen(directory, join(root, "no-studies"))).toBeUndefined();
  });

  function registerNow() {
    const lines = readFileSync(join(studies, "seen.jsonl"), "utf8");
    return { rows: lines.split("\n").length - 1, sha256: sha256(lines) };
  }
});

describe("newStudy", () => {
  it("lints clean, and is refused over one that exists or a name that is none", () => {
    const loaded = study("scaffold");
    expect(lintStudy(loaded.study, loadChecks(checksDir)).findings).toEqual([]);
    expect(loaded.study).toMatchObject({ id: "scaffold", date: "1970-01-01", author: "A. Author" });
    expect(() => study("scaffold")).toThrow(/exists/);
    const options = { check: "scope.dose-advice", author: "A", directory: studies };
    expect(() => newStudy("Not An Id", options)).toThrow(/study id/);
    expect(() => newStudy("ok", { ...options, check: "nonsense" })).toThrow(/check id/);
  });
});
