import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { madeScan, scratchDirectory, type MadeScan } from "../../tests/helpers/made-scan.ts";
import { checksOf, scriptedJudge } from "../../tests/helpers/scripted-judge.ts";
import { sourceRun, talk } from "../../tests/helpers/source-run.ts";
import { packageRoot } from "../canon/root.ts";
import { importForeign } from "../foreign/index.ts";
import { readJudgments, runScan } from "../scan/index.ts";
import { VERDICTS, type Verdict } from "../schema/verdict.ts";
import { openTables } from "../tables/open.ts";
import { runQuery } from "../tables/query.ts";
import { importSource } from "../sources/index.ts";
import { krippendorffAlpha } from "../stats/index.ts";
import { emptyMatrix, type Matrix } from "../validation/index.ts";
import { printAgreement } from "./agreement-print.ts";
import { agreementOf } from "./agreement.ts";
import { writeCard } from "./card.ts";
import { pairAgreement } from "./pair-agreement.ts";

const directory = scratchDirectory();
const made = (change: object = {}) => ({
  "made.bad": { questions: { bad: { instructions: "bad" } }, fail_if: [{ question: "bad" }], ...change },
  "made.worse": { questions: { worse: { instructions: "worse" } }, fail_if: [{ question: "worse" }] },
});
const checksDir = checksOf(join(directory, "checks"), made());
const otherChecks = checksOf(join(directory, "other-checks"), made({ summary: "Another wording." }));
const cases = ["one", "two", "three", "four"];
const run = sourceRun(
  join(directory, "run"),
  cases.map((scenario_id) => ({ scenario_id, turns: talk(`u ${scenario_id}`, `a ${scenario_id}`) })),
);

/** A scan whose answers depend on the reply: the listed ones are yes to every question. */
async function scan(name: string, yes: string[], { settings = {}, ...options }: MadeScan = {}, open: string[] = []) {
  const bundle = await madeScan(directory, name, {
    spec: "constant:half",
    settings,
    sources: [run],
    checksDir,
    ...options,
  });
  const judge = scriptedJudge(bundle, (_question, { assistant }, call) =>
    open.some((word) => assistant === `a ${word}`)
      ? call % 2 === 0
        ? 0.9
        : 0.1
      : yes.some((word) => assistant === `a ${word}`)
        ? 0.9
        : 0.1,
  );
  await runScan({ directory: bundle.directory, judge, finish: writeCard, concurrency: 1 });
  return bundle.directory;
}

async function foreign(name: string, rows: Record<string, [Verdict, Verdict[]?]>) {
  const file = join(directory, `${name}.jsonl`);
  const lines = Object.entries(rows).map(([scenario_id, [verdict, repeats = []]]) =>
    JSON.stringify({ model_id: "maker/model", scenario_id, foreign_id: "their.bad", verdict, repeats, judge: name }),
  );
  const extra = {
    model_id: "maker/model",
    scenario_id: "one",
    foreign_id: "their.other",
    verdict: "PASS",
    judge: name,
  };
  writeFileSync(file, `${[...lines, JSON.stringify(extra)].join("\n")}\n`);
  return (await importForeign([file], { run, output: join(directory, name) })).directory;
}

const mapFile = join(directory, "map.yaml");
writeFileSync(mapFile, "- {foreign_id: their.bad, check_id: made.bad, author: A. Author, reason: alike}\n");

const tables = fc.array(fc.nat(12), { minLength: 16, maxLength: 16 }).map((counts) => {
  const table = emptyMatrix();
  VERDICTS.forEach((row, i) => VERDICTS.forEach((column, j) => (table[row][column] = counts[4 * i + j]!)));
  return table;
});

function unitsOf(table: Matrix): number[][] {
  return VERDICTS.flatMap((row, i) =>
    VERDICTS.flatMap((column, j) => Array.from({ length: table[row][column] }, () => [i, j])),
  );
}

