import { z } from "zod";
import { AssayError } from "../canon/errors.ts";
import { isDirectory, readBytes } from "../canon/files.ts";
import { canonicalJson, digestOf, parseJson, parseWith, sha256 } from "../canon/json.ts";
import { readJsonl } from "../canon/lines.ts";
import { confined } from "../canon/paths.ts";
import { decodeUtf8 } from "../canon/utf8.ts";
import { parseTranscript } from "../evidence/transcript.ts";
import { Judgment } from "../schema/judgment.ts";
import { BUNDLE_FORMAT, ScanPlan } from "../schema/plan.ts";
import { RequestLine } from "../schema/request.ts";
import type { Conversation } from "../schema/transcript.ts";

export const PLAN_FILE = "scan_plan.json";
export const JOURNAL_FILE = "answers.jsonl";
export const JUDGMENTS_FILE = "judgments.jsonl";
export const CARD_FILE = "jury-card.md";
export const SEAL_FILE = "seal.json";
export const REQUESTS_FILE = "inputs/requests.jsonl";
/** The saved answers a replay judge reads. */
export const SAVED_ANSWERS_FILE = "inputs/saved-answers.jsonl";

/** A scan's directory with its frozen plan. */
export interface Bundle {
  directory: string;
  plan: ScanPlan;
  /** SHA-256 of the bytes of `scan_plan.json`. */
  plan_sha256: string;
}

/**
 * The plan of a scan, by its directory or by the path of its `scan_plan.json`. Throws `no_plan`, `retired_format`,
 * `bad_plan`.
 */
export function readPlan(path: string): Bundle {
  const directory = isDirectory(path)
    ? path
    : path.replace(/(^|\/)scan_plan\.json$/, "$1").replace(/(?<=.)\/$/, "") || ".";
  if (!isDirectory(directory))
    throw new AssayError("no_plan", "is not a scan", {
      file: path,
      fix: `name a directory made by bench scan plan, or its ${PLAN_FILE}`,
    });
  const file = confined(directory, PLAN_FILE);
  let bytes: Buffer;
  try {
    bytes = readBytes(file);
  } catch (error) {
    if (!(error instanceof AssayError) || error.code !== "no_file") throw error;
    throw new AssayError("no_plan", `holds no ${PLAN_FILE}`, {
      file: directory,
      fix: "name a directory made by bench scan plan",
    });
  }
  return { directory, ...parsePlan(bytes, file) };
}

export function parsePlan(bytes: Uint8Array, file: string): { plan: ScanPlan; plan_sha256: string } {
  const text = decodeUtf8(bytes, file);
  const value = parseJson(text, { file });
  const format =
    typeof value === "object" && value !== null && "bundle_format" in value ? value.bundle_format : undefined;
  if (format !== BUNDLE_FORMAT)
    throw new AssayError(
      "retired_format",
      `has bundle format ${JSON.stringify(format) ?? "none"}, not ${BUNDLE_FORMAT}`,
      {
        file,
        fix: "open it with a checkout of the engine that wrote it; answers are never migrated",
      },
    );
  const plan = parseWith(ScanPlan, value, { file }, "bad_plan");
  if (text !== `${canonicalJson(plan)}\n`)
    throw new AssayError("bad_plan", "is not in canonical form", {
      file,
      fix: "restore it from a copy, or plan again",
    });
  for (const { check, check_sha256, id } of plan.checks)
    if (check.id !== id || digestOf(check) !== check_sha256)
      throw new AssayError("bad_plan", `the definition of ${id} is not the one its digest names`, { file });
  return { plan, plan_sha256: sha256(bytes) };
}

/** A planned conversation in full (no context policy applied), after checking the frozen transcript's digest. */
export function readConversation(
  directory: string,
  plan: Pick<ScanPlan, "conversations">,
  index: number,
): Conversation {
  const planned = plan.conversations[index];
  if (planned === undefined) throw new RangeError(`the plan has no conversation ${index}`);
  const file = confined(directory, planned.transcript.path);
  const bytes = readBytes(file);
  const found = sha256(bytes);
  if (found !== planned.transcript.sha256)
    throw new AssayError("digest_mismatch", "is not the transcript that the plan froze", {
      file,
      fix: "restore it from a copy, or plan again",
      expected: planned.transcript.sha256,
      found,
    });
  return {
    turns: parseTranscript(bytes, file),
    memory: { persistent_memory: planned.persistent_memory, evidence: planned.memory_evidence },
  };
}

/** The judgments of a finished scan, in plan order: by conversation, then by check. */
export async function* readJudgments(directory: string): AsyncGenerator<Judgment> {
  yield* readJsonl(confined(directory, JUDGMENTS_FILE), Judgment);
}

const JustVerdict = z.looseObject({ verdict: Judgment.shape.verdict });

/** Only the verdicts of them, where what they rest on is not asked for: most of a judgment is that. */
export function readVerdicts(directory: string): AsyncGenerator<z.infer<typeof JustVerdict>> {
  return readJsonl(confined(directory, JUDGMENTS_FILE), JustVerdict);
}

/** The request inventory, one line at a time, in plan order. */
export function readInventory(
  directory: string,
  plan: { requests: Pick<ScanPlan["requests"], "path"> },
): AsyncGenerator<RequestLine> {
  return readJsonl(confined(directory, plan.requests.path), RequestLine);
}

/** The request inventory, one conversation at a time; conversations without a request do not appear. */
export async function* readRequestLines(
  directory: string,
  plan: { requests: Pick<ScanPlan["requests"], "path"> },
): AsyncGenerator<RequestLine[]> {
  let group: RequestLine[] = [];
  for await (const line of readInventory(directory, plan)) {
    const current = group[0]?.conversation;
    if (current !== undefined && line.conversation !== current) {
      yield group;
      group = [];
    }
    group.push(line);
  }
  if (group.length > 0) yield group;
}
