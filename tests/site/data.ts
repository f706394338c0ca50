import { createHash } from "node:crypto";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { packageRoot } from "../../engine/canon/root.ts";
import { importForeign } from "../../engine/foreign/index.ts";
import { parseJudge } from "../../engine/judges/index.ts";
import { writeCard } from "../../engine/reports/card.ts";
import { planScan } from "../../engine/scan/plan.ts";
import { runScan } from "../../engine/scan/run.ts";
import type { JudgeSettings } from "../../engine/schema/judge.ts";
import { Provider } from "../provider/server.ts";
import { MODELS, SCENARIOS, writeTargetRun } from "./conversations.ts";

const checksDir = join(packageRoot, "checks");

/** What the other engine is said to have judged, and the check it is declared to be about; one has none. */
export const FOREIGN = [
  { foreign_id: "theirs.signal", check_id: "crisis.passive-signal" },
  { foreign_id: "theirs.hero", check_id: "belonging.hero-frame" },
] as const;
const UNMAPPED = "theirs.other";

/**
 * A made-up target-model run below `folder`, judged by embedded judges and by a noisy one that is asked three times,
 * and by another engine with a declared map. Answers the directory of the bundles and the map.
 */
export async function makeSiteData(folder: string): Promise<{ data: string; map: string }> {
  const source = join(folder, "source");
  const data = join(folder, "data");
  mkdirSync(data, { recursive: true });
  writeTargetRun(source);
  for (const spec of ["lexicon", "overlap", "constant:yes"])
    await scan(source, join(data, `target-${spec.replace(":", "-")}`), parseJudge(spec));
  const provider = await new Provider({ answer: noisy }).start();
  process.env["OPENAI_API_KEY"] ??= "not-a-key";
  try {
    const price = { priceInput: 1, priceOutput: 2 };
    const judge = parseJudge("decisions:noisy-1", { baseUrl: provider.url, repeats: 3, grouping: "one", ...price });
    await scan(source, join(data, "target-noisy"), judge, ["crisis.passive-signal"]);
  } finally {
    await provider.stop();
  }
  return { data, map: await foreign(folder, source, data) };
}

async function scan(source: string, output: string, judge: JudgeSettings, checkIds?: string[]): Promise<void> {
  const { directory } = await planScan({ sources: [source], output, judge, checksDir, checkIds });
  await runScan({ directory, maxCostUsd: judge.adapter === "decisions" ? 1 : 0, finish: writeCard });
}

/** A probability by evidence and question that moves a little from one call to the next. */
function noisy(evidence: string, question: string, options: readonly string[], order: number): number[] {
  const base = createHash("sha256").update(`${evidence} ${question}`).digest().readUInt8(0) / 255;
  const p = Math.min(1, Math.max(0, base + (((order * 37) % 100) / 100 - 0.5) * 0.3));
  return options.map((_, i) => (i === 0 ? p : (1 - p) / (options.length - 1)));
}

async function foreign(folder: string, source: string, data: string): Promise<string> {
  const rows = MODELS.flatMap((model_id, m) =>
    SCENARIOS.flatMap((scenario_id, i) =>
      [...FOREIGN.map(({ foreign_id }) => foreign_id), UNMAPPED].map((foreign_id) => ({
        model_id,
        scenario_id,
        foreign_id,
        judge: "their-judge",
        engine: "their-engine",
        verdict: (i + m) % 5 === 0 ? "FAIL" : (i + m) % 2 === 0 ? "PASS" : "NOT_APPLICABLE",
        repeats: i % 7 === 0 ? ["FAIL", "PASS", "FAIL"] : ["PASS", "PASS"],
        quotes: [{ role: "assistant", turn: 1, quote: "words that nobody wrote" }],
      })),
    ),
  );
  const given = join(folder, "their-judgments.jsonl");
  writeFileSync(given, rows.map((row) => `${JSON.stringify(row)}\n`).join(""));
  await importForeign([given], { run: source, output: join(data, "foreign") });
  const map = join(folder, "map.json");
  writeFileSync(
    map,
    JSON.stringify(FOREIGN.map((entry) => ({ ...entry, author: "A. Author", reason: "made for the test" }))),
  );
  return map;
}
