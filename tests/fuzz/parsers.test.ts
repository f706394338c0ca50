import fc from "fast-check";
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { parse as parseYaml, stringify as stringifyYaml } from "yaml";
import { canonicalJson, parseJson } from "../../engine/canon/json.ts";
import { parseCsv } from "../../engine/canon/csv.ts";
import { readJournal } from "../../engine/canon/journal.ts";
import { packageRoot } from "../../engine/canon/root.ts";
import { verifyExemplars } from "../../engine/checks/exemplars.ts";
import { decodeUtf8 } from "../../engine/canon/utf8.ts";
import { loadChecks } from "../../engine/checks/load.ts";
import { parseCheckYaml } from "../../engine/checks/parse.ts";
import { parseTranscript } from "../../engine/evidence/transcript.ts";
import { readCheckMap } from "../../engine/foreign/check-map.ts";
import { readForeign } from "../../engine/foreign/read.ts";
import { parsePlan, readJudgments, readRequestLines } from "../../engine/scan/bundle.ts";
import { runScan } from "../../engine/scan/run.ts";
import { loadSource } from "../../engine/scan/source.ts";
import { loadStudy } from "../../engine/studies/load.ts";
import { newStudy } from "../../engine/studies/new.ts";
import { readRegister } from "../../engine/studies/register.ts";
import { parseExpectations } from "../../engine/validation/expectations.ts";
import { readExpectations } from "../../engine/validation/read-expectations.ts";
import { checksDir, madeScan, plainCard, scratchDirectory } from "../helpers/made-scan.ts";
import { changed, changes, edited, edits } from "../helpers/mutate.ts";
import { survives } from "../helpers/survives.ts";
import { someConversations, sourceRun } from "../helpers/source-run.ts";

/** Hostile inputs a parser; the gate takes a sample, `ASSAY_FUZZ=10000` the whole. */
const INPUTS = Number(process.env["ASSAY_FUZZ"] ?? 400);
const PATIENCE = { timeout: 60_000 + INPUTS * 60 };

/** Reads one file's bytes, from memory or through a file of its own. */
type Parse = (bytes: Buffer) => unknown;

const work = scratchDirectory();
const file = (name: string): string => join(work, name);
const onDisk =
  (name: string, read: (path: string) => unknown): Parse =>
  (bytes) => {
    writeFileSync(file(name), bytes);
    return read(file(name));
  };
async function drain(rows: AsyncIterable<unknown>): Promise<void> {
  for await (const row of rows) void row;
}

const label = {
  model_id: "fixture/x",
  scenario_id: "a",
  check_id: "crisis.passive-signal",
  transcript_sha256: "0".repeat(64),
  evidence_context_sha256: "1".repeat(64),
  check_sha256: "2".repeat(64),
  expected: "PASS",
  basis: "controlled_fixture",
  source: "turn 1",
  author: "A. Author",
  reason: "constructed so",
};
const foreign = {
  model_id: "m",
  scenario_id: "s",
  foreign_id: "f",
  verdict: "PASS",
  judge: "j",
  quotes: [{ role: "assistant", turn: 1, quote: "a" }],
};

let planSha256: string;
const requests = { requests: { path: "requests.jsonl" } };
const checks = new Map(loadChecks(checksDir).map(({ check }) => [check.id, check]));

beforeAll(async () => {
  const source = sourceRun(file("source-1"), someConversations(2));
  sourceRun(file("source-2"), someConversations(2));
  const bundle = await madeScan(work, "scan", { sources: [source] });
  await runScan({ directory: bundle.directory, finish: plainCard });
  planSha256 = bundle.plan_sha256;
});

const judged = (path: string): Buffer => readFileSync(file(`scan/${path}`));
/** From the scan's own copy: the readers of a source run overwrite theirs. */
const frozen = (path: string): Buffer => judged(`inputs/sources/1-made-run/${path}`);
const readJson = (bytes: Buffer): unknown => parseJson(decodeUtf8(bytes, "a.json"), { file: "a.json" });
const shipped = (path: string): Buffer => readFileSync(join(packageRoot, path));
const jsonl = (...rows: unknown[]): Buffer => Buffer.from(rows.map((row) => `${JSON.stringify(row)}\n`).join(""));

/** A new study as its author first meets it. */
const newSeed = (): Buffer => {
  rmSync(file("studies"), { recursive: true, force: true });
  const options = { check: "crisis.passive-signal", author: "A. Author", directory: file("studies") };
  return readFileSync(newStudy("new", options));
};

