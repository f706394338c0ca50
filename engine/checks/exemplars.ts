import { AssayError } from "../canon/errors.ts";
import { readJsonl } from "../canon/lines.ts";
import { derive } from "../rules/index.ts";
import type { Check } from "../schema/check.ts";
import { Exemplar } from "../schema/exemplar.ts";
import { DEFAULT_THRESHOLDS } from "../schema/judge.ts";
import type { Conversation } from "../schema/transcript.ts";
import type { Verdict, WorldVerdict } from "../schema/verdict.ts";
import { parseCheckValue } from "./parse.ts";

export interface ExemplarFailure {
  id: string;
  expected: Verdict;
  observed: Verdict;
  possible: WorldVerdict[];
}

/** A map of loaded checks, or anything that finds one by id. */
export type ChecksById = Pick<ReadonlyMap<string, Check>, "get">;

export interface ExemplarReport {
  total: number;
  reproduced: number;
  failed: ExemplarFailure[];
}

/**
 * Derive every exemplar's verdict again from its saved answers. A row is reproduced when the verdict, and the set of
 * possible verdicts where the row gives one, are equal. Ids are unique in a file; rows are read as a stream. `checks` is
 * asked only for a row that names its check by id.
 */
export async function verifyExemplars(files: readonly string[], checks: ChecksById): Promise<ExemplarReport> {
  const report: ExemplarReport = { total: 0, reproduced: 0, failed: [] };
  for (const file of files) {
    const seen = new Map<string, number>();
    let line = 0;
    for await (const row of readJsonl(file, Exemplar)) {
      const where = { file, line: ++line };
      const twin = seen.get(row.id);
      if (twin !== undefined)
        throw new AssayError("repeated_exemplar", `repeats the id ${row.id} of line ${twin}`, { ...where, fix: "rename one" });
      seen.set(row.id, line);
      const { verdict, possible } = rederive(row, checkOf(row, checks, where), where);
      report.total++;
      const same = verdict === row.expected && (row.possible === undefined || sameSet(row.possible, possible));
      if (same) report.reproduced++;
      else report.failed.push({ id: row.id, expected: row.expected, observed: verdict, possible });
    }
  }
  return report;
}

function checkOf(row: Exemplar, checks: ChecksById, where: { file: string; line: number }): Check {
  if (row.check !== undefined) return parseCheckValue(row.check, where);
  const check = checks.get(row.check_id ?? "");
  if (check === undefined)
    throw new AssayError("no_check", `${row.id} names ${row.check_id}, which is not among the checks`, {
      ...where,
      fix: "name its directory with --checks",
    });
  return check;
}

function rederive(row: Exemplar, check: Check, where: { file: string; line: number }) {
  const conversation: Conversation = {
    turns: row.transcript,
    memory: { persistent_memory: row.memory_declared ?? false, evidence: row.memory_evidence ?? [] },
  };
  try {
    return derive(
      check,
      conversation,
      ({ role, turn, key }) => {
        const place = row.answers[`${role}:${turn}`];
        return place !== undefined && Object.hasOwn(place, key) ? place[key] : undefined;
      },
      DEFAULT_THRESHOLDS,
    );
  } catch (error) {
    if (!(error instanceof AssayError)) throw error;
    throw new AssayError(error.code, `${row.id}: ${error.message}`, { ...error.details, ...where });
  }
}

function sameSet(a: readonly string[], b: readonly string[]): boolean {
  const [one, other] = [new Set(a), new Set(b)];
  return one.size === other.size && [...one].every((value) => other.has(value));
}
