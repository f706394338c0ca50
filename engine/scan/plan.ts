import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { AssayError } from "../canon/errors.ts";
import { newDirectory, readBytes } from "../canon/files.ts";
import { canonicalJson, parseWith, sha256 } from "../canon/json.ts";
import { confined } from "../canon/paths.ts";
import { engineVersion } from "../canon/root.ts";
import { writeLines } from "../canon/stream.ts";
import { loadChecks } from "../checks/index.ts";
import { evidenceContextSha256 } from "../evidence/context.ts";
import { suspectTurns } from "../evidence/suspects.ts";
import { boundsFor } from "../judges/bound.ts";
import { parseTranscript } from "../evidence/transcript.ts";
import { Check, type LoadedCheck } from "../schema/check.ts";
import type { JudgeSettings } from "../schema/judge.ts";
import {
  BUNDLE_FORMAT,
  RULES_VERSION,
  ScanPlan,
  type PlannedConversation,
  type PlannedSource,
} from "../schema/plan.ts";
import type { Claim } from "../schema/verdict.ts";
import { PLAN_FILE, REQUESTS_FILE, SAVED_ANSWERS_FILE, type Bundle } from "./bundle.ts";
import { slugOf } from "./identity.ts";
import { Inventory } from "./inventory.ts";
import { conversationKey, everyFile, openSources, type SelectedSource } from "./retained.ts";
import type { LoadedSource, SourceConversation } from "./source.ts";
import { duplicate, sourceKind, SUMMARY_FILE, type SourceKind } from "./source-rules.ts";

export interface PlanOptions {
  /** Source runs, or scans whose retained sources are planned again. */
  sources: readonly string[];
  /** A directory that does not exist yet. */
  output: string;
  judge: JudgeSettings;
  /** The saved answers of a replay judge; the plan keeps a copy. */
  answersFile?: string | undefined;
  checksDir: string;
  /** All checks where absent. */
  checkIds?: readonly string[] | undefined;
  /** Keep conversations whose model_id or scenario_id contains this text. */
  filter?: string | undefined;
  /** Keep the first so many, after the filter. */
  limit?: number | undefined;
  /** Accept assistant turns that look like broken generations; they stay marked. */
  acceptSuspect?: boolean | undefined;
}

const CLAIMS: Record<SourceKind, Claim> = {
  authored: "frozen_validation_cases",
  probe: "development_exemplars",
  target: "target_model_conversations",
};

/**
 * Freeze a scan: copy every source byte and check, write the request inventory and the plan. Calls no provider,
 * and equal inputs give equal bytes. Throws what loading throws, and `exists`, `duplicate_conversation`,
 * `mixed_sources`, `no_conversations`, `no_check`, `suspect_turns`; a failure leaves nothing behind.
 */
export async function planScan(options: PlanOptions): Promise<Bundle> {
  return await newDirectory(options.output, async (staging) => {
    const checks = selectChecks(options);
    const selected: SelectedSource[] = [];
    for (const path of options.sources) selected.push(...(await openSources(path)));
    if (selected.length === 0) throw new AssayError("usage", "name at least one source run");
    const claim = claimOf(selected);
    const roots = selected.map(({ source }, i) => `inputs/sources/${i + 1}-${slugOf(source.manifest.run_id)}`);
    const chosen = choose(selected, options);
    const planned = new Set(chosen.map(({ conversation }) => conversation));
    const sources = selected.map(({ source }, i) => freezeSource(staging, source, roots[i]!, planned));
    const conversations = chosen.map(({ conversation, source }) =>
      freezeConversation(staging, selected[source]!.source, conversation, source, roots[source]!),
    );
    refuseSuspects(conversations, options.acceptSuspect ?? false);
    const frozen = {
      judge: options.judge,
      conversations,
      checks: checks.map((loaded) => freezeCheck(staging, options.checksDir, loaded)),
    };
    freezeAnswers(staging, options);
    const inventory = await freezeRequests(staging, frozen);
    const plan: ScanPlan = {
      bundle_format: BUNDLE_FORMAT,
      rules_version: RULES_VERSION,
      engine_version: engineVersion,
      claim,
      accuracy_claim: false,
      sources,
      ...frozen,
      ...inventory,
      accepted_suspect_turns: options.acceptSuspect ?? false,
    };
    const bytes = `${canonicalJson(parseWith(ScanPlan, plan, { file: options.output }, "bad_plan"))}\n`;
    writeFileSync(join(staging, PLAN_FILE), bytes, { flag: "wx" });
    return { directory: options.output, plan, plan_sha256: sha256(bytes) };
  });
}

