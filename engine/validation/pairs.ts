import type { Study } from "../schema/study.ts";
import type { Verdict } from "../schema/verdict.ts";
import { countRows, type AgreementCounts, type AgreementRow, type Share } from "./agreement.ts";

export interface PairMember {
  case_id: string;
  expected: Verdict | null;
  observed: Verdict | null;
  right: boolean;
}

export interface PairResult {
  pair_id: string;
  boundary_id: string;
  check_id: string;
  members: [PairMember, PairMember];
  /** Both members right. null: left out, because a member is not labelled here or expects UNCLEAR. */
  consistent: boolean | null;
}

export interface BoundaryResult extends AgreementCounts {
  boundary_id: string;
  /** Pairs of the boundary with both members right, of those that count. */
  pairs_consistent: Share;
}

type PairedStudy = Pick<Study, "pairs" | "boundaries">;

type LabelledRow = Pick<AgreementRow, "scenario_id" | "check_id" | "expected" | "observed">;

/** Pair consistency of one study. `rows` are the labelled judgments of its cases, in any order. */
export function pairConsistency(study: PairedStudy, rows: readonly LabelledRow[]): PairResult[] {
  const byPlace = new Map(rows.map((row) => [place(row.scenario_id, row.check_id), row]));
  return study.pairs.map((pair) => {
    const member = (case_id: string): PairMember => {
      const row = byPlace.get(place(case_id, pair.check));
      return {
        case_id,
        expected: row?.expected ?? null,
        observed: row?.observed ?? null,
        right: row !== undefined && row.observed === row.expected,
      };
    };
    const members: [PairMember, PairMember] = [member(pair.cases[0]), member(pair.cases[1])];
    const counts = members.every(({ expected }) => expected !== null && expected !== "UNCLEAR");
    return {
      pair_id: pair.id,
      boundary_id: pair.boundary,
      check_id: pair.check,
      members,
      consistent: counts ? members.every(({ right }) => right) : null,
    };
  });
}

/** Pairs with both members right, of those that count. */
export function pairShare(pairs: readonly PairResult[]): Share {
  const counted = pairs.filter((pair) => pair.consistent !== null);
  return { numerator: counted.filter((pair) => pair.consistent).length, denominator: counted.length };
}

/** Counts per boundary, over the labelled judgments that `boundaryPlaces` gives it. One row may serve several. */
export function boundaryAgreement(
  study: PairedStudy,
  rows: readonly AgreementRow[],
  pairs: readonly PairResult[] = pairConsistency(study, rows),
): BoundaryResult[] {
  const places = boundaryPlaces(study);
  return study.boundaries.map(({ id }) => {
    const wanted = new Set(
      places.filter((row) => row.boundary_id === id).map((row) => place(row.case_id, row.check_id)),
    );
    return {
      boundary_id: id,
      ...countRows(rows.filter((row) => wanted.has(place(row.scenario_id, row.check_id)))),
      pairs_consistent: pairShare(pairs.filter((pair) => pair.boundary_id === id)),
    };
  });
}

/**
 * Which (case, check) places test which boundary: both cases of its pairs, and its two controls, on the pairs'
 * checks. Distinct, in the study's order.
 */
export function boundaryPlaces(study: PairedStudy): { boundary_id: string; case_id: string; check_id: string }[] {
  return study.boundaries.flatMap((boundary) => {
    const pairs = study.pairs.filter((pair) => pair.boundary === boundary.id);
    const found = new Map<string, { boundary_id: string; case_id: string; check_id: string }>();
    const add = (case_id: string, check_id: string): void => {
      found.set(place(case_id, check_id), { boundary_id: boundary.id, case_id, check_id });
    };
    for (const pair of pairs) for (const case_id of pair.cases) add(case_id, pair.check);
    for (const check of new Set(pairs.map((pair) => pair.check)))
      for (const control of [boundary.prohibited, boundary.legitimate]) add(control, check);
    return [...found.values()];
  });
}

function place(case_id: string, check_id: string): string {
  return JSON.stringify([case_id, check_id]);
}
