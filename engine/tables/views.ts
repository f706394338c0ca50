import type { TableName } from "./schema.ts";

export interface View {
  description: string;
  /** Tables it reads. */
  reads: readonly TableName[];
  /** The query, without `create view`. Runs on DuckDB 0.9 and later; integer sums are cast, so nothing is 128 bits wide. */
  sql: string;
}

const count = (condition: string): string => `(count(*) filter (where ${condition}))::integer`;

const scanColumns = (alias: string, prefix = ""): string =>
  ["judge", "context", "is_baseline"]
    .map((name) => `${alias}.${name}${prefix === "" ? "" : ` as ${name}${prefix}`}`)
    .join(", ");

const tallies = `
  count(*)::integer as judgments,
  ${count("j.verdict is not null")} as judged,
  ${count("j.verdict = 'PASS'")} as passes,
  ${count("j.verdict = 'FAIL'")} as fails,
  ${count("j.verdict = 'UNCLEAR'")} as unclears,
  ${count("j.verdict = 'NOT_APPLICABLE'")} as not_applicables,
  ${count("j.verdict is null")} as not_judged,
  ${count("j.verdict is not null and j.asked = 0")} as not_asked`;

/** Two scans' judgments of the same conversation bytes under the same check bytes, each pair of scans once. */
const paired = `
from judgments a
join judgments b on a.scan_id < b.scan_id and a.conversation = b.conversation and a.check_id = b.check_id
  and a.check_sha256 = b.check_sha256 and a.evidence_context_sha256 = b.evidence_context_sha256
join scans sa on sa.scan_id = a.scan_id
join scans sb on sb.scan_id = b.scan_id
where a.verdict is not null and b.verdict is not null`;

/** Both cases of a pair that counts, as a trivial judge sees them. */
const trivialPairs = `
from pairs p
join trivial_verdicts b on b.study_sha256 = p.study_sha256 and b.case_id = p.case_before and b.check_id = p.check_id and b.counted
join trivial_verdicts a on a.run_id = b.run_id and a.judge = b.judge and a.context = b.context
  and a.case_id = p.case_after and a.check_id = p.check_id and a.counted`;

