import { readdirSync } from "node:fs";
import { join } from "node:path";
import { readJsonl } from "../canon/lines.ts";
import { Exemplar } from "../schema/exemplar.ts";
import type { Verdict } from "../schema/verdict.ts";
import { verifyExemplars } from "./exemplars.ts";
import { loadChecks } from "./load.ts";

/** Exemplars of one check of a checks directory, by the outcome their authors declared. */
export interface ExemplarCounts {
  check_id: string;
  /** The definition they were derived with. */
  check_sha256: string;
  total: number;
  reproduced: number;
  expected: Partial<Record<Verdict, number>>;
  /** Who gave the saved answers, with the number of rows. */
  answers_from: Record<string, number>;
}

/** Every check of a directory with its exemplars, derived again. Rows with an inline check belong to none of them. */
export async function countExemplars(directory: string): Promise<ExemplarCounts[]> {
  const loaded = loadChecks(directory);
  const checks = new Map(loaded.map(({ check }) => [check.id, check]));
  const counts = new Map<string, ExemplarCounts>();
  for (const { check, check_sha256 } of loaded)
    counts.set(check.id, {
      check_id: check.id,
      check_sha256,
      total: 0,
      reproduced: 0,
      expected: {},
      answers_from: {},
    });
  for (const file of exemplarFiles(directory)) {
    const { failed } = await verifyExemplars([file], checks);
    const missed = new Set(failed.map(({ id }) => id));
    for await (const { id, check_id, expected, answers_from = "not recorded" } of readJsonl(file, Exemplar)) {
      const own = counts.get(check_id ?? "");
      if (own === undefined) continue;
      own.total += 1;
      own.reproduced += missed.has(id) ? 0 : 1;
      own.expected[expected] = (own.expected[expected] ?? 0) + 1;
      own.answers_from[answers_from] = (own.answers_from[answers_from] ?? 0) + 1;
    }
  }
  return [...counts.values()];
}

function exemplarFiles(directory: string): string[] {
  return readdirSync(directory, { recursive: true, encoding: "utf8" })
    .filter((path) => path.endsWith(".exemplars.jsonl"))
    .map((path) => join(directory, path))
    .sort();
}
