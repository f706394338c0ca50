import { readText } from "../canon/files.ts";
import { parseJson, parseWith } from "../canon/json.ts";
import { confined } from "../canon/paths.ts";
import { applyContext } from "../evidence/policy.ts";
import { observe } from "../evidence/observations.ts";
import { effectsOf } from "../rules/index.ts";
import { readConversation, readJudgments, readRequestLines, type Bundle } from "../scan/bundle.ts";
import { scanIdOf } from "../scan/identity.ts";
import type { Judgment } from "../schema/judgment.ts";
import type { AnswerValue, Observation, RequestLine } from "../schema/request.ts";
import { RenderedStudy } from "../schema/study.ts";
import type { Conversation } from "../schema/transcript.ts";
import { optionAnswers } from "./answer-rows.ts";
import { checkRow, questionRows } from "./check-rows.ts";
import { Labels } from "./expectation-rows.ts";
import { trivialRows } from "./power-rows.ts";
import { groups, inOrder } from "./lockstep.ts";
import { openJournal, type RequestLedger } from "./request-rows.ts";
import { scanRow, VerdictCounts } from "./scan-rows.ts";
import type { Row } from "./schema.ts";
import type { Sink } from "./sink.ts";
import { isSeenCase, type SourceSeen } from "./seen.ts";
import { caseRows, pairRows, studyRow } from "./study-rows.ts";

interface Saved {
  observation: Observation;
  check_id: string;
  input_sha256: string;
  /** By repeat; undefined where never answered. */
  values: (AnswerValue | undefined)[];
  uncovered: boolean;
}

/** A conversation with what the scan holds about it. */
interface Judged {
  index: number;
  row: Row<"conversations">;
  /** As the judge's context policy shows it. */
  conversation: Conversation;
  judgments: readonly Judgment[];
  saved: ReadonlyMap<string, Saved>;
}

/** A finished scan with what its tables are derived from besides its own files. */
export interface SealedScan {
  bundle: Bundle;
  seal_sha256: string;
  /** By source; null where it renders no study. */
  studies: readonly (RenderedStudy | null)[];
  seen: readonly (SourceSeen | null)[];
}

/** The studies a bundle froze, by source. */
export function studiesOf({ directory, plan }: Bundle): (RenderedStudy | null)[] {
  return plan.sources.map((source) => {
    if (source.study === undefined) return null;
    const file = confined(directory, source.study.path);
    return parseWith(RenderedStudy, parseJson(readText(file), { file }), { file });
  });
}

/**
 * Every row of a finished scan, conversation by conversation: no more than one conversation's answers are in
 * memory. The caller has verified the bundle. Throws what reading throws; a place without an observation, or the
 * reverse, is a mismatch of engine and plan and throws. Answers the row of the scan itself.
 */
