import { cpSync, readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { afterAll } from "vitest";
import { parseJudge, type JudgeOptions } from "../../engine/judges/index.ts";
import type { BackoffLimits } from "../../engine/scan/backoff.ts";
import { planScan } from "../../engine/scan/plan.ts";
import { runScan, type RunOptions } from "../../engine/scan/run.ts";
import { JournalEntry } from "../../engine/schema/journal.ts";
import { Judgment } from "../../engine/schema/judgment.ts";
import { checksDir } from "../helpers/made-scan.ts";
import { Provider, type ProviderOptions } from "./server.ts";

export const WIRES = ["decisions", "systemone", "chat"] as const;
export type Wire = (typeof WIRES)[number];

/** Short waits, so that a test of retries takes milliseconds. */
export const QUICK: BackoffLimits = {
  tries: 2,
  totalMs: 60_000,
  longestServerDelayMs: 120_000,
  firstMs: 1,
  longestMs: 5,
};

const running: Provider[] = [];
afterAll(async () => {
  await Promise.all(running.map((provider) => provider.stop()));
});

export async function startProvider(options: ProviderOptions = {}): Promise<Provider> {
  const provider = await new Provider({ price: PRICE, ...options }).start();
  running.push(provider);
  return provider;
}

const PRICE = { input_usd_per_mtok: 1, output_usd_per_mtok: 2 };
export const CEILING_USD = 1;

export async function planFor(
  wire: Wire,
  provider: Provider,
  source: string,
  output: string,
  options: JudgeOptions & { checkIds?: string[] } = {},
) {
  const { checkIds, ...settings } = options;
  const judge = parseJudge(`${wire}:pinned-1`, {
    baseUrl: provider.url,
    priceInput: PRICE.input_usd_per_mtok,
    priceOutput: PRICE.output_usd_per_mtok,
    grouping: "shared",
    ...settings,
  });
  return await planScan({ sources: [source], output, judge, checksDir, checkIds });
}

export function copyOf(scan: string, output: string): string {
  cpSync(scan, output, { recursive: true });
  return output;
}

export async function runPaid(directory: string, options: Partial<RunOptions> = {}) {
  return await runScan({
    directory,
    maxCostUsd: CEILING_USD,
    concurrency: 8,
    finish: () => "# A card\n",
    limits: QUICK,
    ...options,
  });
}

export function journalOf(scan: string): JournalEntry[] {
  return linesOf(join(scan, "answers.jsonl")).map((line) => JournalEntry.parse(JSON.parse(line)));
}

export function judgmentsOf(scan: string): Judgment[] {
  return linesOf(join(scan, "judgments.jsonl")).map((line) => Judgment.parse(JSON.parse(line)));
}

/** Whole lines: a kill may tear the last one. */
function linesOf(file: string): string[] {
  return readFileSync(file, "utf8").split("\n").slice(0, -1);
}

/** Every file below a directory whose bytes hold `text`. */
export function filesWith(directory: string, text: string): string[] {
  return readdirSync(directory, { recursive: true, encoding: "utf8" }).filter((name) => {
    const path = join(directory, name);
    return name.includes(text) || (statSync(path).isFile() && readFileSync(path).includes(text));
  });
}
