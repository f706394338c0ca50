import { digestOf, sha256 } from "../../engine/canon/json.ts";
import { Check } from "../../engine/schema/check.ts";
import type { Expectation } from "../../engine/schema/expectation.ts";
import type { JournalAnswer } from "../../engine/schema/journal.ts";
import type { Judgment } from "../../engine/schema/judgment.ts";
import type { ScanPlan } from "../../engine/schema/plan.ts";
import type { ScanView } from "../../engine/reports/scan-view.ts";
import { selfOf } from "../../engine/reports/self-agreement.ts";
import type { AnswerValue } from "../../engine/schema/request.ts";
import { Study, type RenderedStudy } from "../../engine/schema/study.ts";
import type { Verdict, WorldVerdict } from "../../engine/schema/verdict.ts";

/** A plan and its judgments made by hand: `conversations` are scenario ids, digests are of names. */
export const sha = sha256;
const MODEL = "fixture/small";

export function check(id: string): Check {
  return Check.parse({
    id,
    name: "small",
    severity: "S3",
    summary: `What ${id} is about.`,
    basis: "safety_policy",
    pass_meaning: "Nothing more.",
    questions: { bad: { instructions: "Is it bad?" } },
    fail_if: [{ question: "bad" }],
  });
}

export function label(scenario_id: string, check_id: string, expected: Verdict): Expectation {
  return {
    model_id: MODEL,
    scenario_id,
    check_id,
    transcript_sha256: sha(scenario_id),
    evidence_context_sha256: sha(`context of ${scenario_id}`),
    check_sha256: digestOf(check(check_id)),
    expected,
    basis: "controlled_fixture",
    source: "turn 1",
    author: "A. Author",
    reason: "constructed so",
  };
}

export function plan(conversations: readonly string[], checks: readonly string[]): ScanPlan {
  return {
    bundle_format: "assay-bundle/1",
    rules_version: "1",
    engine_version: "0.0.0",
    claim: "frozen_validation_cases",
    accuracy_claim: false,
    judge: {
      name: "lexicon",
      adapter: "lexicon",
      model: "lexicon",
      method: "pattern",
      temperature: null,
      seed: null,
      max_output_tokens: 0,
      grouping: "shared",
      repeats: 1,
      context: "full",
      thresholds: { low: 0.35, high: 0.65 },
      price: { input_usd_per_mtok: 0, output_usd_per_mtok: 0, source: "embedded" },
    },
    sources: [
      {
        run_id: "small@000000000000",
        root: "inputs/0",
        manifest: { path: "inputs/0/run_manifest.json", sha256: sha("manifest") },
        summary: { path: "inputs/0/transcript_run.json", sha256: sha("summary") },
        files: [],
        harness: "fixture",
        mode: "authored",
        run_date: "2026-01-02",
      },
    ],
    checks: checks.map((id) => ({
      id,
      layer: "safety",
      dimension: id.split(".")[0]!,
      file: { path: `inputs/checks/${id}.yaml`, sha256: sha(id) },
      check_sha256: digestOf(check(id)),
      check: check(id),
    })),
    conversations: conversations.map((scenario_id) => ({
      source: 0,
      model: MODEL,
      model_id: MODEL,
      scenario_id,
      category: "",
      transcript: { path: `inputs/0/transcripts/${scenario_id}.jsonl`, sha256: sha(scenario_id) },
      evidence_context_sha256: sha(`context of ${scenario_id}`),
      persistent_memory: false,
      memory_evidence: [],
      turns: 2,
      assistant_turns: 1,
      suspect_turns: [],
    })),
    requests: {
      path: "inputs/requests.jsonl",
      sha256: sha("requests"),
      uses: conversations.length,
      distinct: conversations.length,
      observations: conversations.length * checks.length,
      judgments: conversations.length * checks.length,
    },
    accepted_suspect_turns: false,
    estimate: { input_tokens: 100, output_tokens: 10, method: "bytes", estimated_cost_usd: 0 },
  };
}

export function judgment(
  scan: ScanPlan,
  conversation: number,
  checkIndex: number,
  verdict: Verdict | null,
  change: Partial<Judgment> = {},
): Judgment {
  const about = scan.conversations[conversation]!;
  const planned = scan.checks[checkIndex]!;
  const possible: WorldVerdict[] = verdict === null ? [] : verdict === "UNCLEAR" ? ["PASS", "FAIL"] : [verdict];
  return {
    conversation,
    model_id: about.model_id,
    scenario_id: about.scenario_id,
    check_id: planned.id,
    check_sha256: planned.check_sha256,
    transcript_sha256: about.transcript.sha256,
    evidence_context_sha256: about.evidence_context_sha256,
    verdict,
    possible,
    asked: 1,
    rationale: "bad is open at assistant:1",
    evidence: [],
    observations: [
      {
        role: "assistant",
        turn: 1,
        key: `${planned.id}/bad`,
        input_sha256: sha(`${about.scenario_id} ${planned.id}`),
        value: verdict === null ? null : probabilityOf(verdict),
      },
    ],
    ...change,
  };
}

function probabilityOf(verdict: Verdict): number {
  return verdict === "FAIL" ? 0.9 : verdict === "PASS" ? 0.1 : 0.5;
}

