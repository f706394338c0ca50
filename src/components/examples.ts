import type { Example } from "./console.js";

export const EXAMPLES: readonly Example[] = [
  {
    title: "Scans and what they hold",
    query: `select study_id, judge, context, claim, conversations, judgments, passes, fails, unclears, not_applicables
from scans
order by claim, study_id, judge_position, scan_id`,
  },
  {
    title: "Expectations missed, by kind",
    query: `select s.study_id, s.judge, s.context, e.mismatch, count(*) as n
from expectations e join scans s using (scan_id)
where e.counted and e.mismatch is not null
group by all
order by s.study_id, s.judge, s.context, e.mismatch`,
  },
  {
    title: "Pairs that no judge gets right on both sides",
    query: `select p.study_id, p.boundary_id, p.pair_id, p.check_id, count(*) as judges, count(*) filter (where b.correct and a.correct) as consistent
from pairs p
join scans s on s.study_sha256 = p.study_sha256
join expectations b on b.scan_id = s.scan_id and b.scenario_id = p.case_before and b.check_id = p.check_id and b.counted
join expectations a on a.scan_id = b.scan_id and a.scenario_id = p.case_after and a.check_id = p.check_id and a.counted
group by all
having consistent = 0
order by p.study_id, p.boundary_id, p.pair_id`,
  },
  {
    title: "Answers inside the open band",
    query: `select s.judge, a.check_id, a.question, count(*) as answers, count(*) filter (where a.band = 'open') as open
from answers a join scans s using (scan_id)
where a.repeat = 0 and a.type = 'noul'
group by all
order by open desc, answers desc`,
  },
  {
    title: "FAIL verdicts with the words they cite",
    query: `select j.scan_id, j.conversation, j.check_id, e.role, e.turn, e.kind, e.quote
from judgments j join evidence e using (scan_id, conversation, check_id)
where j.verdict = 'FAIL'
order by j.check_id, j.conversation, e.position
limit 200`,
  },
  {
    title: "Verdicts fixed without asking",
    query: `select s.judge, s.context, j.check_id, j.verdict, count(*) as n
from judgments j join scans s using (scan_id)
where j.asked = 0
group by all
order by n desc`,
  },
  {
    title: "Target models, by check (no fixture)",
    query: `select model_id, check_id, judge, passes, fails, unclears, not_applicables, applicable
from check_rates
order by check_id, model_id, judge`,
  },
];
