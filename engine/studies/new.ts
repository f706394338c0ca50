import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { AssayError } from "../canon/errors.ts";
import { CheckId, Slug } from "../schema/common.ts";
import { newStudyText, type NewStudyWords } from "./template.ts";

export interface NewStudyOptions extends NewStudyWords {
  /** The studies directory. */
  directory: string;
}

/**
 * A study of two cases and one boundary, complete but for its words. Answers the path of its `study.yaml`. Throws
 * `bad_study` on a name that is none, `exists`.
 */
export function newStudy(id: string, options: NewStudyOptions, today: () => Date = () => new Date()): string {
  if (!Slug.safeParse(id).success)
    throw new AssayError("bad_study", `${JSON.stringify(id)} is no study id`, {
      fix: "use lower-case letters, digits and hyphens",
    });
  if (!CheckId.safeParse(options.check).success)
    throw new AssayError("bad_study", `${JSON.stringify(options.check)} is no check id`, { fix: "see bench checks list" });
  const directory = join(options.directory, id);
  if (existsSync(directory))
    throw new AssayError("exists", "exists already", { file: directory, fix: "name another study" });
  mkdirSync(directory, { recursive: true });
  const file = join(directory, "study.yaml");
  writeFileSync(file, newStudyText(id, options, today().toISOString().slice(0, 10)));
  return file;
}
