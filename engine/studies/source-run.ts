import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { canonicalJson, sha256 } from "../canon/json.ts";
import { evidenceContextSha256 } from "../evidence/context.ts";
import type { Expectation } from "../schema/expectation.ts";
import { RUN_MANIFEST_SCHEMA, type RunManifest, type TranscriptRun } from "../schema/source.ts";
import type { Study } from "../schema/study.ts";
import { studyRunId, type RenderedCase, type Rendering } from "./render.ts";

export const STUDY_FILE = "study.json";

/** The model_id of every case of a study; authored text is no model's. */
export function studyModelId(study: Pick<Study, "id">): string {
  return `fixture/${study.id}`;
}

/** The study's labels as full records, bound to the rendered transcripts and the given definitions. */
export function studyExpectations({ rendered, cases }: Rendering): Expectation[] {
  const { study } = rendered;
  const digests = new Map(rendered.checks.map((check) => [check.id, check.check_sha256]));
  const byId = new Map(cases.map((row) => [row.id, row]));
  return study.cases.flatMap((declared) => {
    const { transcript_sha256 } = byId.get(declared.id)!;
    return declared.expectations.map(({ check, expected, basis, source, author, reason }) => ({
      model_id: studyModelId(study),
      scenario_id: declared.id,
      check_id: check,
      transcript_sha256,
      evidence_context_sha256: evidenceContextSha256(transcript_sha256, { persistent_memory: false, evidence: [] }),
      check_sha256: digests.get(check)!,
      expected,
      basis,
      source,
      author,
      reason,
    }));
  });
}

/**
 * Write a rendered study as a fixture/authored source run into an empty directory. Equal renderings give equal
 * bytes: no clock, host or path is in it.
 */
export function writeSourceRun(directory: string, rendering: Rendering): void {
  const { rendered, cases } = rendering;
  const { study } = rendered;
  const run_id = studyRunId(rendered);
  const model_id = studyModelId(study);
  const studyBytes = `${canonicalJson(rendered)}\n`;
  const manifest: RunManifest = {
    schema: RUN_MANIFEST_SCHEMA,
    run_id,
    run_date: study.date,
    harness: "fixture",
    mode: "authored",
    transcript_policy: { persistent_memory: false, temperature: null, tools: [] },
    model_ids: [model_id],
    scenario_ids: cases.map(({ id }) => id),
    study: { path: STUDY_FILE, sha256: sha256(studyBytes) },
  };
  const summary: TranscriptRun = {
    run_id,
    status: "completed",
    transcript_count: cases.length,
    transcripts: cases.map(({ id }) => ({
      model: model_id,
      model_id,
      scenario_id: id,
      category: study.id,
      transcript_path: transcriptPath(id),
    })),
    actual_cost_usd: 0,
    elapsed_seconds: null,
    research_expectations: studyExpectations(rendering),
  };
  mkdirSync(join(directory, "transcripts"));
  writeFileSync(join(directory, STUDY_FILE), studyBytes);
  for (const { id, bytes } of cases) writeFileSync(join(directory, transcriptPath(id)), bytes);
  writeFileSync(join(directory, "run_manifest.json"), `${canonicalJson(manifest)}\n`);
  writeFileSync(join(directory, "transcript_run.json"), `${canonicalJson(summary)}\n`);
}

function transcriptPath(id: RenderedCase["id"]): string {
  return `transcripts/${id}.jsonl`;
}