function selectChecks({ checksDir, checkIds }: PlanOptions): LoadedCheck[] {
  const loaded = loadChecks(checksDir);
  for (const id of checkIds ?? [])
    if (!loaded.some(({ check }) => check.id === id))
      throw new AssayError("no_check", `holds no check ${JSON.stringify(id)}`, {
        file: checksDir,
        fix: "see bench checks list",
      });
  const checks =
    checkIds === undefined || checkIds.length === 0
      ? loaded
      : loaded.filter(({ check }) => checkIds.includes(check.id));
  if (checks.length === 0) throw new AssayError("no_check", "holds no check", { file: checksDir });
  return checks;
}

/** What a scan of these sources can show. Throws `mixed_sources`. */
export function claimOf(selected: readonly { source: LoadedSource }[]): Claim {
  const kinds = new Set(selected.map(({ source }) => sourceKind(source.manifest)));
  if (kinds.size > 1)
    throw new AssayError("mixed_sources", "authored cases and target-model conversations cannot stand in one scan", {
      fix: "plan them apart, into one directory each",
      kinds: [...kinds],
    });
  return CLAIMS[[...kinds][0]!];
}

interface Chosen {
  source: number;
  conversation: SourceConversation;
}

function choose(selected: readonly SelectedSource[], { filter, limit }: PlanOptions): Chosen[] {
  const seen = new Set<string>();
  const chosen: Chosen[] = [];
  for (const [source, { source: run, only }] of selected.entries())
    for (const conversation of run.conversations) {
      const { model_id, scenario_id } = conversation.entry;
      const key = conversationKey(conversation.entry);
      if (only?.has(key) === false) continue;
      if (seen.has(key)) throw duplicate(join(run.directory, SUMMARY_FILE), model_id, scenario_id);
      seen.add(key);
      if (filter === undefined || model_id.includes(filter) || scenario_id.includes(filter))
        chosen.push({ source, conversation });
    }
  if (chosen.length === 0)
    throw new AssayError("no_conversations", `no conversation matches ${JSON.stringify(filter ?? "")}`, {
      fix: "--filter is a part of a model_id or scenario_id",
      conversations: seen.size,
    });
  return limit === undefined ? chosen : chosen.slice(0, limit);
}

/** A source as a plan describes it, its bytes copied below `root`. */
function freezeSource(
  staging: string,
  source: LoadedSource,
  root: string,
  planned: ReadonlySet<SourceConversation>,
): PlannedSource {
  for (const { path, sha256: expected } of everyFile(source)) {
    const file = confined(source.directory, path);
    const bytes = readBytes(file);
    if (sha256(bytes) !== expected)
      throw new AssayError("source_changed", "changed while it was planned", {
        file,
        fix: "plan again when nothing writes to it",
      });
    write(staging, `${root}/${path}`, bytes);
  }
  return describeSource(source, root, planned);
}

/** `planned`: the conversations that are judged; transcripts of the others are kept as files. */
export function describeSource(
  source: LoadedSource,
  root: string,
  planned: ReadonlySet<SourceConversation>,
): PlannedSource {
  const below = ({ path, sha256 }: { path: string; sha256: string }) => ({ path: `${root}/${path}`, sha256 });
  const { run_id, harness, mode, run_date, study } = source.manifest;
  const unplanned = source.conversations.filter((conversation) => !planned.has(conversation));
  return {
    run_id,
    root,
    manifest: below(source.manifestFile),
    summary: below(source.summaryFile),
    files: [...source.files, ...unplanned.map(({ transcript }) => transcript)].map(below),
    harness,
    mode,
    run_date,
    ...(study === undefined ? {} : { study: below(study) }),
  };
}

