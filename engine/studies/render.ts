import { AssayError } from "../canon/errors.ts";
import { canonicalJson, digestOf, sha256 } from "../canon/json.ts";
import { parseTranscript } from "../evidence/transcript.ts";
import type { LoadedCheck } from "../schema/check.ts";
import { RENDERED_STUDY_SCHEMA, type Case, type Operation, type RenderedStudy, type Study } from "../schema/study.ts";
import type { Turn } from "../schema/transcript.ts";
import { proveInvariant } from "./invariants.ts";
import { applyOperations } from "./operations.ts";

/** What a study is rendered from. */
export interface StudySource {
  study: Study;
  /** Named in errors. */
  file: string;
  /** The turns of a case's transcript file. */
  turnsOf: (path: string) => Turn[];
}

export interface RenderedCase {
  id: string;
  turns: Turn[];
  /** The transcript file: one canonical JSON turn a line. */
  bytes: string;
  transcript_sha256: string;
  /** The bases, nearest first. */
  derives_from: string[];
  operations: Operation[];
}

export interface Rendering {
  rendered: RenderedStudy;
  cases: RenderedCase[];
}

/**
 * Every case as transcript bytes, in the study's order, with each pair's invariants proved from them. Throws the
 * errors of transcripts, `bad_operation`, `unproved_invariant`, and `missing_check` where a definition is not given.
 */
export function renderStudy(source: StudySource, checks: readonly Pick<LoadedCheck, "check" | "check_sha256">[]): Rendering {
  const { study, file } = source;
  const cases = renderCases(source);
  const byId = new Map(cases.map((row) => [row.id, row]));
  const proved = study.pairs.flatMap((pair) =>
    pair.invariants.map((invariant) => {
      proveInvariant(pair, invariant, byId.get(pair.cases[0])!.turns, byId.get(pair.cases[1])!.turns);
      return { pair: pair.id, invariant };
    }),
  );
  const digests = new Map(checks.map((row) => [row.check.id, row.check_sha256]));
  const rendered: RenderedStudy = {
    schema: RENDERED_STUDY_SCHEMA,
    study_sha256: digestOf(study),
    study,
    checks: study.checks.map((id) => ({ id, check_sha256: digests.get(id) ?? missing(id, file) })),
    cases: cases.map(({ id, transcript_sha256, derives_from, operations }) => ({
      id,
      transcript_sha256,
      derives_from,
      operations,
    })),
    proved,
  };
  return { rendered, cases };
}

/** `<study>@<first twelve digits of the rendered study's digest>`. */
export function studyRunId(rendered: RenderedStudy): string {
  return `${rendered.study.id}@${digestOf(rendered).slice(0, 12)}`;
}

/** The cases alone, without proofs. */
export function renderCases(source: StudySource): RenderedCase[] {
  return attemptCases(source).map((attempt) => {
    if (attempt.rendered === undefined) throw attempt.error;
    return attempt.rendered;
  });
}

/** A case, or what keeps it from being one: its own error, or that of the case `of` it derives from. */
export type CaseAttempt =
  | { rendered: RenderedCase; error?: undefined }
  | { rendered?: undefined; error: AssayError; of: string };

/** Every case by itself, in the study's order: one that fails does not keep the others from being shown. */
export function attemptCases(source: StudySource): CaseAttempt[] {
  const declared = new Map(source.study.cases.map((row) => [row.id, row]));
  const done = new Map<string, CaseAttempt>();
  const attempt = (row: Case): CaseAttempt => {
    const known = done.get(row.id);
    if (known !== undefined) return known;
    const base = "from" in row ? attempt(declared.get(row.from)!) : undefined;
    const made = base?.error === undefined ? attemptCase(source, row, base?.rendered) : base;
    done.set(row.id, made);
    return made;
  };
  return source.study.cases.map(attempt);
}

function attemptCase(source: StudySource, row: Case, base: RenderedCase | undefined): CaseAttempt {
  try {
    return { rendered: renderCase(source, row, base) };
  } catch (error) {
    if (!(error instanceof AssayError)) throw error;
    return { error, of: row.id };
  }
}

function renderCase({ file, turnsOf }: StudySource, row: Case, base: RenderedCase | undefined): RenderedCase {
  const operations = "from" in row ? row.operations : [];
  const turns =
    "turns" in row ? row.turns : "file" in row ? turnsOf(row.file) : applyOperations(base!.turns, operations, row.id);
  const bytes = turns.map((turn) => `${canonicalJson(turn)}\n`).join("");
  return {
    id: row.id,
    turns: parseTranscript(new TextEncoder().encode(bytes), `${file} (case ${row.id})`),
    bytes,
    transcript_sha256: sha256(bytes),
    derives_from: base === undefined ? [] : [base.id, ...base.derives_from],
    operations,
  };
}

function missing(id: string, file: string): never {
  throw new AssayError("missing_check", `lists the check ${id}, which has no definition`, {
    file,
    fix: "add it to the checks directory, or take it off the list",
  });
}
