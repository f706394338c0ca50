import { lstatSync, type Stats } from "node:fs";
import { join } from "node:path";
import { RelativePath } from "../schema/common.ts";
import { AssayError } from "./errors.ts";

/**
 * The absolute path of `relative` below `root`. Refuses absolute paths, `..`, backslashes, and a symbolic link
 * at any step, so that nothing outside the directory is ever read or written.
 */
export function confined(root: string, relative: string): string {
  const parsed = RelativePath.safeParse(relative);
  if (!parsed.success)
    throw new AssayError("bad_path", `the path ${JSON.stringify(relative)} is refused`, {
      file: root,
      fix: parsed.error.issues[0]?.message ?? "use a relative path",
    });
  let path = root;
  for (const part of relative.split("/")) {
    path = join(path, part);
    const stat = statOf(path);
    if (stat?.isSymbolicLink())
      throw new AssayError("symlink", "is a symbolic link", { file: path, fix: "replace it with the file itself" });
    // A pipe or device would be read for ever.
    if (stat !== undefined && !stat.isFile() && !stat.isDirectory())
      throw new AssayError("not_a_file", "is neither a file nor a directory", {
        file: path,
        fix: "replace it with a file",
      });
  }
  return path;
}

function statOf(path: string): Stats | undefined {
  return lstatSync(path, { throwIfNoEntry: false });
}