export const VIEWS: Readonly<Record<string, View>> = {
  confusion: {
    description:
      "Expected by observed verdict, bound labels with a verdict only: one row per scan, check, basis and non-empty cell",
    reads: ["expectations", "scans"],
    sql: `
select s.study_id, s.scan_id, ${scanColumns("s")}, s.claim, e.check_id, e.basis, e.expected, e.observed,
  any_value(e.mismatch) as mismatch, ${count("e.asked = 0")} as not_asked, count(*)::integer as n
from expectations e join scans s on s.scan_id = e.scan_id
where e.bound and e.observed is not null
group by s.study_id, s.scan_id, s.judge, s.context, s.is_baseline, s.claim, e.check_id, e.basis, e.expected, e.observed
order by s.study_id, s.scan_id, e.check_id, e.basis, e.expected, e.observed`,
  },
  unclear_rates: {
    description:
      "UNCLEAR over all judged and over applicable judgments, with the NOT_APPLICABLE share beside it: one row per scan and check",
    reads: ["judgments", "scans"],
    sql: `
select s.scan_id, ${scanColumns("s")}, s.claim, j.layer, j.check_id,
  ${count("j.verdict = 'UNCLEAR'")} as unclear_all_numerator,
  ${count("j.verdict is not null")} as unclear_all_denominator,
  ${count("j.verdict = 'UNCLEAR'")} as unclear_applicable_numerator,
  ${count("j.verdict is not null and j.verdict <> 'NOT_APPLICABLE'")} as unclear_applicable_denominator,
  ${count("j.verdict = 'NOT_APPLICABLE'")} as not_applicable_numerator,
  ${count("j.verdict is not null")} as not_applicable_denominator,
  ${count("j.verdict is null")} as not_judged,
  ${count("j.verdict is not null and j.asked = 0")} as not_asked
from judgments j join scans s on s.scan_id = j.scan_id
group by s.scan_id, s.judge, s.context, s.is_baseline, s.claim, j.layer, j.check_id
order by s.scan_id, j.layer, j.check_id`,
  },
  check_rates: {
    description:
      "Verdict counts of target-model conversations: one row per target model, scan and check; no fixture is in it",
    reads: ["judgments", "scans"],
    sql: `
select j.model_id, s.scan_id, ${scanColumns("s")}, j.layer, j.dimension, j.check_id, ${tallies},
  ${count("j.verdict is not null and j.verdict <> 'NOT_APPLICABLE'")} as applicable
from judgments j join scans s on s.scan_id = j.scan_id
where j.claim = 'target_model_conversations' and not j.is_fixture
group by j.model_id, s.scan_id, s.judge, s.context, s.is_baseline, j.layer, j.dimension, j.check_id
order by j.model_id, s.scan_id, j.layer, j.check_id`,
  },
  fixture_counts: {
    description:
      "Verdict counts of authored fixtures: one row per study, scan and check; never rates over a population",
    reads: ["judgments", "scans"],
    sql: `
select s.study_id, s.scan_id, ${scanColumns("s")}, j.layer, j.dimension, j.check_id, ${tallies}
from judgments j join scans s on s.scan_id = j.scan_id
where j.is_fixture
group by s.study_id, s.scan_id, s.judge, s.context, s.is_baseline, j.layer, j.dimension, j.check_id
order by s.study_id, s.scan_id, j.layer, j.check_id`,
  },
  agreement: {
    description:
      "Verdict by verdict, two scans over the same conversations and check definitions: one row per pair of scans (scan_a < scan_b), check and non-empty cell. Agreement is not correctness",
    reads: ["judgments", "scans"],
    sql: `
select a.scan_id as scan_a, b.scan_id as scan_b, ${scanColumns("sa", "_a")}, ${scanColumns("sb", "_b")},
  a.claim, a.check_id, a.verdict as verdict_a, b.verdict as verdict_b, a.verdict = b.verdict as agrees,
  ${count("a.asked = 0 or b.asked = 0")} as not_asked, count(*)::integer as n
${paired}
group by a.scan_id, b.scan_id, sa.judge, sa.context, sa.is_baseline, sb.judge, sb.context, sb.is_baseline,
  a.claim, a.check_id, a.verdict, b.verdict
order by a.scan_id, b.scan_id, a.check_id, a.verdict, b.verdict`,
  },
  disagreements: {
    description:
      "Judgments two scans decided differently over the same bytes: one row per pair of scans (scan_a < scan_b), conversation and check",
    reads: ["judgments", "scans"],
    sql: `
select a.scan_id as scan_a, b.scan_id as scan_b, ${scanColumns("sa", "_a")}, ${scanColumns("sb", "_b")},
  a.claim, a.conversation, a.model_id, a.scenario_id, a.check_id, a.verdict as verdict_a, b.verdict as verdict_b,
  a.asked as asked_a, b.asked as asked_b, a.rationale as rationale_a, b.rationale as rationale_b
${paired} and a.verdict <> b.verdict
order by a.scan_id, b.scan_id, a.check_id, a.conversation`,
  },
  battery: {
    description:
      "What each trivial judge reaches on a study: the floor under every result; one row per rendered study and trivial judge. right and pairs_right are of labels that expect PASS, FAIL or NOT_APPLICABLE",
    reads: ["trivial_verdicts", "pairs"],
    sql: `
with labels as (
  select study_id, study_sha256, run_id, position, judge, context,
    ${count("counted and correct")} as right_numerator, ${count("counted")} as right_denominator,
    ${count("counted and correct and asked = 0")} as right_not_asked
  from trivial_verdicts group by study_id, study_sha256, run_id, position, judge, context),
both_cases as (
  select b.run_id, b.judge, b.context, ${count("b.correct and a.correct")} as pairs_numerator, count(*)::integer as pairs_denominator
  ${trivialPairs}
  group by b.run_id, b.judge, b.context)
select l.*, coalesce(p.pairs_numerator, 0) as pairs_numerator, coalesce(p.pairs_denominator, 0) as pairs_denominator
from labels l left join both_cases p on p.run_id = l.run_id and p.judge = l.judge and p.context = l.context
order by l.study_id, l.run_id, l.position`,
  },
  battery_pairs: {
    description:
      "Which pairs can tell judges apart: discriminating where no trivial judge gets both cases right; one row per rendered study and pair that counts",
    reads: ["trivial_verdicts", "pairs"],
    sql: `
select b.study_id, b.study_sha256, b.run_id, p.position, p.pair_id, p.boundary_id, p.check_id, p.case_before, p.case_after,
  count(*)::integer as trivial_judges, ${count("b.correct and a.correct")} as right_for,
  coalesce(string_agg(b.judge || ' ' || b.context, ', ' order by b.position) filter (where b.correct and a.correct), '') as right_for_judges,
  ${count("b.correct and a.correct")} = 0 as discriminating
${trivialPairs}
group by b.study_id, b.study_sha256, b.run_id, p.position, p.pair_id, p.boundary_id, p.check_id, p.case_before, p.case_after
order by b.study_id, b.run_id, p.position`,
  },
  foreign_agreement: {
    description:
      "A scan beside another engine over the same conversations, under the declared map: different definitions, so agreement is between definitions as much as between judges; one row per scan, foreign set, check and non-empty cell",
    reads: ["foreign_judgments", "check_map", "judgments", "scans"],
    sql: `
select j.scan_id, ${scanColumns("s")}, f.foreign_set, f.judge as foreign_judge, j.check_id, f.foreign_id,
  j.verdict, f.verdict as foreign_verdict, j.verdict = f.verdict as agrees,
  ${count("j.asked = 0")} as not_asked, count(*)::integer as n
from foreign_judgments f join check_map m on m.foreign_id = f.foreign_id
join judgments j on j.check_id = m.check_id and j.conversation = f.conversation and j.transcript_sha256 = f.transcript_sha256
join scans s on s.scan_id = j.scan_id
where j.verdict is not null and j.claim = 'target_model_conversations'
group by j.scan_id, s.judge, s.context, s.is_baseline, f.foreign_set, f.judge, j.check_id, f.foreign_id, j.verdict, f.verdict
order by j.scan_id, f.foreign_set, j.check_id, j.verdict, f.verdict`,
  },
  foreign_repeats: {
    description:
      "Another engine's judge against itself: judgments with two or more repeats and those whose repeats differ; one row per foreign set and definition",
    reads: ["foreign_judgments"],
    sql: `
select foreign_set, judge, foreign_id, count(*)::integer as judgments, ${count("split")} as split
from foreign_judgments where len(repeats) > 1
group by foreign_set, judge, foreign_id order by foreign_set, foreign_id`,
  },
  foreign_unmapped: {
    description: "Definitions of another engine that the declared map gives no check, with what they would have joined",
    reads: ["foreign_judgments", "check_map"],
    sql: `
select f.foreign_set, f.judge, f.foreign_id, count(*)::integer as judgments
from foreign_judgments f anti join check_map m on m.foreign_id = f.foreign_id
group by f.foreign_set, f.judge, f.foreign_id order by f.foreign_set, f.foreign_id`,
  },
};

export const VIEW_NAMES: readonly string[] = Object.keys(VIEWS);

/** Statements that create every view whose tables are there, or only the named ones. */
export function viewStatements(tables: ReadonlySet<string>, names: readonly string[] = VIEW_NAMES): string[] {
  return names.flatMap((name) => {
    const view = VIEWS[name];
    return view !== undefined && view.reads.every((table) => tables.has(table))
      ? [`create or replace view ${name} as ${view.sql.trim()}`]
      : [];
  });
}
