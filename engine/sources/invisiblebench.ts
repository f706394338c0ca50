import { z } from "zod";
import { AssayError } from "../canon/errors.ts";
import { readText } from "../canon/files.ts";
import { parseJson, parseWith, sha256 } from "../canon/json.ts";
import { parseTranscript } from "../evidence/transcript.ts";
import { Count, NonNegative, Sha256 } from "../schema/common.ts";
import type { FileFacts, ImportedConversation, Reading } from "./imported.ts";
import { itemsOf, memberOf, parseRawJson, spacedJson } from "./raw-json.ts";
import type { Tally } from "./tally.ts";

export const INVISIBLEBENCH_SCHEMA = "invisiblebench-model-transcripts/v1";

const SourceRun = z.object({
  artifact_id: z.string(),
  manifest_run_id: z.string(),
  benchmark_version: z.string(),
  git_sha: z.string(),
  run_date: z.string(),
  model_actual_cost_usd: NonNegative.nullable(),
});

const Transcript = z.object({
  scenario_id: z.string().min(1),
  scenario: z.string().optional(),
  category: z.string().default(""),
  sha256: Sha256,
  turns: z.array(z.unknown()).min(1),
});

const ModelTranscripts = z.object({
  schema: z.literal(INVISIBLEBENCH_SCHEMA),
  benchmark_version: z.string(),
  synthetic_scenarios: z.boolean().optional(),
  content_notice: z.string().optional(),
  model: z.string().min(1),
  model_id: z.string().min(1),
  scenario_hash: z.string().optional(),
  source_runs: z.array(SourceRun).default([]),
  transcript_count: Count,
  transcripts: z.array(Transcript).min(1),
});

/**
 * One `<model>.transcripts.json`. Every transcript is written again as its source wrote it, one turn a line, and
 * its SHA-256 compared with the recorded one; nothing is kept of a file in which one differs.
 * Throws `bad_source`, `source_disagrees`, `digest_mismatch` (naming the scenario) and what a transcript throws.
 */
export async function* readInvisibleBench({
  file: path,
  dropped,
}: Reading): AsyncGenerator<ImportedConversation, FileFacts> {
  const text = readText(path);
  const value = parseJson(text, { file: path });
  const said = typeof value === "object" && value !== null && "schema" in value ? value.schema : undefined;
  if (said !== INVISIBLEBENCH_SCHEMA)
    throw new AssayError(
      "bad_source",
      `has the schema ${JSON.stringify(said) ?? "(none)"}, not ${INVISIBLEBENCH_SCHEMA}`,
      {
        file: path,
        fix: "name the <model>.transcripts.json files",
      },
    );
  const parsed = parseWith(ModelTranscripts, value, { file: path }, "bad_source");
  if (parsed.transcripts.length !== parsed.transcript_count)
    throw new AssayError(
      "source_disagrees",
      `transcript_count is ${parsed.transcript_count}, but ${parsed.transcripts.length} are listed`,
      {
        file: path,
        fix: "get the whole file",
      },
    );
  const raw = parseRawJson(text, { file: path });
  const rawTranscripts = itemsOf(memberOf(raw, "transcripts"));
  droppedFields(value, parsed, dropped);
  for (const [i, transcript] of parsed.transcripts.entries()) {
    const place = `${path} (${transcript.scenario_id})`;
    const lines = itemsOf(memberOf(rawTranscripts[i], "turns")).map((turn) => `${spacedJson(turn)}\n`);
    const rebuilt = Buffer.from(lines.join(""));
    const found = sha256(rebuilt);
    if (found !== transcript.sha256)
      throw new AssayError(
        "digest_mismatch",
        `scenario ${transcript.scenario_id}: the rebuilt transcript is not the one recorded`,
        {
          file: path,
          scenario_id: transcript.scenario_id,
          expected: transcript.sha256,
          found,
          fix: "get an unchanged copy of the file",
        },
      );
    yield {
      model: parsed.model,
      model_id: parsed.model_id,
      scenario_id: transcript.scenario_id,
      category: transcript.category,
      ...(transcript.scenario === undefined ? {} : { scenario: transcript.scenario }),
      bytes: rebuilt,
      sha256: found,
      checked: true,
      turns: parseTranscript(rebuilt, place),
    };
  }
  const { benchmark_version, content_notice, scenario_hash, source_runs, synthetic_scenarios } = parsed;
  return {
    run_dates: source_runs.map(({ run_date }) => run_date),
    cost_usd: costOf(source_runs),
    version: benchmark_version,
    about: { benchmark_version, content_notice, scenario_hash, source_runs, synthetic_scenarios },
  };
}

/** What a model's runs cost together; unknown when any of them is. */
function costOf(runs: readonly z.infer<typeof SourceRun>[]): number | null {
  let sum = 0;
  for (const { model_actual_cost_usd: cost } of runs) {
    if (cost === null) return null;
    sum += cost;
  }
  return runs.length === 0 ? null : sum;
}

/** Count fields that the schema above leaves behind, by path. */
function droppedFields(value: unknown, parsed: z.infer<typeof ModelTranscripts>, dropped: Tally): void {
  const compare = (given: unknown, kept: unknown, path: string): void => {
    if (Array.isArray(given) && Array.isArray(kept)) given.forEach((item, i) => compare(item, kept[i], `${path}[]`));
    else if (isObject(given) && isObject(kept))
      for (const [name, member] of Object.entries(given)) {
        const field = path === "" ? name : `${path}.${name}`;
        if (!Object.hasOwn(kept, name)) dropped.add(field);
        else if (field !== "transcripts[].turns") compare(member, kept[name], field);
      }
  };
  compare(value, parsed, "");
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
