import { z } from "zod";
import { AssayError } from "../canon/errors.ts";
import { digestOf } from "../canon/json.ts";
import { RelativePath } from "../schema/common.ts";
import { parsePlacedYaml, type PlacedYaml } from "../canon/yaml.ts";
import { lintChecks } from "../checks/lint.ts";
import { parseCheckYaml } from "../checks/parse.ts";
import { parseTranscript } from "../evidence/transcript.ts";
import type { LoadedCheck } from "../schema/check.ts";
import { Study } from "../schema/study.ts";
import { examineStudy, type Examination } from "./examine.ts";
import { studyIssues } from "./parse.ts";
import type { Register } from "./register.ts";

const Files = z.record(z.string(), z.string());

/** A study that is being written: the files it would be, by their text. */
export const Draft = z.strictObject({
  /** `study.yaml`. */
  study: z.string(),
  /** Transcript files of its cases, by the path beside `study.yaml`. */
  transcripts: Files,
  /** Definitions of its own, by the path below the checks directory. */
  checks: Files,
});
export type Draft = z.infer<typeof Draft>;

/** A draft from what was kept of it; undefined where that is none. */
export function keptDraft(text: string): Draft | undefined {
  try {
    return Draft.parse(JSON.parse(text));
  } catch {
    return undefined;
  }
}

/** One thing to mend, where it was made. `code` and words are those of `bench study lint`. */
export interface DraftProblem {
  /** `refused`: lint stops there; the others are its findings. */
  level: "refused" | "error" | "warning";
  code: string;
  /** The boundary, pair, case, check or file it is about. */
  about: string;
  path: readonly PropertyKey[];
  problem: string;
  fix: string;
  /** In `study.yaml`, or in the definition that `about` names. */
  line?: number;
  column?: number;
}

export interface ExaminedDraft {
  /** Of the study, in the order in which the command line would meet them. */
  problems: DraftProblem[];
  /** Of the draft's own definitions. */
  check_problems: DraftProblem[];
  /** Every definition there is for the study: the given ones, and the draft's in their place. */
  checks: LoadedCheck[];
  /** null where the text is no study. */
  study: Study | null;
  examination: Examination | null;
}

const FILE = "study.yaml";

/** What the command line would say of a draft's files, and all that it would say after the first was mended. */
export async function examineDraft(
  draft: Draft,
  given: readonly LoadedCheck[],
  register: Pick<Register, "rows">,
): Promise<ExaminedDraft> {
  const { loaded: checks, problems: check_problems } = draftChecks(draft.checks, given);
  const none = (problems: DraftProblem[]): ExaminedDraft => ({
    problems,
    check_problems,
    checks,
    study: null,
    examination: null,
  });
  let yaml: PlacedYaml;
  try {
    yaml = parsePlacedYaml(draft.study, FILE, "bad_study");
  } catch (error) {
    return none([refused(error, FILE)]);
  }
  const placed = (problem: DraftProblem): DraftProblem => ({ ...problem, ...placeIn(yaml, problem.path) });
  const issues = studyIssues(yaml.value);
  if (issues.length > 0)
    return none(
      issues.map((issue) => placed({ level: "refused", code: "bad_study", about: FILE, ...issue })),
    );
  const study = Study.parse(yaml.value);
  const source = { study, file: FILE, turnsOf: transcriptOf(draft.transcripts) };
  const examination = await examineStudy(source, checks, register);
  const problems = [
    ...examination.refusals.map(({ error, about, path }) => refused(error, about, path)),
    ...examination.lint.findings.map(({ rule: code, message: problem, ...row }) => ({ code, problem, ...row })),
  ];
  return { problems: problems.map(placed), check_problems, checks, study, examination };
}

function transcriptOf(files: Draft["transcripts"]): (path: string) => ReturnType<typeof parseTranscript> {
  return (path) => {
    const text = RelativePath.safeParse(path).success && Object.hasOwn(files, path) ? files[path] : undefined;
    if (text === undefined) throw new AssayError("no_file", "does not exist", { file: path });
    return parseTranscript(new TextEncoder().encode(text), path);
  };
}

function draftChecks(
  own: Draft["checks"],
  given: readonly LoadedCheck[],
): { loaded: LoadedCheck[]; problems: DraftProblem[] } {
  const byId = new Map(given.map((row) => [row.check.id, row]));
  const problems: DraftProblem[] = [];
  for (const [path, text] of Object.entries(own)) {
    try {
      const check = parseCheckYaml(text, path);
      const [layer = ""] = path.split("/");
      const dimension = check.id.slice(0, check.id.indexOf("."));
      const loaded = { check, check_sha256: digestOf(check), layer, dimension, path };
      byId.set(check.id, loaded);
      for (const { message: problem, fix } of lintChecks([loaded]))
        problems.push({ level: "warning", code: "check_lint", about: path, path: [], problem, fix });
    } catch (error) {
      problems.push(refused(error, path));
    }
  }
  return { loaded: [...byId.values()].sort((a, b) => (a.check.id < b.check.id ? -1 : 1)), problems };
}

function refused(error: unknown, about: string, path: DraftProblem["path"] = []): DraftProblem {
  if (!(error instanceof AssayError)) throw error;
  const { code, problem, details } = error;
  const { line, column, fix = "" } = details;
  return {
    level: "refused",
    code,
    about,
    path,
    problem,
    fix,
    ...(line === undefined ? {} : { line }),
    ...(column === undefined ? {} : { column }),
  };
}

function placeIn(yaml: PlacedYaml, path: DraftProblem["path"]): Pick<DraftProblem, "line" | "column"> {
  const { line, column } = yaml.place(path);
  return { ...(line === undefined ? {} : { line }), ...(column === undefined ? {} : { column }) };
}