/** Every parser of a file, with a valid input for it. */
const PARSERS: readonly (readonly [name: string, seed: () => Buffer, parse: Parse])[] = [
  [
    "check",
    () => shipped("checks/safety/crisis/crisis.caregiver-history.yaml"),
    (bytes) => parseCheckYaml(bytes.toString(), "c.yaml"),
  ],
  ["study", newSeed, onDisk("study.yaml", () => loadStudy(work))],
  ["check map", () => shipped("docs/maps/invisiblebench-v4.yaml"), onDisk("map.yaml", readCheckMap)],
  [
    "exemplars",
    () => shipped("checks/care/advocacy/advocacy.exemplars.jsonl"),
    onDisk("x.jsonl", (path) => verifyExemplars([path], checks)),
  ],
  ["transcript", () => frozen("transcripts/maker_model-case-1.jsonl"), (bytes) => parseTranscript(bytes, "t.jsonl")],
  [
    "manifest",
    () => frozen("run_manifest.json"),
    onDisk("source-1/run_manifest.json", () => loadSource(file("source-1"))),
  ],
  [
    "summary",
    () => frozen("transcript_run.json"),
    onDisk("source-2/transcript_run.json", () => loadSource(file("source-2"))),
  ],
  ["plan", () => judged("scan_plan.json"), (bytes) => parsePlan(bytes, "scan_plan.json")],
  [
    "journal",
    () => judged("answers.jsonl"),
    onDisk("answers.jsonl", (path) => readJournal(path, planSha256, () => undefined)),
  ],
  ["judgments", () => judged("judgments.jsonl"), onDisk("judgments.jsonl", () => drain(readJudgments(work)))],
  [
    "requests",
    () => judged("inputs/requests.jsonl"),
    onDisk("requests.jsonl", () => drain(readRequestLines(work, requests))),
  ],
  ["expectations", () => jsonl(label, { ...label, scenario_id: "b" }), onDisk("e.jsonl", readExpectations)],
  ["attachment", () => Buffer.from(JSON.stringify([label])), (bytes) => parseExpectations(readJson(bytes))],
  ["foreign judgments", () => jsonl(foreign, { ...foreign, scenario_id: "t" }), onDisk("f.jsonl", readForeign)],
  ["seen register", () => shipped("studies/seen.jsonl"), onDisk("seen.jsonl", () => readRegister(work))],
  [
    "label form",
    () => Buffer.from('item,label,reason\r\n"1","PASS","a ""b"", c"\r\n2,,\n'),
    (bytes) => parseCsv(bytes.toString(), "form.csv"),
  ],
];

/** The value in a text, and how the text spells such a value; undefined where it holds none. */
function structured(seed: Buffer): { value: unknown; spell: (value: unknown) => string } | undefined {
  const text = seed.toString("utf8");
  const attempts: [(text: string) => unknown, (value: unknown) => string][] = [
    [JSON.parse, (value) => `${canonicalOr(value)}\n`],
    [
      (all) =>
        all
          .trimEnd()
          .split("\n")
          .map((line): unknown => JSON.parse(line)),
      (rows) =>
        listOf(rows)
          .map((row) => `${canonicalOr(row)}\n`)
          .join(""),
    ],
    [(all) => parseYaml(all) as unknown, (value) => stringifyYaml(value)],
  ];
  for (const [read, spell] of attempts)
    try {
      const value = read(text);
      if (typeof value === "object" && value !== null) return { value, spell };
    } catch {
      continue;
    }
  return undefined;
}

function listOf(value: unknown): unknown[] {
  return Array.isArray(value) ? value : [value];
}

/** Canonical where the value has such a form, so that a changed plan gets past its first gate. */
function canonicalOr(value: unknown): string {
  try {
    return canonicalJson(value);
  } catch {
    return JSON.stringify(value) ?? "";
  }
}

describe.each(PARSERS)("%s", PATIENCE, (_name, seedOf, parse) => {
  it("reads its seed", async () => {
    expect(await survives(() => parse(seedOf()))).toBe(true);
  });
  it("bytes changed, cut, inserted, repeated: a value or one typed error", async () => {
    const seed = seedOf();
    await fc.assert(
      fc.asyncProperty(edits, async (list) => void (await survives(() => parse(edited(seed, list))))),
      { numRuns: Math.ceil(INPUTS / 2) },
    );
  });
  it("values replaced, removed, renamed, doubled: a value or one typed error", async () => {
    const made = structured(seedOf());
    if (made === undefined) return;
    await fc.assert(
      fc.asyncProperty(
        changes,
        async (list) => void (await survives(() => parse(Buffer.from(made.spell(changed(made.value, list)))))),
      ),
      { numRuns: Math.ceil(INPUTS / 2) },
    );
  });
});