export async function addScanRows(
  { bundle, seal_sha256, studies, seen }: SealedScan,
  sink: Sink,
): Promise<Row<"scans">> {
  const { directory, plan, plan_sha256 } = bundle;
  const scan_id = scanIdOf(plan, plan_sha256);
  const byModel = new Map(
    plan.conversations.flatMap(({ model_id, source }) => {
      const study = studies[source] ?? null;
      return study === null ? [] : [[model_id, study] as const];
    }),
  );
  for (const check of plan.checks) {
    sink.add("checks", checkRow(check));
    for (const question of questionRows(check)) sink.add("questions", question);
  }
  for (const [source, study] of studies.entries()) {
    if (study === null) continue;
    sink.add("studies", studyRow(study));
    for (const row of caseRows(study, seen[source]?.study)) sink.add("cases", row);
    for (const row of pairRows(study)) sink.add("pairs", row);
  }
  for await (const row of trivialRows(bundle, scan_id, studies)) sink.add("trivial_verdicts", row);
  const labels = new Labels(scan_id, bundle, byModel);
  const counts = new VerdictCounts();
  const { ledger, answers } = await openJournal(bundle);
  const judgments = groups(readJudgments(directory), (judgment) => judgment.conversation);
  const inventory = inOrder(readRequestLines(directory, plan), (lines) => lines[0]?.conversation ?? -1);
  try {
    for (const index of plan.conversations.keys()) {
      const full = readConversation(directory, plan, index);
      const conversation = applyContext(full, plan.judge.context);
      const row = conversationRow(bundle, scan_id, studies, seen, index);
      const judged: Judged = {
        index,
        row,
        conversation,
        judgments: (await judgments(index)) ?? [],
        saved: savedAnswers(bundle, conversation, (await inventory(index)) ?? [], ledger, answers.get.bind(answers)),
      };
      sink.add("conversations", row);
      addTurns(row.transcript_sha256, full, sink);
      addAnswers(bundle, judged, sink);
      addJudgments(bundle, judged, sink, (judgment) => {
        labels.meet(judgment);
        counts.add(judgment);
      });
    }
  } finally {
    answers.close();
  }
  for (const row of ledger.rows(scan_id, plan.judge.repeats)) sink.add("requests", row);
  const expectations = labels.rows();
  for (const row of expectations) sink.add("expectations", row);
  const scan = scanRow({
    bundle,
    scan_id,
    seal_sha256,
    studies,
    seen,
    counts,
    labels,
    expectations,
    totals: ledger.totals(),
  });
  sink.add("scans", scan);
  return scan;
}

function conversationRow(
  { plan }: Bundle,
  scan_id: string,
  studies: readonly (RenderedStudy | null)[],
  seen: readonly (SourceSeen | null)[],
  index: number,
): Row<"conversations"> {
  const planned = plan.conversations[index]!;
  const source = plan.sources[planned.source]!;
  return {
    scan_id,
    conversation: `${planned.model_id}/${planned.scenario_id}`,
    position: index,
    claim: plan.claim,
    is_fixture: source.harness === "fixture" || source.mode === "authored",
    study_id: studies[planned.source]?.study.id ?? null,
    run_id: source.run_id,
    harness: source.harness,
    mode: source.mode,
    run_date: source.run_date,
    model: planned.model,
    model_id: planned.model_id,
    scenario_id: planned.scenario_id,
    category: planned.category,
    transcript_sha256: planned.transcript.sha256,
    evidence_context_sha256: planned.evidence_context_sha256,
    persistent_memory: planned.persistent_memory,
    turns: planned.turns,
    assistant_turns: planned.assistant_turns,
    seen: isSeenCase(seen[planned.source]?.scan, planned.scenario_id),
    suspect_turns: planned.suspect_turns.map(({ turn, kind, detail }) => `${turn} ${kind}: ${detail}`),
  };
}

function addTurns(transcript_sha256: string, { turns }: Conversation, sink: Sink): void {
  turns.forEach(({ role, turn, content, task, ...extra }, position) => {
    sink.add("turns", {
      transcript_sha256,
      position,
      role,
      turn,
      content,
      task: task === undefined ? null : JSON.stringify(task),
      extra: Object.keys(extra).length === 0 ? null : JSON.stringify(extra),
    });
  });
}

function savedAnswers(
  { plan }: Bundle,
  conversation: Conversation,
  lines: readonly RequestLine[],
  ledger: RequestLedger,
  answer: (
    input: string,
    repeat: number,
  ) => { answers: Record<string, AnswerValue>; uncovered?: string[] | undefined } | undefined,
): Map<string, Saved> {
  const observed = new Map<string, { observation: Observation; check_id: string }>();
  for (const { check, id } of plan.checks)
    for (const observation of observe(check, conversation))
      observed.set(placeOf(observation), { observation, check_id: id });
  const saved = new Map<string, Saved>();
  for (const line of lines) {
    ledger.use(line);
    const repeats = Array.from({ length: plan.judge.repeats }, (_, repeat) => answer(line.input_sha256, repeat));
    line.places.forEach((place, i) => {
      const found = observed.get(placeOf(place));
      if (found === undefined) throw new Error(`the plan asks ${placeOf(place)}, which this engine does not observe`);
      const name = `q${i + 1}`;
      saved.set(placeOf(place), {
        ...found,
        input_sha256: line.input_sha256,
        values: repeats.map((given) => given?.answers[name]),
        uncovered: repeats.some((given) => given?.uncovered?.includes(name) === true),
      });
    });
  }
  return saved;
}

