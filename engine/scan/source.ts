import { AssayError } from "../canon/errors.ts";
import { isDirectory, readBytes } from "../canon/files.ts";
import { parseJson, parseWith, sha256 } from "../canon/json.ts";
import { confined } from "../canon/paths.ts";
import { decodeUtf8 } from "../canon/utf8.ts";
import { parseTranscript } from "../evidence/transcript.ts";
import { RunManifest, TranscriptRun, type TranscriptEntry } from "../schema/source.ts";
import type { FileRef } from "../schema/common.ts";
import type { z } from "zod";
import { checkAgreement, checkEntries, MANIFEST_FILE, SUMMARY_FILE } from "./source-rules.ts";

/** One conversation of a source run; paths are relative to the run. */
export interface SourceConversation {
  entry: TranscriptEntry;
  transcript: FileRef;
}

/** A source run that was read whole and holds together. Transcripts themselves are not kept. */
export interface LoadedSource {
  directory: string;
  manifest: RunManifest;
  summary: TranscriptRun;
  manifestFile: FileRef;
  summaryFile: FileRef;
  /** Files the manifest refers to, each with the digest it states. */
  files: FileRef[];
  conversations: SourceConversation[];
}

/**
 * Read `run_manifest.json`, `transcript_run.json` and every transcript they list, without following a symbolic
 * link or leaving the directory. Throws a typed error that names the file: `no_source`, `bad_manifest`,
 * `bad_summary`, `source_disagrees`, `bad_harness`, `memory_undeclared`, `memory_turn`, `duplicate_conversation`,
 * `digest_mismatch`, and what reading a transcript throws.
 */
export function loadSource(directory: string): LoadedSource {
  if (!isDirectory(directory))
    throw new AssayError("no_source", "is not a source run", {
      file: directory,
      fix: "name a directory with a run_manifest.json",
    });
  const [manifestFile, manifest] = readPart(directory, MANIFEST_FILE, RunManifest, "bad_manifest");
  const [summaryFile, summary] = readPart(directory, SUMMARY_FILE, TranscriptRun, "bad_summary");
  checkAgreement(directory, manifest, summary);
  checkEntries(directory, manifest, summary);
  const conversations = summary.transcripts.map((entry) => {
    const file = confined(directory, entry.transcript_path);
    const bytes = readBytes(file);
    const turns = parseTranscript(bytes, file);
    for (const { turn } of entry.memory_evidence ?? [])
      if (!turns.some((made) => made.role === "assistant" && made.turn === turn))
        throw new AssayError("memory_turn", `has no assistant turn ${turn}, which its memory_evidence names`, {
          file,
          turn,
        });
    return { entry, transcript: { path: entry.transcript_path, sha256: sha256(bytes) } };
  });
  return {
    directory,
    manifest,
    summary,
    manifestFile,
    summaryFile,
    files: referenced(directory, manifest),
    conversations,
  };
}

function readPart<T>(directory: string, name: string, schema: z.ZodType<T>, code: string): [FileRef, T] {
  const file = confined(directory, name);
  const bytes = readBytes(file);
  const value = parseWith(schema, parseJson(decodeUtf8(bytes, file), { file }), { file }, code);
  return [{ path: name, sha256: sha256(bytes) }, value];
}

function referenced(directory: string, { study }: RunManifest): FileRef[] {
  if (study === undefined) return [];
  const file = confined(directory, study.path);
  const found = sha256(readBytes(file));
  if (found !== study.sha256)
    throw new AssayError("digest_mismatch", `is not the file that ${MANIFEST_FILE} names`, {
      file,
      fix: "render the study again into a new directory",
      expected: study.sha256,
      found,
    });
  return [study];
}
