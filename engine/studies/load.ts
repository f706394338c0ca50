import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { AssayError } from "../canon/errors.ts";
import { isDirectory, readText } from "../canon/files.ts";
import { ownOrShipped, packageRoot } from "../canon/root.ts";
import { Study } from "../schema/study.ts";
import { parsePlaced, parsePlacedYaml, type PlacedYaml } from "../canon/yaml.ts";

export interface LoadedStudy {
  study: Study;
  /** The directory of `study.yaml`; case files are relative to it. */
  directory: string;
  file: string;
}

/** `study.yaml` of a directory. Throws `bad_study` with file, line, column and the fix. */
export function loadStudy(directory: string): LoadedStudy {
  const file = join(directory, "study.yaml");
  const yaml = parsePlacedYaml(readText(file), file, "bad_study");
  const study = parsePlaced(Study, yaml, "bad_study");
  checkReferences(study, yaml);
  return { study, directory, file };
}

/** A study by id, below `studies/` of the working directory and then of the package, or by its path. */
export function findStudy(name: string, cwd: string = process.cwd()): LoadedStudy {
  const roots = studyRoots(cwd);
  for (const directory of [...roots.map((root) => join(root, name)), name.replace(/\/study\.yaml$/, "")])
    if (existsSync(join(directory, "study.yaml"))) return loadStudy(directory);
  throw new AssayError("no_study", `there is no study named ${name}`, {
    fix: `name one of ${studyIds(cwd).join(", ") || "your own, by the path of its directory"}`,
  });
}

/**
 * The studies a working directory is about: its own where it has a `studies/`, else the shipped ones. One that cannot
 * be read throws, or goes to `failed`.
 */
export function ownStudies(
  cwd: string = process.cwd(),
  failed?: (id: string, error: unknown) => void,
): LoadedStudy[] {
  const root = ownOrShipped("studies", cwd);
  return idsBelow(root).flatMap((id) => {
    try {
      return [loadStudy(join(root, id))];
    } catch (error) {
      if (failed === undefined) throw error;
      failed(id, error);
      return [];
    }
  });
}

/** Every study below the study roots, by id; a study of the working directory hides the package's. */
export function listStudies(cwd: string = process.cwd()): LoadedStudy[] {
  return studyIds(cwd).map((id) => findStudy(id, cwd));
}

function studyIds(cwd: string): string[] {
  return [...new Set(studyRoots(cwd).flatMap(idsBelow))].sort();
}

function idsBelow(root: string): string[] {
  if (!isDirectory(root)) return [];
  return readdirSync(root)
    .filter((name) => existsSync(join(root, name, "study.yaml")))
    .sort();
}

function studyRoots(cwd: string): string[] {
  return [...new Set([join(cwd, "studies"), join(packageRoot, "studies")])];
}

/** Names that must be unique, and names that must exist: what has no meaning otherwise. */
function checkReferences(study: Study, yaml: PlacedYaml): void {
  const fail = (path: readonly PropertyKey[], problem: string, fix: string): never => {
    throw new AssayError("bad_study", problem, { ...yaml.place(path), fix });
  };
  const unique = (list: string, ids: readonly string[], field: readonly PropertyKey[]): Set<string> => {
    ids.forEach((id, index) => {
      if (ids.indexOf(id) < index) fail([list, index, ...field], `${list} names ${id} twice`, "keep one, or rename it");
    });
    return new Set(ids);
  };
  unique("checks", study.checks, []);
  const boundaries = unique("boundaries", study.boundaries.map(({ id }) => id), ["id"]);
  const cases = unique("cases", study.cases.map(({ id }) => id), ["id"]);
  unique("pairs", study.pairs.map(({ id }) => id), ["id"]);
  const needCase = (path: readonly PropertyKey[], id: string): void => {
    if (!cases.has(id)) fail(path, `there is no case ${id}`, "name a case of this study");
  };
  study.boundaries.forEach((boundary, index) => {
    needCase(["boundaries", index, "prohibited"], boundary.prohibited);
    needCase(["boundaries", index, "legitimate"], boundary.legitimate);
  });
  study.pairs.forEach((pair, index) => {
    if (!boundaries.has(pair.boundary))
      fail(["pairs", index, "boundary"], `there is no boundary ${pair.boundary}`, "name a boundary of this study");
    pair.cases.forEach((id, member) => needCase(["pairs", index, "cases", member], id));
    if (pair.cases[0] === pair.cases[1])
      fail(["pairs", index, "cases"], `pair ${pair.id} has one case twice`, "name two cases");
  });
  const bases = new Map(study.cases.flatMap((row) => ("from" in row ? [[row.id, row.from] as const] : [])));
  study.cases.forEach((row, index) => {
    if ("from" in row) {
      needCase(["cases", index, "from"], row.from);
      const chain = [row.id];
      for (let at = bases.get(row.id); at !== undefined; at = bases.get(at)) {
        chain.push(at);
        if (at === row.id) fail(["cases", index, "from"], `case ${chain.join(" <- ")} derives from itself`, "break the cycle");
        if (chain.length > cases.size) break;
      }
    }
    const checks = row.expectations.map(({ check }) => check);
    checks.forEach((check, at) => {
      if (checks.indexOf(check) < at)
        fail(["cases", index, "expectations", at, "check"], `case ${row.id} has two expectations of ${check}`, "keep one");
    });
  });
}
