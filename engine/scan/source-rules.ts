import { join } from "node:path";
import { AssayError } from "../canon/errors.ts";
import type { RunManifest, TranscriptRun } from "../schema/source.ts";

export const MANIFEST_FILE = "run_manifest.json";
export const SUMMARY_FILE = "transcript_run.json";

/** Where a run came from: authored cases, loose files of a probe, or a target model's conversations. */
export type SourceKind = "authored" | "probe" | "target";

const PAIRED = [
  ["fixture", "authored", "authored"],
  ["probe", "loose", "probe"],
] as const;

export function sourceKind({ harness, mode }: { harness: string; mode: string }): SourceKind {
  return PAIRED.find((pair) => pair[0] === harness && pair[1] === mode)?.[2] ?? "target";
}

/** The manifest and the summary were written apart: refuse a run in which they do not say the same. */
export function checkAgreement(directory: string, manifest: RunManifest, summary: TranscriptRun): void {
  const file = join(directory, SUMMARY_FILE);
  const disagree = (problem: string, numbers: Record<string, unknown>): AssayError =>
    new AssayError("source_disagrees", problem, {
      file,
      fix: "make the summary and the manifest describe one run",
      ...numbers,
    });
  if (summary.run_id !== manifest.run_id)
    throw disagree(`run_id ${quote(summary.run_id)} is not the manifest's ${quote(manifest.run_id)}`, {
      summary: summary.run_id,
      manifest: manifest.run_id,
    });
  if (summary.transcript_count !== summary.transcripts.length)
    throw disagree(`transcript_count is ${summary.transcript_count}, but ${summary.transcripts.length} are listed`, {
      transcript_count: summary.transcript_count,
      listed: summary.transcripts.length,
    });
  for (const [name, listed, used] of [
    ["model_ids", manifest.model_ids, summary.transcripts.map((entry) => entry.model_id)],
    ["scenario_ids", manifest.scenario_ids, summary.transcripts.map((entry) => entry.scenario_id)],
  ] as const) {
    const unlisted = used.find((id) => !listed.includes(id));
    if (unlisted !== undefined)
      throw disagree(`${quote(unlisted)} is not among the manifest's ${name}`, { id: unlisted });
    const unused = listed.find((id) => !used.includes(id));
    if (unused !== undefined)
      throw disagree(`lists no transcript for ${quote(unused)} of the manifest's ${name}`, { id: unused });
  }
  for (const [name, given] of [
    ["harness", manifest.harness],
    ["mode", manifest.mode],
  ] as const)
    if (given !== given.trim().toLowerCase())
      throw new AssayError("bad_harness", `${name} ${quote(given)} is not in lower case`, {
        file: join(directory, MANIFEST_FILE),
        fix: `write ${quote(given.trim().toLowerCase())}: what is authored must not pass for something else`,
      });
  const posing = manifest.model_ids.find((id) => /^\s*fixture\//i.test(id));
  if (posing !== undefined && sourceKind(manifest) !== "authored")
    throw new AssayError("bad_harness", `model_id ${quote(posing)} is one of authored cases`, {
      file: join(directory, MANIFEST_FILE),
      fix: 'set harness "fixture", mode "authored", or name the model that spoke',
    });
  for (const [harness, mode] of PAIRED)
    if ((manifest.harness === harness) !== (manifest.mode === mode))
      throw new AssayError("bad_harness", `harness ${quote(harness)} and mode ${quote(mode)} only occur together`, {
        file: join(directory, MANIFEST_FILE),
        fix:
          harness === "fixture"
            ? "authored cases can never stand among target-model conversations"
            : "name the harness that made it",
        harness: manifest.harness,
        mode: manifest.mode,
      });
  if (manifest.study !== undefined && sourceKind(manifest) !== "authored")
    throw new AssayError("bad_harness", 'names a study, but is not harness "fixture", mode "authored"', {
      file: join(directory, MANIFEST_FILE),
    });
}

/** Each conversation once, each from its own file, with memory only where the run declares it. */
export function checkEntries(directory: string, manifest: RunManifest, summary: TranscriptRun): void {
  const declared = manifest.transcript_policy.persistent_memory;
  if (declared && !(manifest.harness === "product" && manifest.mode === "committed"))
    throw new AssayError(
      "memory_undeclared",
      'declares persistent memory, which only harness "product", mode "committed" may',
      {
        file: join(directory, MANIFEST_FILE),
        fix: "set transcript_policy.persistent_memory to false, or record the run with the product's own harness",
        harness: manifest.harness,
        mode: manifest.mode,
      },
    );
  const file = join(directory, SUMMARY_FILE);
  const seen = new Set<string>();
  const paths = new Set<string>([
    MANIFEST_FILE,
    SUMMARY_FILE,
    ...(manifest.study === undefined ? [] : [manifest.study.path]),
  ]);
  for (const { model_id, scenario_id, transcript_path, memory_evidence } of summary.transcripts) {
    const key = JSON.stringify([model_id, scenario_id]);
    if (seen.has(key)) throw duplicate(file, model_id, scenario_id);
    seen.add(key);
    if (paths.has(transcript_path))
      throw new AssayError("duplicate_path", `lists ${quote(transcript_path)} twice`, {
        file,
        fix: "give each conversation its own transcript",
      });
    paths.add(transcript_path);
    if (memory_evidence !== undefined && !declared)
      throw new AssayError(
        "memory_undeclared",
        `${model_id} ${scenario_id} carries memory_evidence, but the manifest declares no persistent memory`,
        {
          file,
          fix: "remove it, or declare transcript_policy.persistent_memory",
        },
      );
  }
}

export function duplicate(file: string, model_id: string, scenario_id: string): AssayError {
  return new AssayError(
    "duplicate_conversation",
    `model ${quote(model_id)}, scenario ${quote(scenario_id)} occurs twice`,
    {
      file,
      fix: "a scan holds each (model_id, scenario_id) once; plan them apart or rename one",
      model_id,
      scenario_id,
    },
  );
}

function quote(text: string): string {
  return JSON.stringify(text);
}
