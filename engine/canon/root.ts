import { existsSync, readFileSync, statSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

/** The directory of Assay's own package.json: where the shipped checks and studies lie. */
export const packageRoot = findRoot(dirname(fileURLToPath(import.meta.url)));

export const engineVersion = (
  JSON.parse(readFileSync(join(packageRoot, "package.json"), "utf8")) as { version: string }
).version;

/** The directory that dependencies are installed in: the one Assay was installed into, or a checkout's own. */
export const modulesRoot = enclosingModules(packageRoot) ?? join(packageRoot, "node_modules");

/** `checks/` or `studies/` of a working directory that has its own, else the shipped one. */
export function ownOrShipped(name: "checks" | "studies", cwd: string = process.cwd()): string {
  const own = join(cwd, name);
  return statSync(own, { throwIfNoEntry: false })?.isDirectory() ? own : join(packageRoot, name);
}

function findRoot(start: string): string {
  for (let directory = start; ; directory = dirname(directory)) {
    if (existsSync(join(directory, "package.json"))) return directory;
    if (dirname(directory) === directory) throw new Error("package.json not found above the engine");
  }
}

function enclosingModules(start: string): string | undefined {
  for (let directory = start; dirname(directory) !== directory; directory = dirname(directory))
    if (basename(directory) === "node_modules") return directory;
  return undefined;
}
