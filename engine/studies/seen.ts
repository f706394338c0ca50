import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { readText } from "../canon/files.ts";
import { digestOf, parseJson, parseWith } from "../canon/json.ts";
import { confined } from "../canon/paths.ts";
import { answerKey, openAnswers } from "../scan/answers.ts";
import { readPlan, readRequestLines } from "../scan/bundle.ts";
import type { SeenRow, Wave } from "../schema/seen.ts";
import { RenderedStudy } from "../schema/study.ts";
import { loadStudy, type LoadedStudy } from "./load.ts";
import { planStudyForAll } from "./plan.ts";
import { addSeen, addWave, readRegister, registerOf, type Register } from "./register.ts";
import { renderCases } from "./render.ts";

export interface SeenCase {
  case_id: string;
  transcript_sha256: string;
  seen: boolean;
  /** The rows that make it so. */
  by: SeenRow[];
}

/**
 * Whether each case of a study was seen before a plan was frozen; without a plan, whether it is now. A case is seen
 * if it, a case it derives from, or its namesake in a study this one revises has a row outside the plan's wave; the
 * same bytes under any name are the same case. Which check, question, threshold or judge it was makes no difference.
 */
export function seenCases(loaded: LoadedStudy, register: Register, plan_sha256?: string): SeenCase[] {
  const { id } = loaded.study;
  const wave = register.waves.find((row) => row.study === id && row.plans.some((plan) => plan.plan_sha256 === plan_sha256));
  const own = new Set(wave?.plans.map((plan) => plan.plan_sha256) ?? (plan_sha256 === undefined ? [] : [plan_sha256]));
  const before = wave?.register.rows ?? 0;
  const outside = register.rows.filter((row, i) => i < before || !own.has(row.plan_sha256));
  const lineage = lineageOf(loaded);
  return renderCases(loaded).map(({ id: case_id, transcript_sha256 }) => {
    const related = lineage(case_id);
    const by = outside.filter(
      (row) => related.places.has(JSON.stringify([row.study, row.case])) || related.transcripts.has(row.transcript_sha256),
    );
    return { case_id, transcript_sha256, seen: by.length > 0, by };
  });
}

export function isSeen(loaded: LoadedStudy, caseId: string, register: Register, plan_sha256?: string): boolean {
  return seenCases(loaded, register, plan_sha256).some(({ case_id, seen }) => case_id === caseId && seen);
}

interface Related {
  /** `[study, case]` as JSON. */
  places: Set<string>;
  transcripts: Set<string>;
}

/** A case with its ancestors, here and in every older study that is revised. */
function lineageOf(loaded: LoadedStudy): (caseId: string) => Related {
  const studies: { id: string; cases: Map<string, { transcript_sha256: string; derives_from: string[] }> }[] = [];
  const visited = new Set<string>();
  for (let at: LoadedStudy | undefined = loaded; at !== undefined; ) {
    const { id, revises }: LoadedStudy["study"] = at.study;
    visited.add(id);
    studies.push({ id, cases: new Map(renderCases(at).map((row) => [row.id, row])) });
    if (revises === undefined || visited.has(revises)) break;
    const older: string = join(registerOf(loaded), revises);
    // The older study's files may be gone; its rows still name its cases.
    if (!existsSync(join(older, "study.yaml"))) {
      studies.push({ id: revises, cases: new Map() });
      break;
    }
    at = loadStudy(older);
  }
  return (caseId) => {
    const related: Related = { places: new Set(), transcripts: new Set() };
    const names = new Set([caseId]);
    for (const { id, cases } of studies) {
      for (const name of [...names]) for (const ancestor of cases.get(name)?.derives_from ?? []) names.add(ancestor);
      for (const name of names) {
        related.places.add(JSON.stringify([id, name]));
        const sha = cases.get(name)?.transcript_sha256;
        if (sha !== undefined) related.transcripts.add(sha);
      }
    }
    return related;
  };
}

/** The study a scan was rendered from; undefined for other sources. */
export function studyOf(directory: string, plan: ReturnType<typeof readPlan>["plan"]): RenderedStudy | undefined {
  const study = plan.sources[0]?.study;
  if (study === undefined) return undefined;
  const file = confined(directory, study.path);
  return parseWith(RenderedStudy, parseJson(readText(file), { file }), { file });
}

/**
 * Put the cases of a scan that have an answer on record, finished or not. Nothing where the scan is not of a study
 * that lies below `studiesDirectory`: a register is kept by who keeps the study.
 */
export async function recordSeen(scan: string, studiesDirectory: string): Promise<{ study_id: string; added: SeenRow[] } | undefined> {
  const { directory, plan, plan_sha256 } = readPlan(scan);
  const study = studyOf(directory, plan);
  if (study === undefined || !existsSync(join(studiesDirectory, study.study.id, "study.yaml"))) return undefined;
  const answers = await openAnswers(directory);
  answers.close();
  const asked = new Set<number>();
  for await (const lines of readRequestLines(directory, plan))
    for (const { conversation, input_sha256 } of lines)
      if (answers.index.answers.has(answerKey(input_sha256, 0))) asked.add(conversation);
  const rows = plan.conversations.flatMap(({ scenario_id, transcript }, index) =>
    asked.has(index)
      ? [{ study: study.study.id, case: scenario_id, transcript_sha256: transcript.sha256, plan_sha256 }]
      : [],
  );
  return { study_id: study.study.id, added: addSeen(studiesDirectory, rows) };
}

/** Record plans as one wave; undefined where every case is seen already, so that no wave could change it. */
export function recordWave(
  loaded: LoadedStudy,
  bundles: readonly { plan: { judge: { name: string; context: string } }; plan_sha256: string }[],
): Wave | undefined {
  const directory = registerOf(loaded);
  if (seenCases(loaded, readRegister(directory)).every(({ seen }) => seen)) return undefined;
  return addWave(directory, {
    study: loaded.study.id,
    study_sha256: digestOf(loaded.study),
    plans: bundles.map(({ plan, plan_sha256 }) => ({ judge: plan.judge.name, context: plan.judge.context, plan_sha256 })),
  });
}

/** Freeze the plans of every judge a study lists, keep their digests, and leave the making of scans to the caller. */
export async function freezeWave(loaded: LoadedStudy, checksDir: string): Promise<Wave | undefined> {
  if (seenCases(loaded, readRegister(registerOf(loaded))).every(({ seen }) => seen)) return undefined;
  const scratch = mkdtempSync(join(tmpdir(), "assay-wave-"));
  try {
    return recordWave(loaded, await planStudyForAll(loaded, { output: join(scratch, "plans"), checksDir }));
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
}
