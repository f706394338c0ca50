import { appendFileSync, existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { scratchDirectory } from "../../tests/helpers/made-scan.ts";
import { sourceRun, talk } from "../../tests/helpers/source-run.ts";
import { sha256 } from "../canon/json.ts";
import { packageRoot } from "../canon/root.ts";
import { openFinishedScan } from "../reports/finished.ts";
import type { ForeignJudgment } from "../schema/foreign.ts";
import { importSource } from "../sources/index.ts";
import { importForeign, openForeign, readCheckMap } from "./index.ts";

const directory = scratchDirectory();
const turns = talk("I slept badly.", "Rest is 5 € away, 😀 truly.", "No.", "Then call.");
const run = sourceRun(join(directory, "run"), [
  { scenario_id: "one", turns },
  { scenario_id: "two", turns },
]);
const bytes = turns.map((turn) => `${JSON.stringify(turn)}\n`).join("");
const base = { model_id: "maker/model", scenario_id: "one", foreign_id: "x.one", verdict: "FAIL", judge: "someone" };

let made = 0;
function written(rows: readonly unknown[], name = `given-${made++}.jsonl`): string {
  const file = join(directory, name);
  writeFileSync(file, rows.map((row) => `${typeof row === "string" ? row : JSON.stringify(row)}\n`).join(""));
  return file;
}
const output = (): string => join(directory, `out-${made++}`);
const imported = async (rows: readonly unknown[]) => importForeign([written(rows)], { run, output: output() });

async function rowsOf(path: string): Promise<ForeignJudgment[]> {
  const rows: ForeignJudgment[] = [];
  for await (const row of (await openForeign(path)).judgments()) rows.push(row);
  return rows;
}

describe("importing plain JSONL", () => {
  it("keeps identity, digest, verdict, repeats and quotes with their place, and counts the rest", async () => {
    const quotes = [
      { role: "assistant", turn: 1, quote: "😀 truly" },
      { role: "assistant", turn: 1, quote: "rest is" },
      { role: "user", turn: 9, quote: "No." },
      { role: "assistant", turn: 2, quote: "" },
    ];
    const result = await imported([
      { ...base, quotes, repeats: ["FAIL", "PASS", "FAIL"], transcript_sha256: sha256(bytes), score: 3 },
      { ...base, foreign_id: "x.two", verdict: "NOT_APPLICABLE", repeats: ["NOT_APPLICABLE"], scorer: "regex 1" },
      { ...base, scenario_id: "three" },
    ]);
    expect(result).toMatchObject({
      judge: "someone",
      engine: "unknown",
      claim: "target_model_conversations",
      accuracy_claim: false,
      judgments: { rows: 2 },
      counts: { PASS: 0, FAIL: 1, UNCLEAR: 0, NOT_APPLICABLE: 1 },
      quotes: { total: 4, unfound: 3 },
      repeats: { judgments: 1, split: 1 },
      not_held: 1,
      dropped: [{ field: "score", count: 1 }],
    });
    const [first, second] = await rowsOf(result.directory);
    expect(first).toMatchObject({
      foreign_id: "x.one",
      transcript_sha256: sha256(bytes),
      repeats: ["FAIL", "PASS", "FAIL"],
    });
    expect(first?.quotes[0]).toEqual({ ...quotes[0], found: true, start: 18, end: 26 });
    expect(turns[1]?.content.slice(18, 26)).toBe("😀 truly");
    for (const quote of first?.quotes.slice(1) ?? [])
      expect(quote).toMatchObject({ found: false, start: null, end: null });
    expect(second).toMatchObject({ verdict: "NOT_APPLICABLE", scorer: "regex 1", quotes: [] });
  });

  it("gives equal bytes for equal inputs", async () => {
    const file = written([base]);
    const [a, b] = [
      await importForeign([file], { run, output: output() }),
      await importForeign([file], { run, output: output() }),
    ];
    for (const name of ["foreign.json", "foreign_judgments.jsonl"])
      expect(readFileSync(join(a.directory, name))).toEqual(readFileSync(join(b.directory, name)));
  });

  it.each<[string, unknown[], string, RegExp]>([
    ["no line", [], "no_judgments", /holds no judgment/],
    ["a blank line", [base, "", base], "blank_line", /:2: /],
    ["what is not JSON", ["{"], "bad_json", /:1: /],
    ["a verdict of its own", [{ ...base, verdict: "MAYBE" }], "bad_record", /:1: verdict/],
    ["no judge", [{ ...base, judge: undefined }], "bad_record", /judge/],
    ["two judges", [base, { ...base, foreign_id: "y", judge: "another" }], "two_judges", /:2: /],
    ["a judgment twice", [base, base], "duplicate_judgment", /x\.one of maker\/model one twice/],
    ["other bytes", [{ ...base, transcript_sha256: sha256("other") }], "transcript_differs", /other bytes/],
    ["only strangers", [{ ...base, scenario_id: "three" }], "no_shared_conversation", /--run/],
    ["a schema that is none", [JSON.stringify({ schema: "some-scores/v9" })], "bad_format", /some-scores/],
  ])("refuses %s", async (_name, rows, code, message) => {
    const out = output();
    const attempt = importForeign([written(rows)], { run, output: out });
    await expect(attempt).rejects.toMatchObject({ code });
    await expect(attempt).rejects.toThrow(message);
    expect(existsSync(out)).toBe(false);
  });
});

describe("an imported directory", () => {
  it("is refused when its rows changed, and is no scan to compare", async () => {
    const { directory: out } = await imported([base]);
    await expect(openFinishedScan(out)).rejects.toMatchObject({ code: "no_plan" });
    appendFileSync(join(out, "foreign_judgments.jsonl"), " ");
    await expect(openForeign(out)).rejects.toMatchObject({ code: "digest_mismatch" });
    await expect(openForeign(run)).rejects.toMatchObject({ code: "no_foreign" });
  });
});

describe("a declared map", () => {
  const entry = { foreign_id: "x.one", check_id: "made.bad", author: "A. Author", reason: "same wording" };
  it("is YAML or JSON", () => {
    const yaml = join(directory, "map.yaml");
    writeFileSync(yaml, "- foreign_id: x.one\n  check_id: made.bad\n  author: A. Author\n  reason: same wording\n");
    const json = join(directory, "map.json");
    writeFileSync(json, JSON.stringify([entry]));
    for (const file of [yaml, json]) {
      const map = readCheckMap(file);
      expect(map.entries).toEqual([entry]);
      expect([map.checkOf("x.one"), map.checkOf("x.two")]).toEqual(["made.bad", undefined]);
    }
  });

  it.each([
    ["one id mapped twice", [entry, { ...entry, check_id: "made.other" }], /x\.one twice/],
    ["one check mapped twice", [entry, { ...entry, foreign_id: "x.two" }], /made\.bad twice/],
    ["no author", [{ ...entry, author: "" }], /author/],
    ["no reason", [{ foreign_id: "x", check_id: "made.bad", author: "A" }], /reason/],
    ["nothing", [], /./],
  ])("is refused with %s", (_name, rows, message) => {
    const file = join(directory, "bad-map.json");
    writeFileSync(file, JSON.stringify(rows));
    expect(() => readCheckMap(file)).toThrow(message);
  });
});

const real = join(packageRoot, "../shared/real/invisiblebench-v4");
const models = [
  ["qwen-qwen3-6-35b-a3b", { PASS: 1536, FAIL: 75, UNCLEAR: 0, NOT_APPLICABLE: 1539 }, 2215, 423],
  ["anthropic-claude-opus-4-8", { PASS: 1554, FAIL: 61, UNCLEAR: 0, NOT_APPLICABLE: 1535 }, 2301, 468],
] as const;

describe.skipIf(!existsSync(real))("real judgments of another engine (skipped where ../shared is absent)", () => {
  it("have the counts their notes state, and every quote kept as found is there", { timeout: 120_000 }, async () => {
    const realRun = join(directory, "real-run");
    await importSource(
      "invisiblebench",
      models.map(([name]) => join(real, `${name}.transcripts.json`)),
      realRun,
    );
    for (const [name, counts, total, unfound] of models) {
      const result = await importForeign([join(real, `${name}.scores.json`)], { run: realRun, output: output() });
      expect(result).toMatchObject({
        judge: "openai/gpt-5-mini",
        judgments: { rows: 3150 },
        counts,
        quotes: { total, unfound },
      });
    }
    const both = await importForeign(
      models.map(([name]) => join(real, `${name}.scores.json`)),
      { run: realRun, output: output() },
    );
    expect(both).toMatchObject({
      judgments: { rows: 6300 },
      counts: { PASS: 3090, FAIL: 136, UNCLEAR: 0, NOT_APPLICABLE: 3074 },
      quotes: { total: 4516, unfound: 891 },
      run: { conversations: 126 },
      not_held: 0,
    });
    let repeated = 0;
    let split = 0;
    const scores = models.map(
      ([name]) => JSON.parse(readFileSync(join(real, `${name}.scores.json`), "utf8")) as Scores,
    );
    for (const { rows } of scores)
      for (const { mode_results } of rows)
        for (const { extra } of mode_results) {
          const given = extra.all_verdicts ?? [];
          if (given.length > 1) repeated += 1;
          if (new Set(given).size > 1) split += 1;
        }
    expect(both.repeats).toEqual({ judgments: repeated, split });
  });
});

interface Scores {
  rows: { mode_results: { extra: { all_verdicts?: string[] } }[] }[];
}
