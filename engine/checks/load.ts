import { readdirSync } from "node:fs";
import { basename, join } from "node:path";
import { AssayError } from "../canon/errors.ts";
import { fileError, readText } from "../canon/files.ts";
import { digestOf } from "../canon/json.ts";
import { confined } from "../canon/paths.ts";
import type { LoadedCheck } from "../schema/check.ts";
import { parseCheckYaml } from "./parse.ts";

/**
 * Every definition below a checks directory, `<layer>/<dimension>/<id>.yaml`, sorted by id. Refuses a file whose
 * name is not its id, whose folder is not its dimension, and an id that two files carry.
 */
export function loadChecks(directory: string): LoadedCheck[] {
  const files = yamlFiles(directory);
  if (files.length === 0)
    throw new AssayError("no_checks", "holds no check definition", {
      file: directory,
      fix: "put them at <layer>/<dimension>/<id>.yaml",
    });
  const loaded = new Map<string, LoadedCheck>();
  for (const path of files) {
    const row = loadCheck(directory, path);
    const twin = loaded.get(row.check.id);
    if (twin !== undefined)
      throw new AssayError("bad_check", `has the id ${row.check.id} of ${twin.path}`, {
        file: join(directory, path),
        fix: "give each check its own id",
      });
    loaded.set(row.check.id, row);
  }
  return [...loaded.values()].sort((a, b) => (a.check.id < b.check.id ? -1 : 1));
}

function loadCheck(directory: string, path: string): LoadedCheck {
  const file = confined(directory, path);
  const check = parseCheckYaml(readText(file), join(directory, path));
  if (basename(path, ".yaml") !== check.id)
    throw new AssayError("bad_check", `the id ${check.id} is not the file's name`, { file, fix: `name it ${check.id}.yaml` });
  const folders = path.split("/").slice(0, -1);
  const dimension = check.id.slice(0, check.id.indexOf("."));
  if (folders.length !== 2 || folders[1] !== dimension)
    throw new AssayError("bad_check", `${check.id} lies in ${folders.join("/") || "."}`, {
      file,
      fix: `put it in <layer>/${dimension}/`,
    });
  return { check, check_sha256: digestOf(check), layer: folders[0]!, dimension, path };
}

function yamlFiles(directory: string, below = ""): string[] {
  let entries;
  try {
    entries = readdirSync(join(directory, below), { withFileTypes: true });
  } catch (error) {
    throw fileError(error, join(directory, below));
  }
  return entries.flatMap((entry) => {
    const path = below === "" ? entry.name : `${below}/${entry.name}`;
    if (entry.isDirectory()) return yamlFiles(directory, path);
    return /\.ya?ml$/.test(entry.name) ? [path] : [];
  });
}
