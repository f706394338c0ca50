import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { AssayError } from "../canon/errors.ts";
import { isDirectory, readBytes, readText } from "../canon/files.ts";
import { confined } from "../canon/paths.ts";
import { refusePrivate } from "../canon/private.ts";
import { ownOrShipped, packageRoot } from "../canon/root.ts";
import { parseTranscript } from "../evidence/transcript.ts";
import { parseStudy } from "./parse.ts";
import type { StudySource } from "./render.ts";

export interface LoadedStudy extends StudySource {
  /** The directory of `study.yaml`; case files are relative to it. */
  directory: string;
}

/** `study.yaml` of a directory. Throws `bad_study` with file, line, column and the fix. */
export function loadStudy(directory: string): LoadedStudy {
  const file = join(directory, "study.yaml");
  const turnsOf: StudySource["turnsOf"] = (path) => {
    const transcript = confined(directory, path);
    return parseTranscript(readBytes(transcript), transcript);
  };
  return { study: parseStudy(readText(file), file), directory, file, turnsOf };
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
      refusePrivate(join(root, id));
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

/** Where studies are looked for: below the working directory, then the package. */
export function studyRoots(cwd: string): string[] {
  return [...new Set([join(cwd, "studies"), join(packageRoot, "studies")])];
}
