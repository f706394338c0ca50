import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, rmdirSync, rmSync } from "node:fs";
import { join, resolve } from "node:path";
import { AssayError } from "../canon/errors.ts";
import { isDirectory, newDirectory } from "../canon/files.ts";
import { cacheRoot, prune } from "../tables/cache.ts";

/** What every site of ours has: a directory that holds it is an earlier build. */
const MARK = join("data", "build.json");

/** Scratch directories that a killed build may have left behind are kept this long: until so many came after. */
const LEFT_BEHIND = 4;

/** Refuse to write a site over anything: `output` is new, or an empty directory. */
export function requireNew(output: string): void {
  if (!existsSync(output) || isEmpty(output)) return;
  throw new AssayError("exists", isDirectory(output) ? "exists and is not empty" : "exists and is a file", {
    file: output,
    fix: "name a new directory",
  });
}

/** The same, but an earlier site may be replaced. */
export function requireNewOrSite(output: string): void {
  if (!existsSync(join(output, MARK))) requireNew(output);
}

/** Make a site in a fresh directory of the cache, then put it in its place whole; a failure changes nothing there. */
export async function placeSite(output: string, make: (scratch: string) => Promise<string>): Promise<void> {
  const builds = join(cacheRoot(), "builds");
  mkdirSync(builds, { recursive: true });
  prune(builds, LEFT_BEHIND);
  const scratch = mkdtempSync(join(builds, "build-"));
  try {
    const made = await make(scratch);
    const target = resolve(output);
    if (isEmpty(target)) rmdirSync(target);
    else if (existsSync(join(target, MARK))) rmSync(target, { recursive: true });
    await newDirectory(target, (staging) => cpSync(made, staging, { recursive: true }));
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
}

function isEmpty(directory: string): boolean {
  return isDirectory(directory) && readdirSync(directory).length === 0;
}
