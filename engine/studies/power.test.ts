import { readFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { scratchDirectory } from "../../tests/helpers/made-scan.ts";
import { packageRoot } from "../canon/root.ts";
import { loadChecks } from "../checks/index.ts";
import { readJudgments } from "../scan/index.ts";
import type { Verdict } from "../schema/verdict.ts";
import { TRIVIAL_JUDGES, trivialVerdicts, type Power } from "../validation/index.ts";
import { judgeStudies } from "./demo.ts";
import { loadStudy } from "./load.ts";
import { powerFindings, studyPower } from "./power.ts";
import { renderStudy } from "./render.ts";

const checksDir = join(packageRoot, "checks");
const checks = loadChecks(checksDir);
const directory = scratchDirectory();
const loaded = loadStudy(join(packageRoot, "studies", "source-details"));
const { study } = loaded;
let power: Power;

beforeAll(async () => {
  power = await studyPower(renderStudy(loaded, checks), checks);
});

const isTrivial = ({ judge, context }: { judge: string; context: string }): boolean =>
  TRIVIAL_JUDGES.some((row) => row.judge === judge && row.context === context);

describe("power of a battery", () => {
  it("is what finished scans of the same judges give, counted by hand", { timeout: 60_000 }, async () => {
    const judges = TRIVIAL_JUDGES.map((row) => ({ ...row }));
    const output = join(directory, "bundles");
    const scans = await judgeStudies({ studies: [{ ...loaded, study: { ...study, judges } }], output, checksDir });
    expect(scans).toHaveLength(TRIVIAL_JUDGES.length);
    const rightFor = new Map<string, string[]>();
    for (const { directory: bundle, judge } of scans) {
      const card = readFileSync(join(bundle, "jury-card.md"), "utf8");
      expect(card).toContain("Discriminating pairs, which no trivial judge gets right on both sides: 7/10. ");
      expect(card).toContain("| constant:yes | full | 5/12 | 0 | 3/10 |");
      expect(card).toMatch(/<!-- commentary -->\n\n<!-- seen register -->\n\n## Seen cases\n/);
      const verdicts = new Map<string, Verdict | null>();
      for await (const { scenario_id, check_id, verdict } of readJudgments(bundle))
        verdicts.set(`${scenario_id} ${check_id}`, verdict);
      const labels = study.cases.flatMap(({ id, expectations }) =>
        expectations.map(({ check, expected }) => ({ place: `${id} ${check}`, expected })),
      );
      const counted = labels.filter(({ expected }) => expected !== "UNCLEAR");
      const right = new Set(
        counted.filter(({ place, expected }) => verdicts.get(place) === expected).map(({ place }) => place),
      );
      const found = power.judges.find((row) => row.judge === judge.name && row.context === judge.context);
      expect(found?.right).toEqual({ numerator: right.size, denominator: counted.length });
      const both = study.pairs.filter(({ cases, check }) => cases.every((id) => right.has(`${id} ${check}`)));
      expect(found?.pairs.numerator).toBe(both.length);
      for (const { id } of both) rightFor.set(id, [...(rightFor.get(id) ?? []), `${judge.name} ${judge.context}`]);
    }
    expect(Object.fromEntries(power.pairs.map((row) => [row.pair_id, row.right_for]))).toEqual(
      Object.fromEntries(study.pairs.map(({ id }) => [id, rightFor.get(id) ?? []])),
    );
    expect(power.discriminating).toEqual({ numerator: 7, denominator: 10 });
  });

  it("gives the judges no label: other labels, the same verdicts", async () => {
    const cases = renderStudy(loaded, checks).cases.map(({ id, turns }) => ({
      id,
      conversation: { turns, memory: { persistent_memory: false, evidence: [] } },
    }));
    const defined = checks.filter(({ check }) => study.checks.includes(check.id));
    const turned = {
      ...study,
      cases: study.cases.map((row) => ({
        ...row,
        expectations: row.expectations.map((label) => ({ ...label, expected: "PASS" as const, reason: "turned" })),
      })),
    };
    const observed = async (given: typeof study): Promise<unknown[]> =>
      (await trivialVerdicts(given, cases, defined)).map(({ expected: _, ...row }) => row);
    expect(await observed(turned)).toEqual(await observed(study));
  });

  it("counts no pair with a case that expects UNCLEAR, and finds fault where no pair discriminates", async () => {
    const [easy] = study.pairs.filter(({ id }) => id === "day-reworded");
    const only = { ...loaded, study: { ...study, pairs: [easy!] } };
    const habit = await studyPower(renderStudy(only, checks), checks);
    expect(habit.discriminating).toEqual({ numerator: 0, denominator: 1 });
    expect(powerFindings(habit)).toMatchObject([{ rule: "no_discriminating_pair", level: "warning" }]);
    expect(powerFindings(power)).toEqual([]);

    const ambiguous = { ...easy!, cases: ["as-supplied", "mid-week"] as [string, string], invariants: [] };
    const none = await studyPower(renderStudy({ ...loaded, study: { ...study, pairs: [ambiguous] } }, checks), checks);
    expect(none.pairs[0]?.discriminating).toBeNull();
    expect(none.discriminating).toEqual({ numerator: 0, denominator: 0 });
    expect(powerFindings(none)[0]?.message).toMatch(/no pair counts/);
  });

  it.each(["caregiver-boundaries", "within-reach", "source-details"])("%s can tell judges apart", async (id) => {
    const shipped = loadStudy(join(packageRoot, "studies", id));
    const { judges, discriminating } = await studyPower(renderStudy(shipped, checks), checks);
    expect(judges.every(isTrivial)).toBe(true);
    expect(discriminating.numerator).toBeGreaterThan(0);
  });
});
