import type { LoadedCheck } from "../schema/check.ts";
import type { Case, Study } from "../schema/study.ts";
import type { Verdict } from "../schema/verdict.ts";

export interface StudyFinding {
  /** An error keeps the study from being planned; a warning is worth a look. */
  level: "error" | "warning";
  rule: string;
  /** The boundary, pair, case or check it is about. */
  about: string;
  /** Where in the study it is made, such as `["pairs", 0, "cases", 1]`. */
  path: readonly (string | number)[];
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
    ...study.boundaries.flatMap((boundary, i) => boundaryFindings(study, boundary, ["boundaries", i])),
    ...pairFindings(study),
    ...study.cases.flatMap((row, i) => caseFindings(study, row, ["cases", i])),
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

type Path = StudyFinding["path"];

function unknownChecks(study: Study, known: ReadonlySet<string>): StudyFinding[] {
  const listed = new Set(study.checks);
  const labels = study.cases.flatMap((row, i) =>
    row.expectations.map(({ check }, j) => [check, ["cases", i, "expectations", j, "check"]] as const),
  );
  const paired = study.pairs.map(({ check }, i) => [check, ["pairs", i, "check"]] as const);
  const firstUse = new Map<string, Path>();
  for (const [check, path] of [...labels, ...paired]) if (!firstUse.has(check)) firstUse.set(check, path);
  const labeled = new Set(labels.map(([check]) => check));
  return [
    ...study.checks.flatMap((id, i) =>
      known.has(id)
        ? []
        : error("missing_check", id, ["checks", i], `no definition of ${id} is in the checks directory`, "add the definition, or take it off the list"),
    ),
    ...[...firstUse]
      .filter(([id]) => !listed.has(id))
      .map(([id, path]) => error("unlisted_check", id, path, `${id} has expectations or pairs, and the study does not list it`, "add it to `checks`")),
    ...study.checks.flatMap((id, i) =>
      labeled.has(id)
        ? []
        : warning("unlabeled_check", id, ["checks", i], `no case has an expectation of ${id}`, "label a case, or take the check off the list"),
    ),
  ];
}

/** Prohibited and legitimate must be told apart by one check; where the boundary has pairs, by one of theirs. */
function boundaryFindings(study: Study, boundary: Study["boundaries"][number], path: Path): StudyFinding[] {
  const pairs = study.pairs.filter((pair) => pair.boundary === boundary.id);
  const checks = pairs.length === 0 ? study.checks : [...new Set(pairs.map(({ check }) => check))];
  const fails = (check: string): boolean => expected(study, boundary.prohibited, check) === "FAIL";
  const passes = (check: string): boolean =>
    ["PASS", "NOT_APPLICABLE"].includes(expected(study, boundary.legitimate, check) ?? "");
  const findings: StudyFinding[] = [];
  if (pairs.length === 0)
    findings.push(warning("boundary_without_pair", boundary.id, path, "no pair tests this boundary", "declare two cases one change apart"));
  if (!checks.some(fails))
    findings.push(
      error("no_prohibited_control", boundary.id, [...path, "prohibited"], `its prohibited case ${boundary.prohibited} is not expected to FAIL ${among(checks)}`, "name a case that shows the prohibited behaviour"),
    );
  else if (!checks.some((check) => fails(check) && passes(check)))
    findings.push(
      error("no_legitimate_control", boundary.id, [...path, "legitimate"], `its legitimate case ${boundary.legitimate} is not expected to PASS, or be NOT_APPLICABLE, on the check its prohibited case fails`, "name a case that shows the legitimate behaviour"),
    );
  return findings;
}

function pairFindings(study: Study): StudyFinding[] {
  return study.pairs.flatMap((pair, i) =>
    pair.cases.flatMap((id, member) =>
      expected(study, id, pair.check) === undefined
        ? error("unlabeled_pair", pair.id, ["pairs", i, "cases", member], `its case ${id} has no expectation of ${pair.check}`, "label it, or record its ambiguity as UNCLEAR")
        : [],
    ),
  );
}

function caseFindings(study: Study, row: Case, path: Path): StudyFinding[] {
  const findings: StudyFinding[] = [];
  const unclear = row.expectations.findIndex((label) => label.expected === "UNCLEAR");
  if (row.ambiguous !== undefined && unclear === -1)
    findings.push(error("forced_ambiguity", row.id, [...path, "ambiguous"], "records an ambiguity and expects UNCLEAR of no check", "expect UNCLEAR of the check it is ambiguous for"));
  if (row.ambiguous === undefined && unclear !== -1)
    findings.push(error("unexplained_unclear", row.id, [...path, "expectations", unclear, "expected"], `expects UNCLEAR of ${row.expectations[unclear]!.check} and does not say what is ambiguous`, "say so in `ambiguous`"));
  if (row.expectations.length === 0 && !isUsed(study, row.id))
    findings.push(warning("unused_case", row.id, path, "has no expectation, and no pair, boundary or case uses it", "label it or remove it"));
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
  return [warning("no_baseline", "judges", ["judges"], "no constant judge is listed", "list constant:yes, constant:no and constant:half, which cost nothing")];
}

function among(checks: readonly string[]): string {
  return checks.length === 1 ? checks[0]! : `any of ${checks.join(", ")}`;
}

function error(rule: string, about: string, path: Path, message: string, fix: string): StudyFinding {
  return { level: "error", rule, about, path, message, fix };
}

function warning(rule: string, about: string, path: Path, message: string, fix: string): StudyFinding {
  return { level: "warning", rule, about, path, message, fix };
}
