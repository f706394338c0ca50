import { join } from "node:path";
import { AssayError } from "../engine/canon/errors.ts";
import { readText } from "../engine/canon/files.ts";
import { confined } from "../engine/canon/paths.ts";
import { ownOrShipped, packageRoot } from "../engine/canon/root.ts";
import { loadChecks } from "../engine/checks/load.ts";
import type { LoadedCheck } from "../engine/schema/check.ts";
import type { SeenRow } from "../engine/schema/seen.ts";
import type { Draft } from "../engine/studies/draft.ts";
import { ownStudies } from "../engine/studies/load.ts";
import { readRegister, registerOf } from "../engine/studies/register.ts";

/** What the designer starts from: this workbench's definitions, and the studies that can be read, as their files have them. */
export interface DesignDocument {
  checks: (LoadedCheck & { text: string })[];
  studies: { id: string; title: string; draft: Draft }[];
  /** Answered cases: their words can no longer be edited under the same study. */
  register: { rows: SeenRow[] };
}

/** What cannot be read is met, and said, where it is used: here it only cannot be started from. */
export function designDocument(): DesignDocument {
  const directory = ownOrShipped("checks");
  const unreadable = (): void => undefined;
  const found = [...ownStudies(process.cwd(), unreadable), ...ownStudies(packageRoot, unreadable)];
  const studies = found.filter(({ study }, i) => found.findIndex((other) => other.study.id === study.id) === i);
  const registers = [...new Set(studies.map((loaded) => registerOf(loaded)))];
  return {
    checks: loadChecks(directory).map((row) => ({ ...row, text: readText(join(directory, row.path)) })),
    studies: studies.map(({ study, file, directory: root }) => {
      const paths = study.cases.flatMap((row) => ("file" in row ? [row.file] : []));
      const transcripts = Object.fromEntries(paths.map((path) => [path, readText(confined(root, path))]));
      return { id: study.id, title: study.title, draft: { study: readText(file), transcripts, checks: {} } };
    }),
    register: { rows: registers.flatMap(rowsOf) },
  };
}

function rowsOf(directory: string): readonly SeenRow[] {
  try {
    return readRegister(directory).rows;
  } catch (error) {
    if (error instanceof AssayError) return [];
    throw error;
  }
}
