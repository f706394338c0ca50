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
import type { LoadedStudy } from "./load.ts";
import { planStudyForAll } from "./plan.ts";
import { addSeen, addWave, readRegister, registerOf } from "./register.ts";
import { seenCases } from "./seen-cases.ts";

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