describe("pairAgreement", () => {
  it("has the alpha of its units, and the delete-one jackknife's interval", () => {
    fc.assert(
      fc.property(tables, (table) => {
        const units = unitsOf(table);
        const { alpha } = krippendorffAlpha(units, "nominal");
        const found = pairAgreement(table).alpha;
        if (alpha === null) return expect(found.value).toBeNull();
        expect(found.value).toBeCloseTo(alpha, 12);
        if (found.ci === null) return;
        const left = units.map(
          (_, u) =>
            krippendorffAlpha(
              units.filter((_row, i) => i !== u),
              "nominal",
            ).alpha!,
        );
        const mean = left.reduce((sum, value) => sum + value, 0) / left.length;
        const se = Math.sqrt(
          ((left.length - 1) / left.length) * left.reduce((sum, value) => sum + (value - mean) ** 2, 0),
        );
        expect(found.ci[0]).toBeCloseTo(alpha - 1.959963984540054 * se, 9);
      }),
      { numRuns: 60 },
    );
  });

  it("has rates from thirty judgments on, and a constant judge beside each side", () => {
    const table = emptyMatrix();
    table.PASS.PASS = 20;
    table.FAIL.PASS = 9;
    expect(pairAgreement(table)).toMatchObject({
      agreed: { numerator: 20, denominator: 29, rate: null, ci: null },
      baselines: [
        { against: "a", always: "PASS", agreed: { numerator: 20, denominator: 29 }, kappa: { value: 0 } },
        { against: "b", always: "PASS", agreed: { numerator: 29, denominator: 29 }, kappa: { value: null } },
      ],
    });
    table.PASS.PASS = 21;
    expect(pairAgreement(table).agreed.rate).toBe(0.7);
    expect(pairAgreement(emptyMatrix())).toMatchObject({
      agreed: { numerator: 0, denominator: 0, rate: null },
      kappa: { value: null, reason: "no items" },
      alpha: { value: null },
      ac1: { value: null },
    });
  });
});

