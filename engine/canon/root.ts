import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

/** The directory of Assay's own package.json: where the shipped checks and studies lie. */
export const packageRoot = findRoot(dirname(fileURLToPath(import.meta.url)));

export const engineVersion = (
  JSON.parse(readFileSync(join(packageRoot, "package.json"), "utf8")) as { version: string }
).version;

function findRoot(start: string): string {
  for (let directory = start; ; directory = dirname(directory)) {
    if (existsSync(join(directory, "package.json"))) return directory;
    if (dirname(directory) === directory) throw new Error("package.json not found above the engine");
  }
}
