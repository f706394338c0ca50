import { existsSync, readdirSync } from "node:fs";
import { basename, delimiter, join, resolve } from "node:path";
import { AssayError } from "../engine/canon/errors.ts";
import { isDirectory } from "../engine/canon/files.ts";
import { refusePrivate } from "../engine/canon/private.ts";
import { packageRoot } from "../engine/canon/root.ts";
import { isForeign } from "../engine/foreign/index.ts";
import { PLAN_FILE } from "../engine/scan/bundle.ts";

/** Where the bundles lie that a checkout's site publishes. */
export const BUNDLES = join(packageRoot, "data", "bundles");

/** How deep below a root a bundle may lie. */
const DEPTH = 3;

/**
 * Every bundle directory below the site's own root and below each root of `ASSAY_DATA` (a root may be a bundle
 * itself), each once, by name. Throws `no_data_root` where a named root is no directory, `private_data`.
 */
export function findBundles(environment: NodeJS.ProcessEnv = process.env, own: string = BUNDLES): string[] {
  return find(environment, own).filter((directory) => !isForeign(directory));
}

/** Directories made by `bench judgments import`, found as bundles are. */
export function findForeign(environment: NodeJS.ProcessEnv = process.env, own: string = BUNDLES): string[] {
  return find(environment, own).filter(isForeign);
}

function find(environment: NodeJS.ProcessEnv, own: string): string[] {
  const named = (environment["ASSAY_DATA"] ?? "").split(delimiter).filter((path) => path !== "");
  for (const root of named)
    if (!isDirectory(root))
      throw new AssayError("no_data_root", "is named in ASSAY_DATA and is not a directory", {
        file: root,
        fix: "name directories, separated by a colon",
      });
  for (const root of named) refusePrivate(root, packageRoot, process.cwd());
  const found = new Set([own, ...named].map((root) => resolve(root)).flatMap((root) => below(root, DEPTH)));
  return [...found].sort((a, b) => compare(basename(a), basename(b)) || compare(a, b));
}

function below(directory: string, depth: number): string[] {
  if (!isDirectory(directory)) return [];
  if (existsSync(join(directory, PLAN_FILE)) || isForeign(directory)) return [directory];
  if (depth === 0) return [];
  return readdirSync(directory, { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && !entry.name.startsWith(".") && entry.name !== "private")
    .flatMap((entry) => below(join(directory, entry.name), depth - 1));
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
