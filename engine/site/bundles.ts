import { existsSync, readdirSync } from "node:fs";
import { basename, delimiter, join, resolve } from "node:path";
import { AssayError } from "../canon/errors.ts";
import { isDirectory } from "../canon/files.ts";
import { refusePrivate } from "../canon/private.ts";
import { isForeign } from "../foreign/index.ts";
import { PLAN_FILE } from "../scan/bundle.ts";
import { readWorkbench } from "./workbench.ts";

/** Where the bundles lie that the site of a working directory shows, and its studies are judged into. */
export const BUNDLES = join(process.cwd(), "data", "bundles");

/** How deep below a root a bundle may lie. */
const DEPTH = 3;

/** The bundles a publication is restricted to; undefined for the ordinary site. */
export function onlyBundles(environment: NodeJS.ProcessEnv = process.env): string[] | undefined {
  const only = listed(environment["ASSAY_ONLY"]);
  for (const bundle of only) refusePrivate(bundle);
  return only.length === 0 ? undefined : only;
}

/**
 * Every bundle directory below the site's own root, below each root of `ASSAY_DATA` (a root may be a bundle itself)
 * and below those that `workbench.yaml` names, each once, by name. Throws `no_data_root` where a root of `ASSAY_DATA`
 * is no directory, `private_data`.
 */
export function findBundles(environment: NodeJS.ProcessEnv = process.env, own: string = BUNDLES): string[] {
  return onlyBundles(environment) ?? find(environment, own).filter((directory) => !isForeign(directory));
}

/** Directories made by `bench judgments import`, found as bundles are; a publication has none. */
export function findForeign(environment: NodeJS.ProcessEnv = process.env, own: string = BUNDLES): string[] {
  return onlyBundles(environment) === undefined ? find(environment, own).filter(isForeign) : [];
}

/** The declared map that `ASSAY_MAP` names. Throws `private_data`. */
export function namedMap(environment: NodeJS.ProcessEnv = process.env): string | undefined {
  const map = environment["ASSAY_MAP"] || undefined;
  if (map !== undefined) refusePrivate(map);
  return map;
}

function find(environment: NodeJS.ProcessEnv, own: string): string[] {
  const named = listed(environment["ASSAY_DATA"]);
  for (const root of named)
    if (!isDirectory(root))
      throw new AssayError("no_data_root", "is named in ASSAY_DATA and is not a directory", {
        file: root,
        fix: "name directories, separated by a colon",
      });
  const roots = [...named, ...readWorkbench().data];
  for (const root of [own, ...roots]) refusePrivate(root);
  const found = new Set([own, ...roots].map((root) => resolve(root)).flatMap((root) => below(root, DEPTH)));
  return [...found].sort((a, b) => compare(basename(a), basename(b)) || compare(a, b));
}

function listed(paths = ""): string[] {
  return paths.split(delimiter).filter((path) => path !== "");
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
