import { spawn } from "node:child_process";
import { statSync } from "node:fs";
import { availableParallelism } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { JOURNAL_FILE } from "../engine/scan/index.ts";
import { isDerived, type DeriveOptions } from "../engine/tables/derive.ts";

/** A journal below this is read faster than a process starts. Bytes. */
const WORTH_A_PROCESS = 2_000_000;

/** Derive the tables of large finished bundles side by side, as many at a time as there are processors. */
export async function deriveAll(directories: readonly string[], options: Required<DeriveOptions>): Promise<void> {
  const waiting = directories.filter((directory) => isLarge(directory) && isDerived(directory, options) === false);
  if (waiting.length < 2) return;
  const next = async (): Promise<void> => {
    for (let directory = waiting.shift(); directory !== undefined; directory = waiting.shift())
      await deriveApart(directory, options);
  };
  await Promise.all(Array.from({ length: availableParallelism() }, next));
}

function deriveApart(directory: string, { cache, salt }: Required<DeriveOptions>): Promise<void> {
  const script = fileURLToPath(new URL("derive.ts", import.meta.url));
  const args = ["--import", import.meta.resolve("tsx"), script, directory, cache, salt];
  return new Promise((done, fail) => {
    const child = spawn(process.execPath, args, { stdio: "ignore" });
    child.once("error", fail);
    child.once("close", () => done());
  });
}

function isLarge(directory: string): boolean {
  return (statSync(join(directory, JOURNAL_FILE), { throwIfNoEntry: false })?.size ?? 0) >= WORTH_A_PROCESS;
}
