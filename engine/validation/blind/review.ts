import { existsSync } from "node:fs";
import { parseCsv } from "../../canon/csv.ts";
import { AssayError } from "../../canon/errors.ts";
import { readText, writeAtomic } from "../../canon/files.ts";
import { canonicalJson, parseJson, parseLine, parseWith, sha256 } from "../../canon/json.ts";
import { confined } from "../../canon/paths.ts";
import type { Expectation } from "../../schema/expectation.ts";
import { FormRow, LabelKey, LabelKit } from "../../schema/label-kit.ts";
import type { Claim, Verdict } from "../../schema/verdict.ts";
import { isModelAuthor } from "./authors.ts";
import { FORM_COLUMNS, keyFileOf } from "./kit.ts";

export interface ReviewedItem {
  item: string;
  model_id: string;
  scenario_id: string;
  check_id: string;
  labels: { author: string; label: Verdict; reason: string }[];
}

export interface Review {
  output: string;
  claim: Claim;
  items: number;
  authors: string[];
  expectations: Expectation[];
  /** Items with a label, in the kit's order. */
  labelled: ReviewedItem[];
  /** Reviewers differ: no expectation is made of these, by vote or otherwise. */
  disputed: ReviewedItem[];
  unlabelled: number;
}

/**
 * Filled-in forms as expectations with basis `independent_review`, bound by the digests of the kit's key. An item on
 * which all its reviewers agree becomes one expectation; one on which they differ becomes none, and is listed.
 * Throws `bad_kit`, `bad_form`, `no_author`, `model_author`, `no_reason`, `labelled_twice`, `no_labels`, `exists`.
 */
export function importReviews(
  files: readonly string[],
  options: { kit: string; key?: string | undefined; output: string },
): Review {
  const { kit, key, kit_sha256 } = readKit(options.kit, options.key ?? keyFileOf(options.kit));
  if (existsSync(options.output))
    throw new AssayError("exists", "exists already", { file: options.output, fix: "name a new file" });
  const places = new Map(kit.items.map((row) => [row.item, row]));
  const given = new Map<string, ReviewedItem["labels"]>();
  for (const file of files)
    for (const { row, line } of readForm(file)) {
      const where = { file, line };
      const place = places.get(row.item);
      if (place?.conversation !== row.conversation || place.check_id !== row.check_id)
        throw new AssayError("bad_form", `${row.item} is not ${row.conversation} ${row.check_id} in this kit`, {
          ...where,
          fix: "fill in the kit's own form, and leave its first three columns",
        });
      if (row.label === "") continue;
      const author = row.author.trim();
      const reason = row.reason.trim();
      if (author === "")
        throw new AssayError("no_author", `${row.item} has a label and no author`, {
          ...where,
          fix: "name who labelled it",
        });
      if (isModelAuthor(author, key.models))
        throw new AssayError(
          "model_author",
          `${JSON.stringify(author)} is a model, and a model's label is not a review`,
          {
            ...where,
            fix: "name the person who labelled it",
          },
        );
      if (reason === "")
        throw new AssayError("no_reason", `${row.item} has a label and no reason`, {
          ...where,
          fix: "say what decides it",
        });
      const labels = given.get(row.item) ?? [];
      if (labels.some((other) => other.author === author))
        throw new AssayError("labelled_twice", `${author} labels ${row.item} twice`, { ...where, fix: "keep one" });
      labels.push({ author, label: row.label, reason });
      given.set(row.item, labels);
    }
  if (given.size === 0)
    throw new AssayError("no_labels", "holds no label", {
      file: files[0] ?? options.kit,
      fix: "fill in the form's label column",
    });
  const labelled: ReviewedItem[] = [];
  const disputed: ReviewedItem[] = [];
  const expectations: Expectation[] = [];
  for (const { item, ...identity } of key.items) {
    const labels = given.get(item);
    if (labels === undefined) continue;
    labels.sort((a, b) => (a.author < b.author ? -1 : 1));
    const { model_id, scenario_id, check_id } = identity;
    const reviewed = { item, model_id, scenario_id, check_id, labels };
    labelled.push(reviewed);
    if (new Set(labels.map(({ label }) => label)).size > 1) disputed.push(reviewed);
    else
      expectations.push({
        ...identity,
        expected: labels[0]!.label,
        basis: "independent_review",
        source: `blind kit ${kit_sha256.slice(0, 12)}, item ${item}`,
        author: labels.map(({ author }) => author).join("; "),
        reason: labels.map(({ author, reason }) => (labels.length === 1 ? reason : `${author}: ${reason}`)).join("; "),
      });
  }
  writeAtomic(options.output, expectations.map((row) => `${canonicalJson(row)}\n`).join(""));
  return {
    output: options.output,
    claim: key.claim,
    items: key.items.length,
    authors: [...new Set([...given.values()].flat().map(({ author }) => author))].sort(),
    expectations,
    labelled,
    disputed,
    unlabelled: key.items.length - labelled.length,
  };
}

function readKit(directory: string, keyFile: string): { kit: LabelKit; key: LabelKey; kit_sha256: string } {
  const file = confined(directory, "kit.json");
  const text = readText(file);
  const kit = parseWith(LabelKit, parseJson(text, { file }), { file }, "bad_kit");
  const key = parseWith(LabelKey, parseJson(readText(keyFile), { file: keyFile }), { file: keyFile }, "bad_kit");
  const kit_sha256 = sha256(text);
  if (key.kit_sha256 !== kit_sha256)
    throw new AssayError("bad_kit", "is not the kit that its key was made with", {
      file,
      fix: `give the kit of ${keyFile}, or the key of this kit with --key`,
      expected: key.kit_sha256,
      found: kit_sha256,
    });
  return { kit, key, kit_sha256 };
}

function readForm(file: string): { row: FormRow; line: number }[] {
  const text = readText(file).replace(/^\ufeff/, "");
  return text.trimStart().startsWith("{") ? formLines(text, file) : formCsv(text, file);
}

function formLines(text: string, file: string): { row: FormRow; line: number }[] {
  return text
    .split(/\r?\n/)
    .map((line, i) => ({ text: line, line: i + 1 }))
    .filter((line) => line.text.trim() !== "")
    .map(({ text: json, line }) => ({ row: parseLine(json, FormRow, { file, line }), line }));
}

function formCsv(text: string, file: string): { row: FormRow; line: number }[] {
  const [header, ...records] = parseCsv(text, file);
  const columns = header?.cells.map((name) => name.trim()) ?? [];
  const missing = FORM_COLUMNS.find((name) => !columns.includes(name));
  if (missing !== undefined)
    throw new AssayError("bad_form", `has no column ${missing}`, {
      file,
      fix: `keep the columns ${FORM_COLUMNS.join(", ")}, separated by commas`,
    });
  return records
    .filter(({ cells }) => cells.some((cell) => cell.trim() !== ""))
    .map(({ cells, line }) => {
      const row = Object.fromEntries(columns.map((name, i) => [name, cells[i]?.trim() ?? ""]));
      return { row: parseWith(FormRow, row, { file, line }, "bad_form"), line };
    });
}
