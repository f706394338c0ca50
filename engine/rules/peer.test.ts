import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { readText } from "../canon/files.ts";
import { parseLine } from "../canon/json.ts";
import { packageRoot } from "../canon/root.ts";
import { loadChecks, parseCheckValue } from "../checks/index.ts";
import type { Check } from "../schema/check.ts";
import { Exemplar } from "../schema/exemplar.ts";
import { DEFAULT_THRESHOLDS } from "../schema/judge.ts";
import { WORLD_VERDICTS } from "../schema/verdict.ts";
import { derive } from "./index.ts";

const peer = join(packageRoot, "../shared/peer");
const present = existsSync(peer);

function rowsOf(file: string): Exemplar[] {
  const lines = readText(file).trimEnd().split("\n");
  return lines.map((line, i) => parseLine(line, Exemplar, { file, line: i + 1 }));
}

describe.skipIf(!present)("another engine's rows (skipped where ../shared/peer is absent)", () => {
  const checks = present
    ? new Map(loadChecks(join(peer, "checks")).map(({ check }) => [check.id, check]))
    : new Map<string, Check>();
  const exemplars = present
    ? readdirSync(join(peer, "exemplars")).flatMap((name) => rowsOf(join(peer, "exemplars", name)))
    : [];
  const vectors = present ? rowsOf(join(peer, "vectors.jsonl")) : [];

  it("has 146 exemplars and 50 vectors", () => {
    expect([exemplars.length, vectors.length]).toEqual([146, 50]);
  });

  it.each([...exemplars, ...vectors].map((row) => [row.id, row] as const))("%s", (_id, row) => {
    const check = row.check === undefined ? checks.get(row.check_id!) : parseCheckValue(row.check, { file: row.id });
    const conversation = {
      turns: row.transcript,
      memory: { persistent_memory: row.memory_declared ?? false, evidence: row.memory_evidence ?? [] },
    };
    const lookup = ({ role, turn, key }: { role: string; turn: number; key: string }) =>
      row.answers[`${role}:${turn}`]?.[key];
    const { verdict, possible } = derive(check!, conversation, lookup, DEFAULT_THRESHOLDS);
    expect(verdict).toBe(row.expected);
    if (row.possible !== undefined)
      expect(possible).toEqual(WORLD_VERDICTS.filter((world) => row.possible!.includes(world)));
  });
});
