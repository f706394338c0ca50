import { existsSync, realpathSync } from "node:fs";
import { join, resolve, sep } from "node:path";
import { AssayError } from "./errors.ts";

/**
 * Refuse a path that lies in a folder named `private`, also through a symbolic link: labels kept there are never
 * published, so no loader, table, page or export reads it. `roots` are the directories whose `private/` is meant.
 */
export function refusePrivate(path: string, ...roots: readonly string[]): void {
  const real = existsSync(path) ? realpathSync(path) : resolve(path);
  for (const root of roots) {
    const folder = join(existsSync(root) ? realpathSync(root) : resolve(root), "private");
    if (real === folder || real.startsWith(folder + sep))
      throw new AssayError("private_data", "lies in private/, which nothing is published from", {
        file: path,
        fix: "name another directory",
      });
  }
}
