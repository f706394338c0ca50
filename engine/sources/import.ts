import { mkdirSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { AssayError } from "../canon/errors.ts";
import { newDirectory } from "../canon/files.ts";
import { canonicalJson, digestOf } from "../canon/json.ts";
import { sha256OfFile } from "../canon/stream.ts";
import { suspectTurns } from "../evidence/suspects.ts";
import { RUN_MANIFEST_SCHEMA, type RunManifest, type TranscriptEntry, type TranscriptRun } from "../schema/source.ts";
import type { Assumed, Dropped, FileFacts, ImportedConversation, ImportOptions, Reading } from "./imported.ts";
import { IMPORTERS } from "./importers.ts";
import { sizeOf } from "./limits.ts";
import { transcriptPaths } from "./names.ts";
import { refuseUnused } from "./options.ts";
import { Tally } from "./tally.ts";

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
  /** What the inputs did not say, and was taken from the command line or made by rule. */
  assumed: (Assumed & { file: string })[];
}

/** An input that was read: its name without the directory, since where it lay says nothing about it. */
interface ReadFile extends FileFacts {
  name: string;
  sha256: string;
  dropped: Dropped[];
  assumed: Assumed[];
}

/**
 * Make a new source run of foreign files. One conversation is held at a time and only their transcripts' bytes are
 * written; equal inputs and options give equal bytes. A refusal leaves no directory behind.
 */
export async function importSource(
  from: string,
  paths: readonly string[],
  output: string,
  options: ImportOptions = {},
): Promise<ImportReport> {
  const importer = Object.hasOwn(IMPORTERS, from) ? IMPORTERS[from] : undefined;
  if (importer === undefined)
    throw new AssayError("bad_format", `there is no importer for ${JSON.stringify(from)}`, {
      fix: `--from takes ${Object.keys(IMPORTERS).join(", ")}`,
    });
  return newDirectory(output, async (staging) => {
    mkdirSync(join(staging, "transcripts"));
    const entries: TranscriptEntry[] = [];
    const digests: [model_id: string, scenario_id: string, sha256: string][] = [];
    const files: ReadFile[] = [];
    const seen = new Set<string>();
    const used = new Set<string>();
    const counts = { digests_checked: 0, turns: 0, assistant_turns: 0, suspect_turns: 0 };
    const pathOf = transcriptPaths();
    for (const file of paths) {
      sizeOf(file);
      const sha256 = await sha256OfFile(file);
      if (files.some((other) => other.sha256 === sha256))
        throw new AssayError("duplicate_file", "is named twice, or is a copy of another input", {
          file,
          fix: "name each file once",
        });
      const reading: Reading = { file, options, used, dropped: new Tally(), assumed: new Tally() };
      let facts: FileFacts | undefined;
      const conversations = withEnd(importer.read(reading), (end) => (facts = end));
      for await (const conversation of conversations) {
        refuseTwin(seen, conversation, file);
        const entry = entryOf(conversation, pathOf(conversation.model_id, conversation.scenario_id));
        writeFileSync(join(staging, entry.transcript_path), conversation.bytes);
        entries.push(entry);
        digests.push([conversation.model_id, conversation.scenario_id, conversation.sha256]);
        counts.digests_checked += conversation.checked ? 1 : 0;
        counts.turns += conversation.turns.length;
        counts.assistant_turns += conversation.turns.filter(({ role }) => role === "assistant").length;
        counts.suspect_turns += suspectTurns(conversation.turns).length;
      }
      if (facts === undefined) throw new Error("an importer ended without its facts");
      const { dropped, assumed } = reading;
      files.push({ name: basename(file), sha256, ...facts, dropped: dropped.rows(), assumed: assumed.rows() });
    }
    if (entries.length === 0)
      throw new AssayError("no_conversations", "holds no conversation with a reply", {
        file: paths.join(", "),
        fix: "name files with conversations",
      });
    refuseUnused(options, used, from);
    const manifest = manifestOf(from, files, entries, digests);
    const summary = summaryOf(manifest.run_id, files, entries);
    writeFileSync(join(staging, "run_manifest.json"), `${canonicalJson(manifest)}\n`);
    writeFileSync(join(staging, "transcript_run.json"), `${canonicalJson(summary)}\n`);
    return {
      directory: output,
      run_id: manifest.run_id,
      run_date: manifest.run_date,
      conversations: entries.length,
      ...counts,
      models: modelCounts(entries),
      dropped: files.flatMap(({ name, dropped }) => dropped.map((row) => ({ file: name, ...row }))),
      assumed: files.flatMap(({ name, assumed }) => assumed.map((row) => ({ file: name, ...row }))),
    };
  });
}

/** The same values; `done` gets what the generator returns, which `for await` does not show. */
async function* withEnd<T, End>(values: AsyncGenerator<T, End>, done: (end: End) => void): AsyncGenerator<T> {
  done(yield* values);
}

function modelCounts(entries: readonly TranscriptEntry[]): { model_id: string; conversations: number }[] {
  const counts = new Map<string, number>();
  for (const { model_id } of entries) counts.set(model_id, (counts.get(model_id) ?? 0) + 1);
  return [...counts].map(([model_id, conversations]) => ({ model_id, conversations }));
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
  files: readonly ReadFile[],
  entries: readonly TranscriptEntry[],
  digests: readonly [string, string, string][],
): RunManifest {
  const versions = unique(files.flatMap(({ version }) => version ?? [])).join("+");
  const dates = files.flatMap(({ run_dates }) => run_dates).sort();
  return {
    schema: RUN_MANIFEST_SCHEMA,
    run_id: `${from}${versions === "" ? "" : `-${versions}`}@${digestOf(digests).slice(0, 12)}`,
    run_date: dates.at(-1) ?? "unknown",
    harness: from,
    mode: "imported",
    // What the source does not record is null, never a default.
    transcript_policy: { persistent_memory: false, temperature: null, tools: null },
    model_ids: unique(entries.map(({ model_id }) => model_id)),
    scenario_ids: unique(entries.map(({ scenario_id }) => scenario_id)),
    imported_from: files.map(({ name, sha256, cost_usd, about, dropped, assumed }) => ({
      name,
      sha256,
      cost_usd,
      ...about,
      dropped,
      ...(assumed.length === 0 ? {} : { assumed }),
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
