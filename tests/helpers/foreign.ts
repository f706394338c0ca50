import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { importForeign } from "../../engine/foreign/index.ts";
import { madeScan } from "./made-scan.ts";
import { someConversations, sourceRun } from "./source-run.ts";

export interface ForeignOver {
  /** A planned scan of the same conversations. */
  scan: string;
  foreign: string;
  map: string;
}

/**
 * Judgments of another engine over made conversations, below `directory`: two definitions, of which the map reads one
 * as a check of the scan; a split repeat, and a quote that is not there.
 */
export async function foreignOver(directory: string): Promise<ForeignOver> {
  const run = sourceRun(join(directory, "foreign-run"), someConversations(3));
  const { directory: scan, plan } = await madeScan(directory, "foreign-scan", { sources: [run] });
  const rows = plan.conversations.flatMap(({ model_id, scenario_id }, i) =>
    ["theirs.mapped", "theirs.unmapped"].map((foreign_id) => ({
      model_id,
      scenario_id,
      foreign_id,
      judge: "another-judge",
      engine: "another-engine",
      verdict: i === 0 ? "FAIL" : "PASS",
      repeats: i === 0 ? ["FAIL", "PASS", "FAIL"] : ["PASS", "PASS"],
      quotes: [{ role: "assistant", turn: 1, quote: "words that nobody wrote" }],
    })),
  );
  const given = join(directory, "foreign-given.jsonl");
  writeFileSync(given, rows.map((row) => `${JSON.stringify(row)}\n`).join(""));
  const foreign = join(directory, "foreign");
  await importForeign([given], { run, output: foreign });
  const map = join(directory, "foreign-map.json");
  const entry = { foreign_id: "theirs.mapped", check_id: plan.checks[0]!.id, author: "A. Author", reason: "made" };
  writeFileSync(map, JSON.stringify([entry]));
  return { scan, foreign, map };
}
