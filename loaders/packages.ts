import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { z } from "zod";
import { packageRoot } from "../engine/canon/root.ts";

const Manifest = z.looseObject({ version: z.string() });

/** Where Node would find a package: beside this one or above it. */
export function packageDirectory(name: string): string | undefined {
  for (let from = packageRoot; ; from = dirname(from)) {
    const directory = join(from, "node_modules", name);
    if (existsSync(join(directory, "package.json"))) return directory;
    if (dirname(from) === from) return undefined;
  }
}

/** The installed version of a package, or undefined. */
export function installedVersion(name: string): string | undefined {
  const directory = packageDirectory(name);
  if (directory === undefined) return undefined;
  return Manifest.parse(JSON.parse(readFileSync(join(directory, "package.json"), "utf8"))).version;
}
