import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll } from "vitest";
import { packageRoot } from "../../engine/canon/root.ts";
import { openJudge, parseJudge, type Judge, type JudgeOptions } from "../../engine/judges/index.ts";
import { planScan, type PlanOptions } from "../../engine/scan/plan.ts";
import type { Bundle } from "../../engine/scan/bundle.ts";
import { someConversations, sourceRun } from "./source-run.ts";

export const checksDir = join(packageRoot, "checks");

/** A directory of one test file's own, removed when it is done. */
export function scratchDirectory(): string {
  const directory = mkdtempSync(join(tmpdir(), "assay-test-"));
  afterAll(() => rmSync(directory, { recursive: true, force: true }));
  return directory;
}

export interface MadeScan extends Partial<PlanOptions> {
  spec?: string;
  settings?: JudgeOptions;
  cases?: number;
}

/** Plan a small scan of made conversations below `directory`, under `name`. */
export async function madeScan(
  directory: string,
  name: string,
  { spec = "lexicon", settings = {}, cases = 3, ...options }: MadeScan = {},
): Promise<Bundle> {
  return await planScan({
    sources: options.sources ?? [sourceRun(join(directory, `${name}-source`), someConversations(cases))],
    output: join(directory, name),
    judge: parseJudge(spec, settings),
    checksDir,
    ...options,
  });
}

/** A card that depends on nothing but the bundle. */
export function plainCard(directory: string): string {
  return `# Card of ${directory.length > 0 ? "a scan" : ""}\n\n<!-- commentary -->\n`;
}

/** The planned judge with its answers passed through `change`; `change` may throw. */
export function wrapped(
  { plan }: Bundle,
  change: (call: number, answer: Awaited<ReturnType<Judge["ask"]>>) => ReturnType<Judge["ask"]>,
): Judge & { calls: number } {
  const judge = openJudge(plan.judge);
  const made = {
    settings: plan.judge,
    calls: 0,
    async ask(request: Parameters<Judge["ask"]>[0]) {
      const call = made.calls++;
      return await change(call, await (await judge).ask(request));
    },
  };
  return made;
}
