import { sqlLink, quote } from "./links.js";

/** Judgments that two scans share: the same conversation bytes under the same check bytes, both with a verdict. */
export const SHARED = `
from judgments a
join judgments b on a.conversation = b.conversation and a.check_id = b.check_id
  and a.check_sha256 = b.check_sha256 and a.evidence_context_sha256 = b.evidence_context_sha256
where a.verdict is not null and b.verdict is not null`;

/** The rows that two scans share, under a further condition on `a` and `b`; differences come first. */
export function sharedRows(a: string, b: string, where = "true"): string {
  return sqlLink(`select a.conversation, a.check_id, a.verdict as verdict_a, b.verdict as verdict_b, a.rationale as rationale_a, b.rationale as rationale_b${SHARED}
  and a.scan_id = ${quote(a)} and b.scan_id = ${quote(b)} and ${where}
order by a.verdict <> b.verdict desc, a.check_id, a.conversation`);
}
