import type { LoadedCheck } from "../schema/check.ts";
import type { Case, Study } from "../schema/study.ts";
import type { Verdict } from "../schema/verdict.ts";

export interface StudyFinding {
  /** An error keeps the study from being planned; a warning is worth a look. */
  level: "error" | "warning";
  rule: string;
  /** The boundary, pair, case or check it is about. */
  about: string;
  message: string;
  fix: string;
}

export interface StudyLint {
  findings: StudyFinding[];
  /** Judgments the study makes without a label: nothing is claimed about them. */
  unlabeled: { case_id: string; check_id: string }[];
  /** Cases with a recorded ambiguity. */
  ambiguous: string[];
  labeled_judgments: number;
  judgments: number;
}

/** Whether a study can support its claim: controls, labels, ambiguities, baselines. Order is the study's own. */
export function lintStudy(study: Study, checks: readonly Pick<LoadedCheck, "check">[]): StudyLint {
  const findings = [
    ...unknownChecks(study, new Set(checks.map(({ check }) => check.id))),
    ...study.boundaries.flatMap((boundary) => boundaryFindings(study, boundary)),
    ...pairFindings(study),
    ...study.cases.flatMap((row) => caseFindings(study, row)),
    ...judgeFindings(study),
  ];
  const unlabeled = study.cases.flatMap((row) =>
    study.checks
      .filter((check) => expected(study, row.id, check) === undefined)
      .map((check_id) => ({ case_id: row.id, check_id })),
  );
  const judgments = study.cases.length * study.checks.length;
  return {
    findings,
    unlabeled,
    ambiguous: study.cases.filter((row) => row.ambiguous !== undefined).map(({ id }) => id),
    labeled_judgments: judgments - unlabeled.length,
    judgments,
  };
}

function expected(study: Study, caseId: string, check: string): Verdict | undefined {
  return study.cases.find(({ id }) => id === caseId)?.expectations.find((row) => row.check === check)?.expected;
}

function unknownChecks(study: Study, known: ReadonlySet<string>): StudyFinding[] {
  const listed = new Set(study.checks);
  const uses = new Set([
    ...study.cases.flatMap((row) => row.expectations.map(({ check }) => check)),
    ...study.pairs.map(({ check }) => check),
  ]);
  const labeled = new Set(study.cases.flatMap((row) => row.expectations.map(({ check }) => check)));
  return [
    ...study.checks
      .filter((id) => !known.has(id))
      .map((id) => error("missing_check", id, `no definition of ${id} is in the checks directory`, "add the definition, or take it off the list")),
    ...[...uses]
      .filter((id) => !listed.has(id))
      .map((id) => error("unlisted_check", id, `${id} has expectations or pairs, and the study does not list it`, "add it to `checks`")),
    ...study.checks
      .filter((id) => !labeled.has(id))
      .map((id) => warning("unlabeled_check", id, `no case has an expectation of ${id}`, "label a case, or take the check off the list")),
  ];
}

/** Prohibited and legitimate must be told apart by one check; where the boundary has pairs, by one of theirs. */
function boundaryFindings(study: Study, boundary: Study["boundaries"][number]): StudyFinding[] {
  const pairs = study.pairs.filter((pair) => pair.boundary === boundary.id);
  const checks = pairs.length === 0 ? study.checks : [...new Set(pairs.map(({ check }) => check))];
  const fails = (check: string): boolean => expected(study, boundary.prohibited, check) === "FAIL";
  const passes = (check: string): boolean =>
    ["PASS", "NOT_APPLICABLE"].includes(expected(study, boundary.legitimate, check) ?? "");
  const findings: StudyFinding[] = [];
  if (pairs.length === 0)
    findings.push(warning("boundary_without_pair", boundary.id, "no pair tests this boundary", "declare two cases one change apart"));
  if (!checks.some(fails))
    findings.push(
      error("no_prohibited_control", boundary.id, `its prohibited case ${boundary.prohibited} is not expected to FAIL ${among(checks)}`, "name a case that shows the prohibited behaviour"),
    );
  else if (!checks.some((check) => fails(check) && passes(check)))
    findings.push(
      error("no_legitimate_control", boundary.id, `its legitimate case ${boundary.legitimate} is not expected to PASS, or be NOT_APPLICABLE, on the check its prohibited case fails`, "name a case that shows the legitimate behaviour"),
    );
  return findings;
}

function pairFindings(study: Study): StudyFinding[] {
  return study.pairs.flatMap((pair) =>
    pair.cases
      .filter((id) => expected(study, id, pair.check) === undefined)
      .map((id) => error("unlabeled_pair", pair.id, `its case ${id} has no expectation of ${pair.check}`, "label it, or record its ambiguity as UNCLEAR")),
  );
}

function caseFindings(study: Study, row: Case): StudyFinding[] {
  const findings: StudyFinding[] = [];
  const unclear = row.expectations.filter((label) => label.expected === "UNCLEAR");
  if (row.ambiguous !== undefined && unclear.length === 0)
    findings.push(error("forced_ambiguity", row.id, "records an ambiguity and expects UNCLEAR of no check", "expect UNCLEAR of the check it is ambiguous for"));
  if (row.ambiguous === undefined && unclear.length > 0)
    findings.push(error("unexplained_unclear", row.id, `expects UNCLEAR of ${unclear[0]!.check} and does not say what is ambiguous`, "say so in `ambiguous`"));
  if (row.expectations.length === 0 && !isUsed(study, row.id))
    findings.push(warning("unused_case", row.id, "has no expectation, and no pair, boundary or case uses it", "label it or remove it"));
  return findings;
}

function isUsed(study: Study, id: string): boolean {
  return (
    study.pairs.some((pair) => pair.cases.includes(id)) ||
    study.boundaries.some((boundary) => boundary.prohibited === id || boundary.legitimate === id) ||
    study.cases.some((row) => "from" in row && row.from === id)
  );
}

function judgeFindings(study: Study): StudyFinding[] {
  if (study.judges.some(({ judge }) => judge.startsWith("constant"))) return [];
  return [warning("no_baseline", "judges", "no constant judge is listed", "list constant:yes, constant:no and constant:half, which cost nothing")];
}

function among(checks: readonly string[]): string {
  return checks.length === 1 ? checks[0]! : `any of ${checks.join(", ")}`;
}

function error(rule: string, about: string, message: string, fix: string): StudyFinding {
  return { level: "error", rule, about, message, fix };
}

function warning(rule: string, about: string, message: string, fix: string): StudyFinding {
  return { level: "warning", rule, about, message, fix };
}
