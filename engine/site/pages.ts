import { cpSync, existsSync, mkdirSync, readdirSync, rmSync, symlinkSync } from "node:fs";
import { join, relative, sep } from "node:path";
import { modulesRoot, packageRoot } from "../canon/root.ts";

/** Framework keeps what it made below its root. */
const KEPT = ".observablehq";

/**
 * A copy of the package's pages to build from, below `parent`; answers its path. A package may lie where nothing can
 * be written, and two builds of different data must not share what Framework keeps. Everything but what it kept is
 * copied anew each time. `without` names files and folders of `src/` that this site does not have.
 */
export function placePages(parent: string, without: readonly string[] = []): string {
  const pages = join(parent, "src");
  const shipped = join(packageRoot, "src");
  mkdirSync(pages, { recursive: true });
  for (const name of readdirSync(pages)) if (name !== KEPT) rmSync(join(pages, name), { recursive: true, force: true });
  const omitted = new Set([KEPT, ...without].map((name) => name.split("/").join(sep)));
  cpSync(shipped, pages, { recursive: true, filter: (path) => !omitted.has(relative(shipped, path)) });
  // Data loaders look for these above the pages.
  for (const name of ["loaders", "engine", "package.json"]) link(join(packageRoot, name), join(parent, name));
  link(modulesRoot, join(parent, "node_modules"));
  return pages;
}

function link(target: string, path: string): void {
  rmSync(path, { recursive: true, force: true });
  if (existsSync(target)) symlinkSync(target, path, "junction");
}