describe("agreementOf", () => {
  it("sets scans and foreign judgments side by side under the declared map", async () => {
    const a = await scan("a", ["one", "two"]);
    const b = await scan("b", ["one", "three"], { spec: "constant:no" });
    const theirs = await foreign("them", { one: ["FAIL"], two: ["FAIL"], three: ["NOT_APPLICABLE"] });
    const data = await agreementOf([a, b, theirs], mapFile);
    expect(data).toMatchObject({ accuracy_claim: false, claim: "target_model_conversations", map_unused: [] });
    expect(data.judges.map(({ kind, judgments }) => [kind, judgments])).toEqual([
      ["native", 8],
      ["native", 8],
      ["foreign", 4],
    ]);
    expect(data.judges[2]?.unmapped).toEqual([{ foreign_id: "their.other", judgments: 1 }]);
    const [ab, aForeign] = data.pairs;
    expect(ab).toMatchObject({
      conversations: { shared: 4, a_only: 0, b_only: 0 },
      overall: { agreed: { numerator: 4, denominator: 8 } },
      checks: [
        { check_id: "made.bad", definitions: "same", agreed: { numerator: 2, denominator: 4 } },
        { check_id: "made.worse", definitions: "same" },
      ],
    });
    expect(
      ab?.disagreements.map(({ check_id, scenario_id, verdict_a, verdict_b }) => [
        check_id,
        scenario_id,
        verdict_a,
        verdict_b,
      ]),
    ).toEqual([
      ["made.bad", "two", "FAIL", "PASS"],
      ["made.bad", "three", "PASS", "FAIL"],
      ["made.worse", "two", "FAIL", "PASS"],
      ["made.worse", "three", "PASS", "FAIL"],
    ]);
    expect(aForeign).toMatchObject({
      conversations: { shared: 3, a_only: 1 },
      checks: [{ check_id: "made.bad", definitions: "different", agreed: { numerator: 2, denominator: 3 } }],
    });
    expect(aForeign?.overall.table.PASS.NOT_APPLICABLE).toBe(1);
    expect(data.all_judges).toMatchObject([{ check_id: "made.bad", units: 4, judges: { length: 3 } }]);
    const text = printAgreement(data);
    for (const said of ["Agreement is not correctness", "always ", "their.other", "definitions differ"])
      expect(text).toContain(said);
    expect(text).not.toContain("%  ");
  });

  it("leaves changed definitions out, named", async () => {
    const a = await scan("before", ["one"]);
    const b = await scan("after", ["one"], { checksDir: otherChecks });
    const [pair] = (await agreementOf([a, b])).pairs;
    expect(pair).toMatchObject({ changed_definitions: ["made.bad"], checks: [{ check_id: "made.worse" }] });
  });

  it("joins by transcript bytes, not by name", async () => {
    const a = await scan("bytes-a", ["one"]);
    const other = sourceRun(
      join(directory, "other-run"),
      cases.map((scenario_id, i) => ({
        scenario_id,
        turns: talk(`u ${scenario_id}${i === 0 ? "!" : ""}`, `a ${scenario_id}`),
      })),
    );
    const b = await scan("bytes-b", ["one"], { sources: [other] });
    expect((await agreementOf([a, b])).pairs[0]?.conversations).toMatchObject({ shared: 3, other_bytes: 1 });
  });

  it("sets a judge against itself over native repeats", async () => {
    const a = await scan("repeated", ["one"], { settings: { repeats: 2 }, checkIds: ["made.bad"] }, ["two"]);
    const { self, pairs } = await agreementOf([a]);
    expect(pairs).toEqual([]);
    expect(self).toMatchObject([
      {
        from: "native repeats",
        overall: { judgments: 4, unanimous: { numerator: 3, denominator: 4 }, split: 1, constant: "PASS" },
        checks: [{ about: "made.bad" }],
        split_judgments: [{ scenario_id: "two", about: "made.bad", repeats: ["FAIL", "PASS"] }],
      },
    ]);
  });

  it("sets a judge against itself over foreign repeats", async () => {
    const theirs = await foreign("repeating", {
      one: ["FAIL", ["FAIL", "PASS", "FAIL"]],
      two: ["PASS", ["PASS", "PASS", "PASS"]],
      three: ["PASS", ["PASS"]],
    });
    const data = await agreementOf([theirs]);
    expect(data.self).toMatchObject([
      {
        from: "foreign repeats",
        overall: {
          judgments: 2,
          unanimous: { numerator: 1, denominator: 2 },
          split: 1,
          constant: "PASS",
          constant_share: { numerator: 4, denominator: 6 },
        },
        split_judgments: [{ about: "their.bad", scenario_id: "one" }],
      },
    ]);
    expect(printAgreement(data)).toContain("a constant judge");
  });

  it("refuses authored conversations, one judge alone, and one twice", async () => {
    const fixture = sourceRun(join(directory, "fixture"), [{ scenario_id: "one", turns: talk("u", "a one") }], {
      manifest: { harness: "fixture", mode: "authored" },
    });
    const authored = await scan("authored", [], { sources: [fixture] });
    const alone = await scan("alone", []);
    await expect(agreementOf([alone, authored])).rejects.toMatchObject({ code: "fixture_conversations" });
    await expect(agreementOf([alone])).rejects.toMatchObject({ code: "one_judge" });
    await expect(agreementOf([alone, alone])).rejects.toMatchObject({ code: "same_judge_twice" });
  });
});

const real = join(packageRoot, "../shared/real/invisiblebench-v4");
const models = ["qwen-qwen3-6-35b-a3b", "anthropic-claude-opus-4-8"];

interface Scores {
  rows: { model_id: string; scenario_id: string; mode_results: { mode_id: string; verdict: Verdict }[] }[];
}

