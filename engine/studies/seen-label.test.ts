import { cpSync, mkdirSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { checksDir, scratchDirectory } from "../../tests/helpers/made-scan.ts";
import { loadChecks } from "../checks/index.ts";
import { parseJudge } from "../judges/index.ts";
import { writeCard } from "../reports/card.ts";
import { runScan } from "../scan/index.ts";
import type { RenderedStudy } from "../schema/study.ts";
import { loadStudy, newStudy, planStudy, planStudyForAll, recordSeen, recordWave, renderStudy } from "./index.ts";
import { seenLabel, seenOutsideWave } from "./seen-label.ts";

const root = scratchDirectory();
const cwd = join(root, "work");
const studies = join(cwd, "studies");
let rendered: RenderedStudy;
const wave: string[] = [];
let later = "";

beforeAll(async () => {
  newStudy("fresh", { check: "scope.dose-advice", author: "A. Author", directory: studies }, () => new Date(0));
  const loaded = loadStudy(join(studies, "fresh"));
  ({ rendered } = renderStudy(loaded, loadChecks(checksDir)));
  const bundles = await planStudyForAll(loaded, { output: join(root, "wave"), checksDir });
  recordWave(loaded, bundles);
  const judge = parseJudge("constant:no", { context: "final_pair" });
  const added = await planStudy(loaded, { output: join(root, "later"), judge, checksDir });
  for (const { directory } of [bundles[0]!, added]) {
    await runScan({ directory, finish: writeCard });
    await recordSeen(directory, studies);
  }
  wave.push(...bundles.map(({ plan_sha256 }) => plan_sha256));
  later = added.plan_sha256;
}, 60_000);

describe("the label of a scan's cases", () => {
  it("is unseen for each plan of the first wave, seen for a judge added later", () => {
    for (const plan of wave)
      expect(seenLabel(rendered, plan, cwd)).toMatchObject({ seen: { numerator: 0, denominator: 2 }, seen_cases: [] });
    expect(seenLabel(rendered, later, cwd)).toEqual({
      study_id: "fresh",
      seen: { numerator: 2, denominator: 2 },
      seen_cases: ["allowed", "not-allowed"],
      unknown: "",
    });
    expect(seenOutsideWave(rendered, cwd).seen).toEqual({ numerator: 0, denominator: 2 });
  });

  it("is unknown, and says why, without a register or with a damaged one", () => {
    const nowhere = join(root, "nowhere");
    mkdirSync(nowhere);
    expect(seenLabel(rendered, later, nowhere)).toMatchObject({ seen: null, unknown: "the study is not in this workbench" });
    const damaged = join(root, "damaged");
    cpSync(cwd, damaged, { recursive: true });
    writeFileSync(join(damaged, "studies", "seen.jsonl"), "{}\n");
    expect(seenLabel(rendered, later, damaged)).toMatchObject({ seen: null, unknown: "the register cannot be read" });
    const absent = join(root, "absent");
    cpSync(cwd, absent, { recursive: true });
    renameSync(join(absent, "studies", "seen.jsonl"), join(absent, "elsewhere.jsonl"));
    expect(seenLabel(rendered, later, absent)).toMatchObject({ seen: null, unknown: "there is no register" });
  });
});
