import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { AssayError } from "../canon/errors.ts";
import { newDirectory } from "../canon/files.ts";
import { canonicalJson, digestOf } from "../canon/json.ts";
import { suspectTurns } from "../evidence/suspects.ts";
import { RUN_MANIFEST_SCHEMA, type RunManifest, type TranscriptEntry, type TranscriptRun } from "../schema/source.ts";
import type { Dropped, ImportedConversation, ImportedFile } from "./imported.ts";
import { readInvisibleBench } from "./invisiblebench.ts";
import { transcriptPaths } from "./names.ts";

interface Importer {
  description: string;
  read: (path: string) => ImportedFile;
}

/** What `--from` accepts; the name is also the run's harness. */
export const IMPORTERS: Readonly<Record<string, Importer>> = {
  invisiblebench: {
    description: "<model>.transcripts.json, schema invisiblebench-model-transcripts/v1",
    read: readInvisibleBench,
  },
};

export interface ImportReport {
  directory: string;
  run_id: string;
  run_date: string;
  conversations: number;
  turns: number;
  assistant_turns: number;
  /** Transcripts whose rebuilt bytes have the digest their source recorded. */
  digests_checked: number;
  /** Assistant turns that planning refuses until they are accepted. */
  suspect_turns: number;
  models: { model_id: string; conversations: number }[];
  dropped: (Dropped & { file: string })[];
}

/**
 * Make a new source run of foreign files. Files are read one at a time and only their transcripts' bytes are
 * written; equal inputs give equal bytes. A refusal leaves no directory behind.
 */
export async function importSource(from: string, paths: readonly string[], output: string): Promise<ImportReport> {
  const importer = Object.hasOwn(IMPORTERS, from) ? IMPORTERS[from] : undefined;
  if (importer === undefined)
    throw new AssayError("bad_format", `there is no importer for ${JSON.stringify(from)}`, {
      fix: `--from takes ${Object.keys(IMPORTERS).join(", ")}`,
    });
  return newDirectory(output, (staging) => {
    mkdirSync(join(staging, "transcripts"));
    const entries: TranscriptEntry[] = [];
    const digests: [model_id: string, scenario_id: string, sha256: string][] = [];
    const files: Omit<ImportedFile, "conversations">[] = [];
    const seen = new Set<string>();
    const counts = { turns: 0, assistant_turns: 0, suspect_turns: 0 };
    const pathOf = transcriptPaths();
    for (const path of paths) {
      const { conversations, ...file } = importer.read(path);
      if (files.some(({ sha256 }) => sha256 === file.sha256))
        throw new AssayError("duplicate_file", "is named twice, or is a copy of another input", {
          file: path,
          fix: "name each file once",
        });
      files.push(file);
      for (const conversation of conversations) {
        refuseTwin(seen, conversation, path);
        const entry = entryOf(conversation, pathOf(conversation.model_id, conversation.scenario_id));
        writeFileSync(join(staging, entry.transcript_path), conversation.bytes);
        entries.push(entry);
        digests.push([conversation.model_id, conversation.scenario_id, conversation.sha256]);
        counts.turns += conversation.turns.length;
        counts.assistant_turns += conversation.turns.filter(({ role }) => role === "assistant").length;
        counts.suspect_turns += suspectTurns(conversation.turns).length;
      }
    }
    const manifest = manifestOf(from, files, entries, digests);
    const summary = summaryOf(manifest.run_id, files, entries);
    writeFileSync(join(staging, "run_manifest.json"), `${canonicalJson(manifest)}\n`);
    writeFileSync(join(staging, "transcript_run.json"), `${canonicalJson(summary)}\n`);
    return {
      directory: output,
      run_id: manifest.run_id,
      run_date: manifest.run_date,
      conversations: entries.length,
      digests_checked: digests.length,
      ...counts,
      models: manifest.model_ids.map((model_id) => ({
        model_id,
        conversations: entries.filter((entry) => entry.model_id === model_id).length,
      })),
      dropped: files.flatMap(({ name, dropped }) => dropped.map((row) => ({ file: name, ...row }))),
    };
  });
}

function refuseTwin(seen: Set<string>, { model_id, scenario_id }: ImportedConversation, file: string): void {
  const identity = JSON.stringify([model_id, scenario_id]);
  if (seen.has(identity))
    throw new AssayError(
      "duplicate_conversation",
      `model ${JSON.stringify(model_id)}, scenario ${JSON.stringify(scenario_id)} occurs twice`,
      {
        file,
        model_id,
        scenario_id,
        fix: "import runs that repeat a scenario apart",
      },
    );
  seen.add(identity);
}

function entryOf(
  { model, model_id, scenario_id, category, scenario }: ImportedConversation,
  path: string,
): TranscriptEntry {
  return {
    model,
    model_id,
    scenario_id,
    category,
    transcript_path: path,
    ...(scenario === undefined ? {} : { scenario }),
  };
}

/** The run is what was imported: its id is made of the conversations' digests, its date the last recorded one. */
function manifestOf(
  from: string,
  files: readonly Omit<ImportedFile, "conversations">[],
  entries: readonly TranscriptEntry[],
  digests: readonly [string, string, string][],
): RunManifest {
  const versions = unique(files.map(({ version }) => version)).join("+");
  const dates = files.flatMap(({ run_dates }) => run_dates).sort();
  return {
    schema: RUN_MANIFEST_SCHEMA,
    run_id: `${from}-${versions}@${digestOf(digests).slice(0, 12)}`,
    run_date: dates.at(-1) ?? "unknown",
    harness: from,
    mode: "imported",
    // What the source does not record is null, never a default.
    transcript_policy: { persistent_memory: false, temperature: null, tools: null },
    model_ids: unique(entries.map(({ model_id }) => model_id)),
    scenario_ids: unique(entries.map(({ scenario_id }) => scenario_id)),
    imported_from: files.map(({ name, sha256, cost_usd, about, dropped }) => ({
      name,
      sha256,
      cost_usd,
      ...about,
      dropped,
    })),
  };
}

function summaryOf(
  run_id: string,
  files: readonly { cost_usd: number | null }[],
  entries: TranscriptEntry[],
): TranscriptRun {
  const known = files.every(({ cost_usd }) => cost_usd !== null);
  return {
    run_id,
    status: "completed",
    transcript_count: entries.length,
    transcripts: entries,
    actual_cost_usd: known ? files.reduce((sum, { cost_usd }) => sum + (cost_usd ?? 0), 0) : null,
    elapsed_seconds: null,
  };
}

function unique(values: readonly string[]): string[] {
  return [...new Set(values)];
}
