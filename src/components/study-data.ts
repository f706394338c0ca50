import { rows } from "./db.js";
import type { Row } from "./db.js";
import { maybeText, number, text } from "./read.js";

export interface StudyData {
  study: Row;
  /** Other frozen versions under the same id; the page shows the first and says that these exist. */
  others: Row[];
  scans: Row[];
  checks: Row[];
  cases: Row[];
}

/** The newest frozen version of a study (by declared date, then by digest) with its scans, checks and cases. */
export async function studyData(id: string): Promise<StudyData> {
  const versions = await rows("select * from studies where study_id = ? order by study_date desc, study_sha256", [id]);
  const [study, ...others] = versions;
  if (study === undefined) throw new Error(`no finished scan of a study named ${id} was found`);
  const sha = text(study, "study_sha256");
  const [scans, checks, cases] = await Promise.all([
    rows("select * from scans where study_sha256 = ? order by judge_position nulls last, judge, scan_id", [sha]),
    rows(
      `select distinct c.* from checks c join judgments j on j.check_sha256 = c.check_sha256 join scans s on s.scan_id = j.scan_id
       where s.study_sha256 = ? order by c.layer, c.check_id`,
      [sha],
    ),
    rows("select * from cases where study_sha256 = ? order by position", [sha]),
  ]);
  return { study, others, scans, checks, cases };
}

export interface Side {
  case_id: string;
  expected: string | null;
}

/** One pair of a boundary, with what each scan gave on both of its sides. */
export interface PairRow {
  pair: Row;
  before: Side;
  after: Side;
  scans: Map<string, Row>;
}

const PAIRS = `
select p.position, p.pair_id, p.boundary_id, p.boundary_change, p.expected_effect, p.check_id, p.case_before, p.case_after, p.proved,
  s.scan_id, b.conversation as conversation_before, a.conversation as conversation_after,
  b.expected as expected_before, a.expected as expected_after, b.observed as observed_before, a.observed as observed_after,
  b.mismatch as mismatch_before, a.mismatch as mismatch_after, b.asked as asked_before, a.asked as asked_after,
  b.counted and a.counted as counted, b.correct as correct_before, a.correct as correct_after
from pairs p
join scans s on s.study_sha256 = p.study_sha256
join expectations b on b.scan_id = s.scan_id and b.scenario_id = p.case_before and b.check_id = p.check_id and b.bound
join expectations a on a.scan_id = s.scan_id and a.scenario_id = p.case_after and a.check_id = p.check_id and a.bound
where p.study_sha256 = ?
order by p.position, s.judge_position nulls last, s.scan_id`;

/** Pairs in the study's order, the scans of each by id. */
export async function pairRows(studySha: string): Promise<PairRow[]> {
  const pairs = new Map<string, PairRow>();
  for (const row of await rows(PAIRS, [studySha])) {
    const id = text(row, "pair_id");
    const entry = pairs.get(id) ?? {
      pair: row,
      before: { case_id: text(row, "case_before"), expected: maybeText(row, "expected_before") },
      after: { case_id: text(row, "case_after"), expected: maybeText(row, "expected_after") },
      scans: new Map<string, Row>(),
    };
    entry.scans.set(text(row, "scan_id"), row);
    pairs.set(id, entry);
  }
  return [...pairs.values()];
}

/** Pairs with both members right, of those with two counted labels: one row per scan. */
export const CONSISTENCY = `
select s.scan_id, count(*)::integer as pairs, (count(*) filter (where b.correct and a.correct))::integer as consistent
from pairs p
join scans s on s.study_sha256 = p.study_sha256
join expectations b on b.scan_id = s.scan_id and b.scenario_id = p.case_before and b.check_id = p.check_id and b.counted
join expectations a on a.scan_id = s.scan_id and a.scenario_id = p.case_after and a.check_id = p.check_id and a.counted
where p.study_sha256 = ?
group by s.scan_id`;

export async function consistency(studySha: string): Promise<Map<string, { pairs: number; consistent: number }>> {
  const found = await rows(CONSISTENCY, [studySha]);
  return new Map(
    found.map((row) => [text(row, "scan_id"), { pairs: number(row, "pairs"), consistent: number(row, "consistent") }]),
  );
}
