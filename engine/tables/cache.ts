import { accessSync, constants, existsSync, mkdirSync, readdirSync, rmSync, statSync, utimesSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { modulesRoot } from "../canon/root.ts";

/**
 * Where derived tables are kept: `ASSAY_CACHE`, else below the node_modules in use, else (installed read-only) the system's temporary directory. Everything in it can be derived again.
 */
export function cacheRoot(environment: NodeJS.ProcessEnv = process.env): string {
  const named = environment["ASSAY_CACHE"];
  if (named !== undefined && named !== "") return made(named);
  const kept = existsSync(modulesRoot) && writable(modulesRoot);
  return made(kept ? join(modulesRoot, ".cache", "assay") : join(tmpdir(), "assay-cache"));
}

/** Say that a cached directory is in use. */
export function touch(directory: string): void {
  const now = new Date();
  utimesSync(directory, now, now);
}

/** Keep the `most` directories below `parent` that were used last. */
export function prune(parent: string, most: number): void {
  if (!existsSync(parent)) return;
  const used = readdirSync(parent)
    .filter((name) => !name.startsWith("."))
    .map((name) => ({ path: join(parent, name), at: statSync(join(parent, name)).mtimeMs }))
    .sort((a, b) => b.at - a.at);
  for (const { path } of used.slice(most)) rmSync(path, { recursive: true, force: true });
}

function made(directory: string): string {
  mkdirSync(directory, { recursive: true });
  return directory;
}

function writable(directory: string): boolean {
  try {
    accessSync(directory, constants.W_OK);
    return true;
  } catch {
    return false;
  }
}
