import {
  boundaryAgreement,
  pairConsistency,
  pairShare,
  type Agreement,
  type BoundaryResult,
  type PairResult,
  type Share,
} from "../validation/index.ts";
import type { ScanView } from "./scan-view.ts";

export interface StudyResult {
  study_id: string;
  pairs: PairResult[];
  pairs_consistent: Share;
  boundaries: BoundaryResult[];
}

/** Pair consistency and boundaries of every study among a scan's sources. */
export function studyResults(scan: Pick<ScanView, "plan" | "sources">, agreement: Agreement): StudyResult[] {
  return scan.sources.flatMap((source, index) => {
    if (source.study === null) return [];
    const { study } = source.study;
    const rows = agreement.rows.filter((row) => scan.plan.conversations[row.conversation]?.source === index);
    const pairs = pairConsistency(study, rows);
    const boundaries = boundaryAgreement(study, rows, pairs);
    return [{ study_id: study.id, pairs, pairs_consistent: pairShare(pairs), boundaries }];
  });
}