/** A conversation as a plan describes it, from its transcript as it lies in the bundle. */
export function freezeConversation(
  directory: string,
  { manifest }: Pick<LoadedSource, "manifest">,
  { entry, transcript }: SourceConversation,
  source: number,
  root: string,
): PlannedConversation {
  const path = `${root}/${transcript.path}`;
  const file = confined(directory, path);
  const turns = parseTranscript(readBytes(file), file);
  const memory = {
    persistent_memory: manifest.transcript_policy.persistent_memory,
    evidence: entry.memory_evidence ?? [],
  };
  return {
    source,
    model: entry.model,
    model_id: entry.model_id,
    scenario_id: entry.scenario_id,
    category: entry.category,
    transcript: { path, sha256: transcript.sha256 },
    evidence_context_sha256: evidenceContextSha256(transcript.sha256, memory),
    persistent_memory: memory.persistent_memory,
    memory_evidence: memory.evidence,
    turns: turns.length,
    assistant_turns: turns.filter(({ role }) => role === "assistant").length,
    suspect_turns: suspectTurns(turns),
  };
}

function refuseSuspects(conversations: readonly PlannedConversation[], accepted: boolean): void {
  if (accepted) return;
  const suspects = conversations.flatMap(({ model_id, scenario_id, transcript, suspect_turns }) =>
    suspect_turns.map((suspect) => ({ model_id, scenario_id, path: transcript.path, ...suspect })),
  );
  const [first] = suspects;
  if (first === undefined) return;
  const more = suspects.length === 1 ? "" : `, and ${suspects.length - 1} more`;
  throw new AssayError(
    "suspect_turns",
    `assistant turn ${first.turn} of ${first.model_id} ${first.scenario_id} looks like a broken generation (${first.kind}: ${first.detail})${more}`,
    { fix: "read them, then keep them marked with --accept-suspect, or leave the conversation out", suspects },
  );
}

function freezeCheck(staging: string, checksDir: string, { check, check_sha256, layer, dimension, path }: LoadedCheck) {
  const bytes = readBytes(confined(checksDir, path));
  const file = { path: `inputs/checks/${path}`, sha256: sha256(bytes) };
  write(staging, file.path, bytes);
  // In the order of canonical JSON, the only one the plan keeps, so that planning and running see one value.
  const frozen = Check.parse(JSON.parse(canonicalJson(check)));
  return { id: check.id, layer, dimension, file, check_sha256, check: frozen };
}

/** Bound by digest: it is the model of a replay judge. */
function freezeAnswers(staging: string, { judge, answersFile }: PlanOptions): void {
  if ((judge.adapter === "replay") !== (answersFile !== undefined))
    throw new AssayError(
      "usage",
      answersFile === undefined ? `${judge.name} needs --answers <file>` : `${judge.name} takes no --answers`,
    );
  if (answersFile === undefined) return;
  const bytes = readBytes(answersFile);
  if (sha256(bytes) !== judge.model)
    throw new AssayError("digest_mismatch", `has digest ${sha256(bytes)}, the judge names ${judge.model}`, {
      file: answersFile,
    });
  write(staging, SAVED_ANSWERS_FILE, bytes);
}

async function freezeRequests(
  staging: string,
  plan: Pick<ScanPlan, "judge" | "conversations" | "checks">,
): Promise<Pick<ScanPlan, "requests" | "estimate">> {
  const inventory = new Inventory(staging, plan, await boundsFor(plan.judge));
  const { sha256 } = await writeLines(join(staging, REQUESTS_FILE), inventory.lines());
  return { requests: { path: REQUESTS_FILE, sha256, ...inventory.counts() }, estimate: inventory.estimate() };
}

function write(staging: string, path: string, bytes: Uint8Array): void {
  const file = confined(staging, path);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, bytes, { flag: "wx" });
}
