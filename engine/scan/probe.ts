import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { AssayError } from "../canon/errors.ts";
import { readBytes } from "../canon/files.ts";
import { digestOf, sha256 } from "../canon/json.ts";
import { RUN_MANIFEST_SCHEMA, type RunManifest, type TranscriptRun } from "../schema/source.ts";
import { slugOf } from "./identity.ts";
import { planScan, type PlanOptions } from "./plan.ts";
import type { Bundle } from "./bundle.ts";

const UNRECORDED = "unrecorded";

export interface ProbeOptions extends Omit<PlanOptions, "sources" | "checkIds" | "filter" | "limit"> {
  checkId: string;
  /** Loose JSONL transcripts. */
  transcripts: readonly string[];
}

/**
 * Plan one check over loose transcripts. Nobody recorded which model made them or under which conditions, so the
 * source run says "unrecorded", and the scan claims no more than a development exemplar does.
 */
export async function planProbe({ checkId, transcripts, ...options }: ProbeOptions): Promise<Bundle> {
  const staging = mkdtempSync(join(tmpdir(), "assay-probe-"));
  try {
    writeRun(staging, transcripts);
    return await planScan({ ...options, sources: [staging], checkIds: [checkId] });
  } finally {
    rmSync(staging, { recursive: true, force: true });
  }
}

function writeRun(directory: string, transcripts: readonly string[]): void {
  mkdirSync(join(directory, "transcripts"));
  const cases = new Map<string, string>();
  for (const file of transcripts) {
    const id = slugOf(basename(file).replace(/\.jsonl$/, ""));
    if (cases.has(id))
      throw new AssayError("duplicate_conversation", `two transcripts are named ${JSON.stringify(id)}`, {
        file,
        fix: "rename one of them",
      });
    const bytes = readBytes(file);
    writeFileSync(join(directory, "transcripts", `${id}.jsonl`), bytes);
    cases.set(id, sha256(bytes));
  }
  const run_id = `probe-${digestOf([...cases.entries()]).slice(0, 12)}`;
  const manifest: RunManifest = {
    schema: RUN_MANIFEST_SCHEMA,
    run_id,
    run_date: UNRECORDED,
    harness: "probe",
    mode: "loose",
    transcript_policy: { persistent_memory: false },
    model_ids: [UNRECORDED],
    scenario_ids: [...cases.keys()],
  };
  const summary: TranscriptRun = {
    run_id,
    status: "completed",
    transcript_count: cases.size,
    transcripts: [...cases.keys()].map((id) => ({
      model: UNRECORDED,
      model_id: UNRECORDED,
      scenario_id: id,
      category: "",
      transcript_path: `transcripts/${id}.jsonl`,
    })),
    actual_cost_usd: null,
    elapsed_seconds: null,
  };
  writeFileSync(join(directory, "run_manifest.json"), `${JSON.stringify(manifest, null, 2)}\n`);
  writeFileSync(join(directory, "transcript_run.json"), `${JSON.stringify(summary, null, 2)}\n`);
}
