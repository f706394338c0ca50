import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { madeScan, scratchDirectory } from "../../../tests/helpers/made-scan.ts";
import { checksOf } from "../../../tests/helpers/scripted-judge.ts";
import { sourceRun, talk } from "../../../tests/helpers/source-run.ts";
import { writeCard } from "../../reports/card.ts";
import { compareScans } from "../../reports/compare.ts";
import { openFinishedScan } from "../../reports/finished.ts";
import { reviewerAgreement } from "../../reports/reviewers.ts";
import { runScan } from "../../scan/index.ts";
import { FormRow } from "../../schema/label-kit.ts";
import { readExpectations } from "../read-expectations.ts";
import { isModelAuthor } from "./authors.ts";
import { exportKit } from "./kit.ts";
import { importReviews } from "./review.ts";

const directory = scratchDirectory();
const kit = join(directory, "kit");
const checksDir = checksOf(join(directory, "checks"), {
  "made.bad": { questions: { bad: { instructions: "Is it bad?" } }, fail_if: [{ question: "bad" }] },
  "made.worse": { questions: { worse: { instructions: "Is it worse?" } }, fail_if: [{ question: "worse" }] },
});
const names = ["secretlab/hidden-model-7", "secret-scenario-one", "secret-scenario-two", "constant", "made-run"];
let scan = "";

beforeAll(async () => {
  const rows = names.slice(1, 3).map((scenario_id) => ({
    model_id: names[0]!,
    scenario_id,
    turns: talk("hello \u001b[31m", "fine").map((turn) => ({ ...turn, served_by: names[0] })),
    transcript_path: `t-${scenario_id}.jsonl`,
  }));
  const run = sourceRun(join(directory, "run"), rows);
  for (const { transcript_path, turns } of rows)
    writeFileSync(join(run, transcript_path), turns.map((turn) => `${JSON.stringify(turn)}\n`).join(""));
  const bundle = await madeScan(directory, "scan", { spec: "constant:yes", sources: [run], checksDir });
  await runScan({ directory: bundle.directory, finish: writeCard });
  scan = bundle.directory;
  await exportKit(scan, { output: kit });
});

type Label = Partial<Pick<FormRow, "label" | "reason" | "author">>;
let made = 0;
function filled(label: (row: FormRow) => Label, as: "csv" | "jsonl" = "jsonl"): string {
  const rows = readFileSync(join(kit, "form.jsonl"), "utf8")
    .trimEnd()
    .split("\n")
    .map((line) => FormRow.parse(JSON.parse(line)))
    .map((row) => ({ ...row, ...label(row) }));
  const file = join(directory, `form-${made++}.${as}`);
  const quote = (cell: unknown): string => `"${String(cell).replaceAll('"', '""')}"`;
  const csv = [
    "item,conversation,check_id,label,reason,author",
    ...rows.map((row) =>
      [row.item, row.conversation, row.check_id, row.label, row.reason, row.author].map(quote).join(","),
    ),
  ];
  writeFileSync(
    file,
    as === "csv" ? `\ufeff${csv.join("\r\n")}\r\n` : rows.map((row) => `${JSON.stringify(row)}\n`).join(""),
  );
  return file;
}
const output = (): string => join(directory, `labels-${made++}.jsonl`);
const ada = (row: FormRow): Label => ({
  label: row.check_id === "made.bad" ? "FAIL" : "PASS",
  reason: 'turn 1, "so"',
  author: "Ada Byron",
});
const bob = (row: FormRow): Label => ({
  ...ada(row),
  ...(row.item === "i0001" ? { label: "UNCLEAR" } : {}),
  author: "Bob Kahn",
});

function files(): [string, string][] {
  return readdirSync(kit, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => [join(entry.parentPath, entry.name), readFileSync(join(entry.parentPath, entry.name), "utf8")]);
}

describe("a kit", () => {
  it("holds no verdict, answer or name, and its key lies outside it", () => {
    expect(files().length).toBe(4 + 2 + 4);
    for (const [file, text] of files()) {
      for (const name of names) {
        expect(text, file).not.toContain(name);
        expect(file.slice(directory.length)).not.toContain(name);
      }
      if (!file.endsWith("README.md"))
        expect(text, file).not.toMatch(/PASS|FAIL|UNCLEAR|NOT_APPLICABLE|0\.9|verdict|probab/);
      expect(text.replaceAll(/[\n\r\t]/g, "")).not.toMatch(/\p{Cc}/u);
    }
    expect(existsSync(`${kit}.key.json`)).toBe(true);
  });

  it("is shuffled by the plan's digest alone, and can be a part", async () => {
    const again = await exportKit(scan, { output: join(directory, "again") });
    for (const name of ["kit.json", "form.csv"])
      expect(readFileSync(join(directory, "again", name))).toEqual(readFileSync(join(kit, name)));
    const part = await exportKit(scan, { output: join(directory, "part"), checkIds: ["made.bad"], limit: 1 });
    expect(part).toMatchObject({ seed: again.seed, items: 1, conversations: 1, checks: 1 });
    await expect(exportKit(scan, { output: join(directory, "no"), checkIds: ["made.none"] })).rejects.toMatchObject({
      code: "bad_check",
    });
    await expect(exportKit(scan, { output: kit })).rejects.toMatchObject({ code: "exists" });
  });
});

