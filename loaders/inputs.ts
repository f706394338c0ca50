import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { readText, writeAtomic } from "../engine/canon/files.ts";
import { canonicalJson, parseJson, sha256 } from "../engine/canon/json.ts";
import { packageRoot } from "../engine/canon/root.ts";
import { designDocument } from "./design.ts";
import { writeDocs } from "./docs/pages.ts";
import { installedVersion } from "./packages.ts";
import type { Site } from "./site.ts";

const STAMP = "assay.json";

/** Bundled packages and libraries: they change with the installed versions only. */
const PACKAGES: readonly string[] = ["_npm", "_node", "_duckdb", "_observablehq", STAMP];

const Dependencies = z.looseObject({ dependencies: z.record(z.string(), z.string()) });

/** Where Framework finds the pages: a working copy that the command line made, else the package's own. */
export function pagesRoot(environment: NodeJS.ProcessEnv = process.env): string {
  return environment["ASSAY_PAGES"] ?? join(packageRoot, "src");
}

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
 * source file is not what it was, and its packages when their versions are not; then put the site's files where the
 * loaders of `src/data` would: a process for each of them would take most of a build's time.
 */
export function refreshOutputs(site: Pick<Site, "key" | "directory">, pages: string = pagesRoot()): void {
  const cache = join(pages, ".observablehq", "cache");
  const stampFile = join(cache, STAMP);
  const design = existsSync(join(pages, "design.md")) ? `${JSON.stringify(designDocument())}\n` : "";
  const stamp = {
    inputs: sha256(canonicalJson([site.key, sourceDigest(["src", "loaders", "docs"]), sha256(design)])),
    packages: packagesDigest(),
  };
  const before = existsSync(stampFile) ? readFileSync(stampFile, "utf8") : "";
  const after = `${canonicalJson(stamp)}\n`;
  if (before === after) return;
  const samePackages = before.includes(`"packages":"${stamp.packages}"`);
  if (existsSync(cache))
    for (const name of readdirSync(cache))
      if (!samePackages || !PACKAGES.includes(name)) rmSync(join(cache, name), { recursive: true, force: true });
  const data = join(cache, "data");
  mkdirSync(data, { recursive: true });
  cpSync(site.directory, data, { recursive: true });
  if (design !== "") writeFileSync(join(data, "design.json"), design);
  if (existsSync(join(pages, "docs"))) writeDocs(join(cache, "docs"));
  writeAtomic(stampFile, after);
}

function packagesDigest(): string {
  const manifest = parseJson(readText(join(packageRoot, "package.json")), { file: "package.json" });
  const names = Object.keys(Dependencies.parse(manifest).dependencies);
  return sha256(canonicalJson(names.map((name) => [name, installedVersion(name) ?? ""])));
}
