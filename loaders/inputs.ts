import { copyFileSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { writeAtomic } from "../engine/canon/files.ts";
import { canonicalJson, sha256 } from "../engine/canon/json.ts";
import { packageRoot } from "../engine/canon/root.ts";
import type { Site } from "./site.ts";

const FRAMEWORK_CACHE = join(packageRoot, "src", ".observablehq", "cache");
const STAMP = join(FRAMEWORK_CACHE, "assay.json");

/** Bundled packages and libraries: they change with the lock file only. */
const PACKAGES: readonly string[] = ["_npm", "_node", "_duckdb", "_observablehq", "assay.json"];

/** One digest over the source files below some directories of the package; tests and hidden files left out. */
export function sourceDigest(directories: readonly string[]): string {
  const digests: Record<string, string> = {};
  const walk = (directory: string): void => {
    for (const entry of readdirSync(join(packageRoot, directory), { withFileTypes: true })) {
      const path = `${directory}/${entry.name}`;
      if (entry.name.startsWith(".") || entry.name.endsWith(".test.ts")) continue;
      if (entry.isDirectory()) walk(path);
      else digests[path] = sha256(readFileSync(join(packageRoot, path)));
    }
  };
  for (const directory of directories) if (existsSync(join(packageRoot, directory))) walk(directory);
  return sha256(canonicalJson(digests));
}

/**
 * Framework reuses what a loader once wrote, whatever changed since. Drop its outputs when the site's data or any
 * source file is not what it was, and its packages when the lock file is not; then put the site's files where the
 * loaders of `src/data` would: a process for each of them would take most of a build's time.
 */
export function refreshOutputs(site: Pick<Site, "key" | "directory">): void {
  const lock = join(packageRoot, "package-lock.json");
  const stamp = {
    inputs: sha256(canonicalJson([site.key, sourceDigest(["src", "loaders"])])),
    packages: existsSync(lock) ? sha256(readFileSync(lock)) : "",
  };
  const before = existsSync(STAMP) ? readFileSync(STAMP, "utf8") : "";
  const after = `${canonicalJson(stamp)}\n`;
  if (before === after) return;
  const samePackages = before.includes(`"packages":"${stamp.packages}"`);
  if (existsSync(FRAMEWORK_CACHE))
    for (const name of readdirSync(FRAMEWORK_CACHE))
      if (!samePackages || !PACKAGES.includes(name))
        rmSync(join(FRAMEWORK_CACHE, name), { recursive: true, force: true });
  const data = join(FRAMEWORK_CACHE, "data");
  mkdirSync(data, { recursive: true });
  for (const name of readdirSync(site.directory)) copyFileSync(join(site.directory, name), join(data, name));
  writeAtomic(STAMP, after);
}