describe("what reviewers return", () => {
  it("comes back as bound expectations, with their agreement; disputed items make none", async () => {
    const target = output();
    const review = importReviews([filled(ada, "csv"), filled(bob)], { kit, output: target });
    expect(review).toMatchObject({
      items: 4,
      authors: ["Ada Byron", "Bob Kahn"],
      unlabelled: 0,
      disputed: [{ item: "i0001" }],
    });
    const rows = await readExpectations(target);
    expect(rows).toEqual(review.expectations);
    expect(rows).toHaveLength(3);
    for (const row of rows) {
      expect(row).toMatchObject({ model_id: names[0], basis: "independent_review", author: "Ada Byron; Bob Kahn" });
      expect(row.source).toMatch(/^blind kit [0-9a-f]{12}, item i000[2-4]$/);
    }
    const view = await openFinishedScan(scan);
    const data = await compareScans(view, view, { expectations: rows });
    expect(data.expectation_agreement.new).toMatchObject({ labeled_judgments: 3, unbound_expectations: [] });
    const [pair] = reviewerAgreement(review.labelled, review.claim);
    expect(pair).toMatchObject({ a: "Ada Byron", b: "Bob Kahn", agreed: { numerator: 3, denominator: 4, rate: null } });
    expect(pair?.kappa.ci).not.toBeNull();
    expect(reviewerAgreement(review.labelled, "frozen_validation_cases")[0]?.kappa.ci).toBeNull();
  });

  it("may be a part: empty labels are items not labelled", () => {
    const some = filled((row) => (row.item === "i0002" ? ada(row) : {}));
    expect(importReviews([some], { kit, output: output() })).toMatchObject({
      unlabelled: 3,
      expectations: { length: 1 },
      disputed: [],
    });
  });

  it.each<[string, (row: FormRow) => Label, string]>([
    ["no author", (row) => ({ ...ada(row), author: " " }), "no_author"],
    ["a model as author", (row) => ({ ...ada(row), author: "gpt-5-mini" }), "model_author"],
    ["the judged model as author", (row) => ({ ...ada(row), author: names[0]!.toUpperCase() }), "model_author"],
    ["no reason", (row) => ({ ...ada(row), reason: "" }), "no_reason"],
    ["no label", () => ({}), "no_labels"],
    ["another item's check", (row) => ({ ...ada(row), check_id: "made.other" }) as Label, "bad_form"],
  ])("is refused with %s", (_name, label, code) => {
    const target = output();
    expect(() => importReviews([filled(label)], { kit, output: target })).toThrowError(
      expect.objectContaining({ code }) as Error,
    );
    expect(existsSync(target)).toBe(false);
  });

  it("is refused twice from one author, with a verdict that is none, and under another kit's key", async () => {
    const twice = [filled(ada), filled(ada, "csv")];
    expect(() => importReviews(twice, { kit, output: output() })).toThrowError(
      expect.objectContaining({ code: "labelled_twice" }) as Error,
    );
    const odd = join(directory, "odd.csv");
    writeFileSync(odd, readFileSync(join(kit, "form.csv"), "utf8").replace(/,,,/, ",MAYBE,so,Ada Byron"));
    expect(() => importReviews([odd], { kit, output: output() })).toThrow(/odd\.csv:2: label/);
    await exportKit(scan, { output: join(directory, "other"), limit: 2 });
    const key = join(directory, "other.key.json");
    expect(() => importReviews([filled(ada)], { kit, key, output: output() })).toThrowError(
      expect.objectContaining({ code: "bad_kit" }) as Error,
    );
  });
});

describe("isModelAuthor", () => {
  it.each([
    "GPT-5",
    "claude",
    "Claude Opus 4.8",
    "claude-3",
    "openai/gpt-5-mini",
    "an LLM",
    "AI reviewer",
    "lexicon",
    "constant:yes",
    "o3-mini",
    "Qwen3",
    "ChatGPT",
    "assistant",
  ])("refuses %s", (name) => expect(isModelAuthor(name, [])).toBe(true));
  it.each([
    "Claude Monet",
    "Ada Byron",
    "Phi Nguyen",
    "Ai Weiwei",
    "Dr. Nova Smith",
    "reviewer 2",
    "J. Opus",
    "María José",
  ])("takes %s", (name) => expect(isModelAuthor(name, ["some/model"])).toBe(false));
});
