import { AssayError } from "../canon/errors.ts";
import type { LoadedCheck } from "../schema/check.ts";
import type { Power } from "../validation/power.ts";
import { editedCases } from "./edited.ts";
import { proveInvariant } from "./invariants.ts";
import { lintStudy, type StudyFinding, type StudyLint } from "./lint.ts";
import { powerFindings, studyPower } from "./power.ts";
import type { Register } from "./register.ts";
import { attemptCases, renderStudy, studyRunId, type CaseAttempt, type StudySource } from "./render.ts";

/** Something that rendering or proving refuses; the study cannot be planned. */
export interface StudyRefusal {
  error: AssayError;
  /** The case or pair it is about. */
  about: string;
  path: StudyFinding["path"];
}

export interface Examination {
  /** The study's own findings, those of edited cases, and those of its power. */
  lint: StudyLint;
  /** In the order in which planning would meet them. */
  refusals: StudyRefusal[];
  /** In the study's order. */
  cases: CaseAttempt[];
  invariants_proved: number;
  /** null where the study is refused or a check has no definition. */
  run_id: string | null;
  /** null where `run_id` is. */
  power: Power | null;
}

/**
 * All that can be said of a study before a judge answers: `bench study lint` prints it, and the designer shows each
 * part where it was made. Reads no file but those of `turnsOf`, and throws nothing that a study may hold.
 */
export async function examineStudy(
  source: StudySource,
  checks: readonly LoadedCheck[],
  register: Pick<Register, "rows">,
): Promise<Examination> {
  const { study } = source;
  const cases = attemptCases(source);
  const proofs = study.pairs.flatMap((_, i) => proofsOf(source, cases, i));
  const refusals = [...caseRefusals(source, cases), ...proofs.filter((proof) => proof !== null)];
  const linted = lintStudy(study, checks);
  const findings = [
    ...linted.findings,
    ...editedCases(
      study,
      cases.map(({ rendered }) => rendered),
      register,
    ),
  ];
  const complete = refusals.length === 0 && !findings.some(({ rule }) => rule === "missing_check");
  const rendering = complete ? renderStudy(source, checks) : null;
  const power = rendering === null ? null : await studyPower(rendering, checks);
  return {
    lint: { ...linted, findings: power === null ? findings : [...findings, ...powerFindings(power)] },
    refusals,
    cases,
    invariants_proved: proofs.filter((proof) => proof === null).length,
    run_id: rendering === null ? null : studyRunId(rendering.rendered),
    power,
  };
}

/** A case that fails is refused once, however many cases derive from it. */
function caseRefusals({ study }: StudySource, cases: readonly CaseAttempt[]): StudyRefusal[] {
  const place = new Map(study.cases.map((row, i) => [row.id, { row, path: ["cases", i] as const }]));
  const failed = new Map(cases.flatMap((attempt) => (attempt.error === undefined ? [] : [[attempt.of, attempt.error]])));
  return [...failed].map(([about, error]) => {
    const { row, path } = place.get(about)!;
    return { error, about, path: [...path, ...withinCase(row, error)] };
  });
}

function withinCase(row: StudySource["study"]["cases"][number], { details }: AssayError): StudyFinding["path"] {
  if ("file" in row) return ["file"];
  if ("from" in row) return typeof details["operation"] === "number" ? ["operations", details["operation"] - 1] : ["operations"];
  return details.line === undefined ? ["turns"] : ["turns", details.line - 1];
}

/** Of each invariant of a pair why it is refused, or null where it holds. Nothing where a case of the pair fails. */
function proofsOf({ study }: StudySource, cases: readonly CaseAttempt[], index: number): (StudyRefusal | null)[] {
  const pair = study.pairs[index]!;
  const turnsOf = (id: string) => cases[study.cases.findIndex((row) => row.id === id)]?.rendered?.turns;
  const [first, second] = [turnsOf(pair.cases[0]), turnsOf(pair.cases[1])];
  if (first === undefined || second === undefined) return [];
  return pair.invariants.map((invariant, i) => {
    try {
      proveInvariant(pair, invariant, first, second);
      return null;
    } catch (error) {
      if (!(error instanceof AssayError)) throw error;
      return { error, about: pair.id, path: ["pairs", index, "invariants", i] };
    }
  });
}