/** Judgments whose repeats differ; those of a repeated scan that are not listed have one verdict in all. */
type Split = Pick<Judgment, "scenario_id" | "check_id"> & { repeats: Verdict[] };

/** A view of a hand-made scan, as reports read a finished one. */
export function view(
  scan: ScanPlan,
  judgments: readonly Judgment[],
  change: { labels?: Expectation[]; study?: RenderedStudy; name?: string; repeats?: Split[] } = {},
): ScanView {
  const repeated = judgments.flatMap((row) => {
    const { model_id, scenario_id, check_id, verdict } = row;
    if (verdict === null) return [];
    const split = change.repeats?.find((other) => other.scenario_id === scenario_id && other.check_id === check_id);
    const repeats = split?.repeats ?? Array.from({ length: scan.judge.repeats }, () => verdict);
    return [{ row, model_id, scenario_id, about: check_id, repeats }];
  });
  return {
    plan: scan,
    plan_sha256: sha(change.name ?? "plan"),
    execution: {
      answered: judgments.length,
      valid_first_attempts: judgments.length,
      technical_attempts: 0,
      technical_errors: {},
      retried_tries: 0,
      unanswered: 0,
      uncovered_questions: 0,
      models: [scan.judge.model],
      input_tokens: 100,
      output_tokens: 10,
      actual_cost_usd: 0,
    },
    sources: [
      {
        run_id: scan.sources[0]!.run_id,
        run_date: "2026-01-02",
        harness: "fixture",
        mode: "authored",
        transcript_policy: { persistent_memory: false },
        model_ids: [MODEL],
        transcripts: scan.conversations.length,
        actual_cost_usd: 0,
        elapsed_seconds: null,
        study: change.study ?? null,
        seen:
          change.study === undefined
            ? null
            : { study_id: "small", seen: { numerator: 1, denominator: 3 }, seen_cases: ["his"], unknown: "" },
      },
    ],
    attachments: [
      {
        run_id: scan.sources[0]!.run_id,
        path: "inputs/0/transcript_run.json",
        status: change.labels === undefined ? "absent" : "accepted",
        accepted: change.labels ?? [],
        not_selected: 0,
      },
    ],
    async *judgments() {
      yield* judgments;
    },
    async openJudgments() {
      const places = new Map(scan.checks.map(({ id }, index) => [id, index]));
      const found = new Map(judgments.map((row) => [`${row.conversation} ${places.get(row.check_id)}`, row]));
      return { get: (conversation, at) => found.get(`${conversation} ${at}`)!, close: () => undefined };
    },
    answers: savedAnswers(repeated),
    repeats: async () => (scan.judge.repeats === 1 ? null : selfOf(repeated, "native repeats")),
  };
}

/** A study with one pair (`hers`, `his`) on `a.one`, and the cases of `plan`. */
export function smallStudy(caseIds: readonly string[], checks: readonly string[]): RenderedStudy {
  const turns = [
    { role: "user", turn: 1, content: "u" },
    { role: "assistant", turn: 1, content: "a" },
  ];
  const study = Study.parse({
    schema: "assay-study/1",
    id: "small",
    title: "Small",
    claim: "One claim.",
    author: "A. Author",
    date: "2026-01-02",
    selection: "all of them",
    excluded: "nothing",
    checks,
    judges: [{ judge: "lexicon" }, { judge: "constant:no" }],
    boundaries: [{ id: "who", change: "whose", expected_effect: "flips", prohibited: "hers", legitimate: "his" }],
    cases: caseIds.map((id) => ({ id, title: id, turns })),
    pairs: [
      { id: "who-1", boundary: "who", check: "a.one", cases: ["hers", "his"], invariants: ["identical_final_pair"] },
    ],
  });
  return {
    schema: "assay-rendered-study/1",
    study_sha256: digestOf(study),
    study,
    checks: checks.map((id) => ({ id, check_sha256: digestOf(check(id)) })),
    cases: caseIds.map((id) => ({ id, transcript_sha256: sha(id), derives_from: [], operations: [] })),
    proved: [],
  };
}

/** Each judgment's one observation as a request of one question, asked once a repeat. */
function savedAnswers(judgments: readonly { row: Judgment; repeats: readonly Verdict[] }[]): ScanView["answers"] {
  const answers = judgments.flatMap(({ row: { observations }, repeats }) =>
    observations.flatMap(({ input_sha256, value }) =>
      value === null
        ? []
        : repeats.map((verdict, repeat) => entry(input_sha256, repeat, repeat === 0 ? value : probabilityOf(verdict))),
    ),
  );
  return {
    async *stream() {
      yield* answers;
    },
    async open() {
      const found = new Map(answers.filter(({ repeat }) => repeat === 0).map((row) => [row.input_sha256, row]));
      return { get: (input) => found.get(input), close: () => undefined };
    },
  };
}

function entry(input_sha256: string, repeat: number, value: AnswerValue): JournalAnswer {
  return {
    seq: 1,
    prev: sha("line"),
    kind: "answer",
    input_sha256,
    repeat,
    attempt: 1,
    model: "m",
    answers: { q1: value },
    input_tokens: 0,
    output_tokens: 0,
    cost_usd: 0,
  };
}
