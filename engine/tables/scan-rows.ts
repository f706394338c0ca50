import { CLAIM_TEXT } from "../schema/verdict.ts";
import type { Judgment } from "../schema/judgment.ts";
import type { RenderedStudy } from "../schema/study.ts";
import type { Bundle } from "../scan/bundle.ts";
import type { Labels } from "./expectation-rows.ts";
import type { RequestLedger } from "./request-rows.ts";
import type { Row } from "./schema.ts";
import type { SourceSeen } from "./seen.ts";

/** Verdicts as they stream past. */
export class VerdictCounts {
  #judgments = 0;
  #notAsked = 0;
  readonly #verdicts = { PASS: 0, FAIL: 0, UNCLEAR: 0, NOT_APPLICABLE: 0 };

  add({ verdict, asked }: Judgment): void {
    this.#judgments += 1;
    if (verdict === null) return;
    this.#verdicts[verdict] += 1;
    if (asked === 0) this.#notAsked += 1;
  }

  totals() {
    const { PASS, FAIL, UNCLEAR, NOT_APPLICABLE } = this.#verdicts;
    const judged = PASS + FAIL + UNCLEAR + NOT_APPLICABLE;
    return {
      judgments: this.#judgments,
      passes: PASS,
      fails: FAIL,
      unclears: UNCLEAR,
      not_applicables: NOT_APPLICABLE,
      not_judged: this.#judgments - judged,
      not_asked: this.#notAsked,
      unclear_all_numerator: UNCLEAR,
      unclear_all_denominator: judged,
      unclear_applicable_numerator: UNCLEAR,
      unclear_applicable_denominator: judged - NOT_APPLICABLE,
    };
  }
}

export interface ScanFacts {
  bundle: Bundle;
  scan_id: string;
  seal_sha256: string;
  /** By source; null where it renders no study. */
  studies: readonly (RenderedStudy | null)[];
  seen: readonly (SourceSeen | null)[];
  counts: VerdictCounts;
  labels: Labels;
  expectations: readonly Row<"expectations">[];
  totals: ReturnType<RequestLedger["totals"]>;
}

export function scanRow({
  bundle,
  scan_id,
  seal_sha256,
  studies,
  seen,
  counts,
  labels,
  expectations,
  totals,
}: ScanFacts): Row<"scans"> {
  const { plan, plan_sha256 } = bundle;
  const { judge } = plan;
  const [first = null] = studies;
  const study = studies.every((other) => other?.study_sha256 === first?.study_sha256) ? first : null;
  const position = study?.study.judges.findIndex(
    (listed) => listed.judge === judge.name && listed.context === judge.context,
  );
  const bound = expectations.filter((row) => row.bound);
  const counted = bound.filter((row) => row.counted);
  return {
    scan_id,
    claim: plan.claim,
    claim_text: CLAIM_TEXT[plan.claim],
    is_fixture: plan.sources.every(({ harness, mode }) => harness === "fixture" || mode === "authored"),
    judge: judge.name,
    adapter: judge.adapter,
    model: judge.model,
    context: judge.context,
    method: judge.method,
    grouping: judge.grouping,
    question_order: judge.question_order ?? "listed",
    repeats: judge.repeats,
    base_url: judge.base_url ?? null,
    threshold_low: judge.thresholds.low,
    threshold_high: judge.thresholds.high,
    lexicon_sha256: judge.lexicon_sha256 ?? null,
    prompt_sha256: judge.prompt_sha256 ?? null,
    is_baseline: judge.adapter === "overlap" || judge.adapter === "constant",
    is_shipped_lexicon: judge.adapter === "lexicon",
    study_id: study?.study.id ?? null,
    study_sha256: study?.study_sha256 ?? null,
    judge_position: position === undefined || position === -1 ? null : position,
    run_ids: plan.sources.map(({ run_id }) => run_id),
    run_date:
      plan.sources
        .map(({ run_date }) => run_date)
        .sort()
        .at(-1) ?? "",
    model_ids: [...new Set(plan.conversations.map(({ model_id }) => model_id))].sort(),
    plan_sha256,
    seal_sha256,
    engine_version: plan.engine_version,
    rules_version: plan.rules_version,
    conversations: plan.conversations.length,
    checks: plan.checks.length,
    ...counts.totals(),
    requests: plan.requests.distinct * judge.repeats,
    observations: plan.requests.observations,
    ...totals,
    estimated_cost_usd: plan.estimate.estimated_cost_usd,
    estimate_method: plan.estimate.method,
    labeled_judgments: bound.length,
    mismatches: bound.filter((row) => row.mismatch !== null).length,
    expectations_agreed: counted.filter((row) => row.correct === true).length,
    expectations_counted: counted.length,
    attachment_status: labels.status,
    attachment_reason: labels.reason,
    suspect_turns: plan.conversations.reduce((sum, { suspect_turns }) => sum + suspect_turns.length, 0),
    ...seenShare(seen),
  };
}

/** Over all studies among the sources; null where a register does not say of each. */
function seenShare(seen: readonly (SourceSeen | null)[]): Pick<Row<"scans">, "seen_numerator" | "seen_denominator"> {
  const labels = seen.flatMap((source) => (source === null ? [] : [source.scan.seen]));
  if (labels.length === 0 || labels.includes(null)) return { seen_numerator: null, seen_denominator: null };
  return {
    seen_numerator: labels.reduce((sum, label) => sum + (label?.numerator ?? 0), 0),
    seen_denominator: labels.reduce((sum, label) => sum + (label?.denominator ?? 0), 0),
  };
}