function addAnswers({ plan }: Bundle, { row, saved }: Judged, sink: Sink): void {
  const { scan_id, conversation } = row;
  for (const { observation, check_id, input_sha256, values, uncovered } of saved.values()) {
    const { role, turn, key, question, type, sentence, reference_turn, detail } = observation;
    values.forEach((value, repeat) => {
      for (const answer of optionAnswers(observation, value, plan.judge.thresholds))
        sink.add("answers", {
          scan_id,
          conversation,
          check_id,
          question,
          role,
          turn,
          key,
          sentence: sentence ?? null,
          reference_turn: reference_turn ?? null,
          detail: detail === undefined ? null : `${detail.list}/${detail.index}`,
          type,
          ...answer,
          uncovered,
          repeat,
          input_sha256,
        });
    });
  }
}

function addJudgments({ plan }: Bundle, judged: Judged, sink: Sink, seen: (judgment: Judgment) => void): void {
  const { row, judgments, saved, conversation } = judged;
  const { thresholds } = plan.judge;
  const checks = new Map(plan.checks.map((check) => [check.id, check]));
  const open = new Map<string, number>();
  for (const { observation, check_id, values } of saved.values())
    if (values[0] !== undefined && optionAnswers(observation, values[0], thresholds).some(({ resolved }) => !resolved))
      open.set(check_id, (open.get(check_id) ?? 0) + 1);
  for (const judgment of judgments) {
    const check = checks.get(judgment.check_id);
    if (check === undefined) throw new Error(`a judgment names ${judgment.check_id}, which the plan does not hold`);
    seen(judgment);
    const place = { scan_id: row.scan_id, conversation: row.conversation, check_id: judgment.check_id };
    sink.add("judgments", {
      ...place,
      layer: check.layer,
      dimension: check.dimension,
      claim: row.claim,
      is_fixture: row.is_fixture,
      study_id: row.study_id,
      model_id: row.model_id,
      scenario_id: row.scenario_id,
      category: row.category,
      verdict: judgment.verdict,
      possible: judgment.possible,
      asked: judgment.asked,
      open: open.get(judgment.check_id) ?? 0,
      rationale: judgment.rationale,
      spans: judgment.evidence.length,
      check_sha256: judgment.check_sha256,
      transcript_sha256: judgment.transcript_sha256,
      evidence_context_sha256: judgment.evidence_context_sha256,
    });
    judgment.evidence.forEach(({ role, turn, start, end, quote, kind }, position) => {
      sink.add("evidence", { ...place, position, role, turn, span_start: start, span_end: end, quote, kind });
    });
    if (judgment.verdict !== "UNCLEAR") continue;
    const lookup = (observation: Observation): AnswerValue | undefined => saved.get(placeOf(observation))?.values[0];
    for (const { observation, possible, resolutions } of effectsOf(check.check, conversation, lookup, thresholds))
      for (const { resolution, possible: then } of resolutions)
        sink.add("effects", {
          ...place,
          question: observation.question,
          role: observation.role,
          turn: observation.turn,
          key: observation.key,
          resolution,
          possible_now: possible,
          possible_then: then,
          shrinks: then.length < possible.length,
          stake: possible.join("|"),
        });
  }
}

function placeOf({ role, turn, key }: { role: string; turn: number; key: string }): string {
  return `${role}:${turn} ${key}`;
}