describe.skipIf(!existsSync(real))("a real foreign judge (skipped where ../shared is absent)", () => {
  it(
    "meets an embedded judge over 126 conversations under the shipped map, as counted from the raw files",
    { timeout: 300_000 },
    async () => {
      const source = join(directory, "real-run");
      await importSource(
        "invisiblebench",
        models.map((name) => join(real, `${name}.transcripts.json`)),
        source,
      );
      const scores = models.map((name) => join(real, `${name}.scores.json`));
      const theirs = await importForeign(scores, { run: source, output: join(directory, "real-foreign") });
      const map = join(packageRoot, "docs/maps/invisiblebench-v4.yaml");
      const bundle = await madeScan(directory, "real-scan", {
        sources: [source],
        acceptSuspect: true,
        checkIds: ["attunement.advice-first", "crisis.passive-signal", "scope.dose-advice"],
      });
      await runScan({ directory: bundle.directory, finish: writeCard });
      const data = await agreementOf([bundle.directory, theirs.directory], map);

      const given = new Map<string, Verdict>();
      for (const file of scores)
        for (const { model_id, scenario_id, mode_results } of (JSON.parse(readFileSync(file, "utf8")) as Scores).rows)
          for (const { mode_id, verdict } of mode_results) given.set(`${model_id} ${scenario_id} ${mode_id}`, verdict);
      const modes: Record<string, string> = {
        "attunement.advice-first": "attunement.advice-first",
        "crisis.passive-signal": "crisis.passive-ideation",
        "scope.dose-advice": "scope.prescribing",
      };
      const counted = Object.fromEntries(Object.keys(modes).map((id) => [id, emptyMatrix()]));
      for await (const { model_id, scenario_id, check_id, verdict } of readJudgments(bundle.directory))
        counted[check_id]![verdict!][given.get(`${model_id} ${scenario_id} ${modes[check_id]}`)!] += 1;

      const [pair] = data.pairs;
      expect(pair?.conversations).toMatchObject({ shared: 126, a_only: 0, b_only: 0, other_bytes: 0 });
      expect(Object.fromEntries(pair?.checks.map(({ check_id, table }) => [check_id, table]) ?? [])).toEqual(counted);
      for (const check of pair?.checks ?? [])
        expect(check).toMatchObject({ agreed: { denominator: 126 }, definitions: "different" });
      expect(data.judges[1]?.unmapped).toHaveLength(42);

      const scratch = join(directory, "sql");
      mkdirSync(scratch);
      const connection = await openTables([bundle.directory, theirs.directory], scratch, {
        map,
        cache: join(directory, "cache"),
      });
      const { rows } = await runQuery(
        connection,
        "select check_id, verdict, foreign_verdict, n from foreign_agreement order by all",
      );
      const cells = Object.entries(counted).flatMap(([id, table]) =>
        VERDICTS.flatMap((row) => VERDICTS.map((column) => [id, row, column, table[row][column]])),
      );
      const sorted = (list: unknown[]): string[] => list.map((row) => JSON.stringify(row)).sort();
      expect(sorted(rows)).toEqual(sorted(cells.filter(([, , , n]) => n !== 0)));
      const totals = await runQuery(
        connection,
        "select count(*)::integer, sum(quotes)::integer, sum(unfound)::integer, (count(*) filter (where split))::integer from foreign_judgments",
      );
      expect(totals.rows).toEqual([[6300, 4516, 891, theirs.repeats.split]]);
      const found = await runQuery(
        connection,
        "select count(*)::integer from foreign_quotes q join turns t using (transcript_sha256, role, turn) where q.found and not contains(t.content, q.quote)",
      );
      expect(found.rows).toEqual([[0]]);
      connection.closeSync();
      expect(data.self[0]?.overall).toMatchObject({ judgments: theirs.repeats.judgments, split: theirs.repeats.split });
    },
  );
});
