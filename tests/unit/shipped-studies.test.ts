import { describe, expect, it } from "vitest";
import { join } from "node:path";
import { packageRoot } from "../../engine/canon/root.ts";
import { loadChecks } from "../../engine/checks/index.ts";
import {
  editedCases,
  lintStudy,
  listStudies,
  readRegister,
  registerOf,
  renderCases,
  renderStudy,
  seenCases,
} from "../../engine/studies/index.ts";

// Whatever else they hold: every shipped study supports its claim, and none was edited after it was answered.
const checks = loadChecks(join(packageRoot, "checks"));

describe.each(listStudies(packageRoot).map((loaded) => [loaded.study.id, loaded] as const))("%s", (_id, loaded) => {
  it("lints clean, proves its invariants, and labels every judgment it makes", () => {
    const { findings, unlabeled } = lintStudy(loaded.study, checks);
    expect(findings).toEqual([]);
    expect(unlabeled).toEqual([]);
    expect(renderStudy(loaded, checks).rendered.proved.length).toBeGreaterThan(0);
  });

  it("has every case on the seen register, with the bytes it still has", () => {
    const register = readRegister(registerOf(loaded));
    expect(editedCases(loaded.study, renderCases(loaded), register)).toEqual([]);
    expect(seenCases(loaded, register).every(({ seen }) => seen)).toBe(true);
  });
});

describe("studies answered first as a wave", () => {
  it.each(["within-reach", "source-details"])("%s was unseen to each judge it lists", (id) => {
    const loaded = listStudies(packageRoot).find(({ study }) => study.id === id)!;
    const register = readRegister(registerOf(loaded));
    const [wave] = register.waves.filter(({ study }) => study === id);
    expect(wave?.plans).toHaveLength(loaded.study.judges.length);
    for (const { plan_sha256 } of wave?.plans ?? [])
      expect(seenCases(loaded, register, plan_sha256).filter(({ seen }) => seen)).toEqual([]);
  });
});
