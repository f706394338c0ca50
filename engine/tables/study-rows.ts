import { canonicalJson } from "../canon/json.ts";
import type { RenderedStudy } from "../schema/study.ts";
import type { SeenLabel } from "../studies/seen-label.ts";
import type { Row } from "./schema.ts";
import { isSeenCase } from "./seen.ts";

export function studyRow({ study, study_sha256 }: RenderedStudy): Row<"studies"> {
  return {
    study_sha256,
    study_id: study.id,
    title: study.title,
    claim: study.claim,
    author: study.author,
    study_date: study.date,
    revises: study.revises ?? null,
    selection: study.selection,
    excluded: study.excluded,
    check_ids: study.checks,
    judges: study.judges.map(({ judge, context }) => `${judge} ${context}`),
    boundaries: study.boundaries.map(({ id, ...boundary }) => ({ boundary_id: id, ...boundary })),
    cases: study.cases.length,
    pairs: study.pairs.length,
  };
}

export function caseRows({ study, study_sha256, cases }: RenderedStudy, seen: SeenLabel | undefined): Row<"cases">[] {
  return cases.map((rendered, position) => {
    const declared = study.cases.find(({ id }) => id === rendered.id);
    return {
      study_sha256,
      study_id: study.id,
      case_id: rendered.id,
      position,
      title: declared?.title ?? rendered.id,
      ambiguous: declared?.ambiguous ?? null,
      derived_from: rendered.derives_from[0] ?? null,
      ancestors: rendered.derives_from,
      operations: rendered.operations.map(canonicalJson),
      transcript_sha256: rendered.transcript_sha256,
      seen: isSeenCase(seen, rendered.id),
    };
  });
}

export function pairRows({ study, study_sha256, proved }: RenderedStudy): Row<"pairs">[] {
  return study.pairs.map((pair, position) => {
    const boundary = study.boundaries.find(({ id }) => id === pair.boundary);
    return {
      study_sha256,
      study_id: study.id,
      pair_id: pair.id,
      position,
      boundary_id: pair.boundary,
      boundary_change: boundary?.change ?? "",
      expected_effect: boundary?.expected_effect ?? "",
      check_id: pair.check,
      case_before: pair.cases[0],
      case_after: pair.cases[1],
      invariants: pair.invariants.map(canonicalJson),
      proved: proved.filter((row) => row.pair === pair.id).map(({ invariant }) => canonicalJson(invariant)),
    };
  });
}
