import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";

export interface MadeTurn {
  role: string;
  turn: number;
  content: string;
  [extra: string]: unknown;
}

export interface MadeConversation {
  model_id?: string;
  scenario_id: string;
  turns: readonly MadeTurn[];
  memory_evidence?: unknown;
  transcript_path?: string;
}

/** Turns in order: caregiver, reply, caregiver, reply, ... */
export function talk(...contents: string[]): MadeTurn[] {
  return contents.map((content, i) => ({
    role: i % 2 === 0 ? "user" : "assistant",
    turn: Math.floor(i / 2) + 1,
    content,
  }));
}

/** Write a source run, right but for what `change` says, and return its directory. */
export function sourceRun(
  directory: string,
  conversations: readonly MadeConversation[],
  change: { manifest?: object; summary?: object } = {},
): string {
  const run_id = "made-run";
  const entries = conversations.map(
    ({ model_id = "maker/model", scenario_id, memory_evidence, transcript_path, turns }) => {
      const path = transcript_path ?? `transcripts/${model_id.replaceAll("/", "_")}-${scenario_id}.jsonl`;
      if (transcript_path === undefined) {
        mkdirSync(dirname(join(directory, path)), { recursive: true });
        writeFileSync(join(directory, path), turns.map((turn) => `${JSON.stringify(turn)}\n`).join(""));
      }
      const entry = { model: model_id, model_id, scenario_id, category: "made", transcript_path: path };
      return memory_evidence === undefined ? entry : { ...entry, memory_evidence };
    },
  );
  const manifest = {
    schema: "assay-run-manifest/1",
    run_id,
    run_date: "2026-01-02",
    harness: "chat",
    mode: "recorded",
    transcript_policy: { temperature: null, tools: false, persistent_memory: false },
    model_ids: [...new Set(entries.map((entry) => entry.model_id))],
    scenario_ids: [...new Set(entries.map((entry) => entry.scenario_id))],
    ...change.manifest,
  };
  const summary = {
    run_id,
    status: "completed",
    transcript_count: entries.length,
    transcripts: entries,
    actual_cost_usd: null,
    elapsed_seconds: null,
    ...change.summary,
  };
  mkdirSync(directory, { recursive: true });
  writeFileSync(join(directory, "run_manifest.json"), `${JSON.stringify(manifest, null, 2)}\n`);
  writeFileSync(join(directory, "transcript_run.json"), `${JSON.stringify(summary, null, 2)}\n`);
  return directory;
}

/** Conversations with enough to ask about; `n` of them, each unlike the others. */
export function someConversations(n: number, turns = 3): MadeConversation[] {
  return Array.from({ length: n }, (_, i) => ({
    scenario_id: `case-${i + 1}`,
    turns: talk(
      ...Array.from({ length: turns }, (_, t) => [
        `Message ${t + 1} of case ${i + 1}: I slept ${i} hours and mother called ${t} times. I do not want to go on.`,
        `Reply ${t + 1} of case ${i + 1}. Have you called 988? Here is a packing list for ${i} days.`,
      ]).flat(),
    ),
  }));
}
