import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { fileError } from "../canon/files.ts";
import { ownOrShipped } from "../canon/root.ts";

/** The checks directory a command uses: the named one, else ./checks, else the one shipped with the package. */
export function checksDirectory(named?: string): string {
  return named ?? ownOrShipped("checks");
}

/** Files below a directory whose name ends so, sorted by path. */
export function filesBelow(directory: string, ending: string): string[] {
  if (!existsSync(directory)) throw fileError({ code: "ENOENT" }, directory);
  return readdirSync(directory, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith(ending))
    .map((entry) => join(entry.parentPath, entry.name))
    .sort();
}
