import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { AssayError } from "../../canon/errors.ts";
import { newDirectory, readBytes, writeAtomic } from "../../canon/files.ts";
import { canonicalJson, sha256 } from "../../canon/json.ts";
import { confined } from "../../canon/paths.ts";
import { refusePrivate } from "../../canon/private.ts";
import { readConversation, readPlan } from "../../scan/bundle.ts";
import { requireFrozen } from "../../scan/frozen.ts";
import { KEY_SCHEMA, KIT_SCHEMA, type LabelKey, type LabelKit } from "../../schema/label-kit.ts";
import type { ScanPlan } from "../../schema/plan.ts";
import type { Conversation } from "../../schema/transcript.ts";
import { KIT_README } from "./readme.ts";

export const FORM_COLUMNS = ["item", "conversation", "check_id", "label", "reason", "author"] as const;

export interface KitOptions {
  output: string;
  /** All checks of the plan where absent. */
  checkIds?: readonly string[] | undefined;
  /** The first so many items of the shuffled order. */
  limit?: number | undefined;
}

export interface ExportedKit {
  directory: string;
  key: string;
  seed: string;
  items: number;
  conversations: number;
  checks: number;
}

/** The key lies beside the kit, so that sending the kit never sends it. */
export function keyFileOf(kit: string): string {
  return `${kit.replace(/(?<=.)\/+$/, "")}.key.json`;
}

/**
 * A kit for reviewers: items in an order that only the plan's digest decides, whole conversations, check
 * definitions, and empty forms. No answer, verdict, expectation, model or scenario name is read into it; a scan need
 * not have run. Throws `exists`, `bad_check`, and what reading frozen files throws.
 */
export async function exportKit(scan: string, options: KitOptions): Promise<ExportedKit> {
  refusePrivate(scan);
  const bundle = readPlan(scan);
  const { directory, plan, plan_sha256 } = bundle;
  await requireFrozen(bundle);
  const keyFile = keyFileOf(options.output);
  if (existsSync(keyFile))
    throw new AssayError("exists", "exists already", { file: keyFile, fix: "name a new directory" });
  const seed = sha256(`${KIT_SCHEMA} ${plan_sha256}`);
  const items = shuffledItems(plan, seed, options);
  const shown = [...new Set(items.map(({ conversation }) => conversation))];
  const names = new Map(shuffled(shown, seed, String).map((index, i) => [index, `c${String(i + 1).padStart(3, "0")}`]));
  const rows = items.map(({ conversation, check_id }, i) => ({
    item: `i${String(i + 1).padStart(4, "0")}`,
    conversation: names.get(conversation)!,
    check_id,
  }));
  const checks = plan.checks.filter(({ id }) => items.some(({ check_id }) => check_id === id));
  const kitText = await newDirectory(options.output, (staging) => {
    const files: Record<string, string> = {};
    const write = (path: string, data: string | Uint8Array): void => {
      writeFileSync(join(staging, path), data);
      files[path] = sha256(data);
    };
    for (const folder of ["conversations", "checks"]) mkdirSync(join(staging, folder));
    for (const [index, name] of names) {
      const conversation = readConversation(directory, plan, index);
      write(`conversations/${name}.jsonl`, conversationLines(conversation));
      write(`conversations/${name}.txt`, conversationText(name, conversation));
    }
    for (const { id, file } of checks) write(`checks/${id}.yaml`, readBytes(confined(directory, file.path)));
    const empty = { label: "", reason: "", author: "" };
    write("form.jsonl", rows.map((row) => `${JSON.stringify({ ...row, ...empty })}\n`).join(""));
    write(
      "form.csv",
      [FORM_COLUMNS.join(","), ...rows.map((row) => `${row.item},${row.conversation},${row.check_id},,,`)]
        .map((line) => `${line}\r\n`)
        .join(""),
    );
    write("README.md", KIT_README);
    const kit: LabelKit = { schema: KIT_SCHEMA, seed, items: rows, files };
    const text = `${canonicalJson(kit)}\n`;
    writeFileSync(join(staging, "kit.json"), text);
    return text;
  });
  const key: LabelKey = {
    schema: KEY_SCHEMA,
    plan_sha256,
    kit_sha256: sha256(kitText),
    claim: plan.claim,
    models: modelNames(plan),
    items: items.map(({ conversation, check_id }, i) => {
      const { model_id, scenario_id, transcript, evidence_context_sha256 } = plan.conversations[conversation]!;
      return {
        item: rows[i]!.item,
        model_id,
        scenario_id,
        check_id,
        transcript_sha256: transcript.sha256,
        evidence_context_sha256,
        check_sha256: plan.checks.find(({ id }) => id === check_id)!.check_sha256,
      };
    }),
  };
  writeAtomic(keyFile, `${canonicalJson(key)}\n`);
  return {
    directory: options.output,
    key: keyFile,
    seed,
    items: rows.length,
    conversations: names.size,
    checks: checks.length,
  };
}

interface Item {
  conversation: number;
  check_id: string;
}

function shuffledItems(plan: ScanPlan, seed: string, { checkIds, limit }: KitOptions): Item[] {
  const known = plan.checks.map(({ id }) => id);
  const unknown = checkIds?.find((id) => !known.includes(id));
  if (unknown !== undefined)
    throw new AssayError("bad_check", `the scan has no check ${unknown}`, { fix: `name some of ${known.join(", ")}` });
  const ids = known.filter((id) => checkIds === undefined || checkIds.includes(id));
  const all = plan.conversations.flatMap((_, conversation) => ids.map((check_id) => ({ conversation, check_id })));
  return shuffled(all, seed, ({ conversation, check_id }) => `${conversation} ${check_id}`).slice(0, limit);
}

/** In the order of digests of seed and name: no generator whose state could differ between versions. */
function shuffled<T>(items: readonly T[], seed: string, nameOf: (item: T) => string): T[] {
  return items
    .map((item) => ({ item, at: sha256(`${seed} ${nameOf(item)}`) }))
    .sort((a, b) => (a.at < b.at ? -1 : 1))
    .map(({ item }) => item);
}

/** Role, number, text and task only: other fields of a turn may name the model. */
function conversationLines({ turns, memory }: Conversation): string {
  const lines = turns.map(({ role, turn, content, task }) => canonicalJson({ role, turn, content, task }));
  if (memory.persistent_memory) lines.push(canonicalJson({ memory: memory.evidence }));
  return lines.map((line) => `${line}\n`).join("");
}

function conversationText(name: string, { turns, memory }: Conversation): string {
  const parts = turns.map(
    ({ role, turn, content, task }) =>
      `--- ${inert(role)}, turn ${turn}\n${inert(content)}${task === undefined ? "" : `\n[task] ${inert(canonicalJson(task))}`}`,
  );
  if (memory.persistent_memory) parts.push(`--- memory receipts\n${inert(canonicalJson(memory.evidence))}`);
  return `Conversation ${name}\n\n${parts.join("\n\n")}\n`;
}

/** Line breaks stay; what could steer a terminal or turn the direction of text does not. */
function inert(text: string): string {
  return text.replace(/[\p{Cc}\p{Bidi_Control}\u2028\u2029]/gu, (char) =>
    char === "\n" || char === "\t" ? char : `\\u{${char.codePointAt(0)!.toString(16)}}`,
  );
}

function modelNames({ judge, conversations }: ScanPlan): string[] {
  const names = [judge.name, judge.model, ...conversations.flatMap(({ model, model_id }) => [model, model_id])];
  return [...new Set(names)].filter((name) => name !== "").sort();
}
