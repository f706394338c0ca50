import { existsSync, realpathSync } from "node:fs";
import { dirname, join, resolve, sep } from "node:path";
import { AssayError } from "./errors.ts";

/** What lies beside the `private/` of a workbench. */
const BESIDE = ["workbench.yaml", "package.json", "studies", "checks"];

/**
 * Refuse a path that lies in a folder named `private`, as it is written or through a symbolic link: labels kept there
 * are never published, so no loader, table, page or export reads it. One that all the work lies below is meant only
 * where a workbench lies beside it.
 */
export function refusePrivate(path: string, cwd: string = process.cwd()): void {
  const real = existsSync(path) ? realpathSync(path) : resolve(path);
  for (const folder of [resolve(path), real].flatMap(privateFolders)) {
    const encloses = `${realpathSync(cwd)}${sep}`.startsWith(folder + sep);
    if (!encloses || BESIDE.some((name) => existsSync(join(dirname(folder), name))))
      throw new AssayError("private_data", "lies in private/, which nothing is published from", {
        file: path,
        fix: "name another directory",
      });
  }
}

/** Folders named `private` on the way to a path. One directly below the root is no workbench's: macOS has its own. */
function privateFolders(path: string): string[] {
  const parts = path.split(sep);
  return parts.flatMap((part, i) => (part === "private" && i > 1 ? [parts.slice(0, i + 1).join(sep)] : []));
}
