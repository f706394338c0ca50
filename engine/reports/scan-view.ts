import { join } from "node:path";
import { readText } from "../canon/files.ts";
import { parseJson, parseLine, parseWith } from "../canon/json.ts";
import { readJsonl } from "../canon/lines.ts";
import { confined } from "../canon/paths.ts";
import { scanLines, SpanReader } from "../canon/spans.ts";
import { openAnswers } from "../scan/answers.ts";
import { JOURNAL_FILE, JUDGMENTS_FILE } from "../scan/bundle.ts";
import { JournalEntry } from "../schema/journal.ts";
import { Judgment } from "../schema/judgment.ts";
import type { ScanPlan } from "../schema/plan.ts";
import { RunManifest, TranscriptRun } from "../schema/source.ts";
import { RenderedStudy } from "../schema/study.ts";
import { seenLabel, type SeenLabel } from "../studies/seen-label.ts";
import { embeddedExpectations, type Attachment } from "../validation/index.ts";
import type { SavedAnswers } from "./answer-changes.ts";
import { readExecution, type Execution } from "./execution.ts";
import { selfOfScan, type SelfAgreement } from "./self-agreement.ts";

/** What reports read of a finished scan. Judgments stream; everything else is small. */
export interface ScanView {
  plan: ScanPlan;
  plan_sha256: string;
  execution: Execution;
  sources: SourceView[];
  attachments: Attachment[];
  judgments(): AsyncIterable<Judgment>;
  /** Judgments in any order; memory holds where each begins. Close it when done. */
  openJudgments(): Promise<JudgmentsByPlace>;
  answers: SavedAnswers;
  /** The verdicts of every repeat beside each other; null where the judge was asked once. */
  repeats(): Promise<SelfAgreement | null>;
}

export interface JudgmentsByPlace {
  /** Indices into the plan's conversations and checks. */
  get(conversation: number, check: number): Judgment;
  close(): void;
}

/** How a source's conversations came to be, as its own files say. */
export interface SourceView {
  run_id: string;
  run_date: string;
  harness: string;
  mode: string;
  transcript_policy: Record<string, unknown>;
  model_ids: string[];
  transcripts: number;
  actual_cost_usd: number | null;
  elapsed_seconds: number | null;
  study: RenderedStudy | null;
  /** By the register as it is now; null where the source renders no study. */
  seen: SeenLabel | null;
}

/** The view of a bundle whose answers and judgments are written. `plan` is as read and digested by `scan`. */
export async function viewScan(directory: string, plan: ScanPlan, plan_sha256: string): Promise<ScanView> {
  return {
    plan,
    plan_sha256,
    execution: await readExecution(join(directory, JOURNAL_FILE)),
    sources: plan.sources.map((source) => viewSource(directory, source, plan_sha256)),
    attachments: embeddedExpectations(directory, plan),
    judgments: () => readJsonl(join(directory, JUDGMENTS_FILE), Judgment),
    openJudgments: () => judgmentsByPlace(join(directory, JUDGMENTS_FILE), plan),
    answers: savedAnswers(directory),
    repeats: async () => (plan.judge.repeats === 1 ? null : selfOfScan({ directory, plan, plan_sha256 })),
  };
}

/** A verified file of judgments has one line for each check of each conversation, in the plan's order. */
async function judgmentsByPlace(path: string, { conversations, checks }: ScanPlan): Promise<JudgmentsByPlace> {
  const starts = new Float64Array(conversations.length * checks.length + 1);
  let lines = 0;
  await scanLines(path, (_, { offset, length }) => {
    starts[lines++] = offset;
    starts[lines] = offset + length + 1;
  });
  const reader = new SpanReader(path);
  return {
    get(conversation, check) {
      const at = conversation * checks.length + check;
      const span = { offset: starts[at]!, length: starts[at + 1]! - starts[at]! - 1 };
      return parseLine(reader.read(span).toString("utf8"), Judgment, { file: path, line: at + 1 });
    },
    close: () => reader.close(),
  };
}

function savedAnswers(directory: string): SavedAnswers {
  return {
    async *stream() {
      for await (const entry of readJsonl(join(directory, JOURNAL_FILE), JournalEntry))
        if (entry.kind === "answer") yield entry;
    },
    async open() {
      const answers = await openAnswers(directory);
      return { get: (input) => answers.get(input, 0), close: () => answers.close() };
    },
  };
}

function viewSource(directory: string, source: ScanPlan["sources"][number], plan_sha256: string): SourceView {
  const manifest = parseWith(RunManifest, ...read(directory, source.manifest.path));
  const summary = parseWith(TranscriptRun, ...read(directory, source.summary.path));
  const study = source.study === undefined ? null : parseWith(RenderedStudy, ...read(directory, source.study.path));
  return {
    run_id: source.run_id,
    run_date: source.run_date,
    harness: source.harness,
    mode: source.mode,
    transcript_policy: manifest.transcript_policy,
    model_ids: manifest.model_ids,
    transcripts: summary.transcripts.length,
    actual_cost_usd: summary.actual_cost_usd,
    elapsed_seconds: summary.elapsed_seconds,
    study,
    seen: study === null ? null : seenLabel(study, plan_sha256),
  };
}

function read(directory: string, path: string): [unknown, { file: string }] {
  const file = confined(directory, path);
  return [parseJson(readText(file), { file }), { file }];
}
