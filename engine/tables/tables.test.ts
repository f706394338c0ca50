import type { DuckDBConnection } from "@duckdb/node-api";
import { cpSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { packageRoot } from "../canon/root.ts";
import { loadChecks } from "../checks/index.ts";
import { judgeStudies } from "../studies/demo.ts";
import { loadStudy } from "../studies/load.ts";
import { readRegister, registerOf } from "../studies/register.ts";
import { seenCases } from "../studies/seen-cases.ts";
import { studyPower } from "../studies/power.ts";
import { renderStudy } from "../studies/render.ts";
import { TRIVIAL_JUDGES } from "../validation/index.ts";
import type { Table } from "./columns.ts";
import { scanTables, type ScanTables } from "./derive.ts";
import { openTables } from "./open.ts";
import { publishTables, publishedPath, scopeOf } from "./publish.ts";
import { exportQuery, runQuery, sqlError, type Cell } from "./query.ts";
import { orderOf, SCAN_TABLE_NAMES, TABLE_NAMES, TABLES } from "./schema.ts";
import { literal, openDatabase } from "./sink.ts";
import { VIEW_NAMES } from "./views.ts";

const directory = mkdtempSync(join(tmpdir(), "assay-tables-"));
const cache = join(directory, "cache");
const bundles: string[] = [];
let scans: ScanTables[] = [];
let database: DuckDBConnection;

beforeAll(async () => {
  const study = loadStudy(join(packageRoot, "studies", "caregiver-boundaries"));
  const judges = study.study.judges.filter(({ judge }) => judge !== "constant:yes" && judge !== "constant:no");
  const output = join(directory, "bundles");
  const made = await judgeStudies({
    studies: [{ ...study, study: { ...study.study, judges } }],
    output,
    checksDir: join(packageRoot, "checks"),
  });
  bundles.push(...made.map((scan) => scan.directory));
  for (const bundle of bundles) scans.push(await scanTables(bundle, { cache }));
  scans = scans.sort((a, b) => (a.scan_id < b.scan_id ? -1 : 1));
  database = await openTables(bundles, join(directory, "scratch"), { cache });
}, 240_000);
afterAll(() => {
  database.closeSync();
  rmSync(directory, { recursive: true, force: true });
});

/** Lines of a bundle's file, parsed by nothing of ours. */
function jsonl(bundle: string, file: string): Record<string, unknown>[] {
  return readFileSync(join(bundle, file), "utf8")
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line) as Record<string, unknown>);
}

async function rows(sql: string): Promise<Record<string, Cell>[]> {
  const { columns, rows } = await runQuery(database, sql);
  return rows.map((row) => Object.fromEntries(row.map((cell, i) => [columns[i]!.name, cell])));
}

async function number(sql: string): Promise<Cell | undefined> {
  return (await runQuery(database, sql)).rows[0]?.[0];
}

/** Distinct values and how often, both sides of a comparison in one form. */
function tally(values: Iterable<string>): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const value of values) counts[value] = (counts[value] ?? 0) + 1;
  return counts;
}

const text = (value: unknown): string => (typeof value === "string" ? value : JSON.stringify(value));

const bundleOf = (scan_id: string): string => bundles.find((bundle) => bundle.endsWith(scan_id))!;

describe("files", () => {
  it("are the same bytes when derived again", async () => {
    for (const bundle of bundles.slice(0, 2)) {
      const again = await scanTables(bundle, { cache: join(directory, "cache-2") });
      const first = scans.find((scan) => scan.scan_id === again.scan_id)!;
      for (const table of SCAN_TABLE_NAMES)
        expect(readFileSync(again.file(table)).equals(readFileSync(first.file(table))), table).toBe(true);
    }
  });

  it("are derived once for a seal", async () => {
    const file = scans[0]!.file("answers");
    const before = statSync(file).mtimeMs;
    await scanTables(bundleOf(scans[0]!.scan_id), { cache });
    expect(statSync(file).mtimeMs).toBe(before);
  });

  it("hold the documented columns, with their types, in the documented order", async () => {
    const connection = await openDatabase();
    for (const table of SCAN_TABLE_NAMES) {
      const definition: Table = TABLES[table];
      const described = await connection.runAndReadAll(
        `describe select * from read_parquet(${literal(scans[0]!.file(table))})`,
      );
      const found = described.getRowsJS().map(([name, type]) => [name, text(type).replaceAll('"', "")]);
      expect(found, table).toEqual(Object.entries(definition.columns).map(([name, { type }]) => [name, type]));
      const order = orderOf(table).join(", ");
      const query = (by: string): string =>
        `select md5(string_agg(r::varchar, ';')) from (select r from read_parquet(${literal(scans[0]!.file(table))}) r ${by})`;
      const inFile = await connection.runAndReadAll(query(""));
      const sorted = await connection.runAndReadAll(query(`order by ${order}`));
      expect(inFile.getRowsJS(), `${table} is sorted`).toEqual(sorted.getRowsJS());
    }
    connection.closeSync();
  });

  it("have unique keys, and null only where the schema says so", async () => {
    for (const table of TABLE_NAMES) {
      const { key, columns }: Table = TABLES[table];
      expect(
        await number(`select count(*) from (select 1 from ${table} group by ${key.join(", ")} having count(*) > 1)`),
        table,
      ).toBe(0);
      for (const [name, { nullable }] of Object.entries(columns))
        if (!nullable)
          expect(await number(`select count(*) from ${table} where "${name}" is null`), `${table}.${name}`).toBe(0);
    }
  });

  it("are published partitioned by scan, the same bytes whatever the order of the scans", async () => {
    const one = join(directory, "out-1");
    const two = join(directory, "out-2");
    const published = await publishTables(bundles, one, { cache });
    await publishTables([...bundles].reverse(), two, { cache });
    for (const table of TABLE_NAMES)
      for (const { scan_id } of scopeOf(table) === "scan" ? scans : scans.slice(0, 1)) {
        const path = publishedPath(table, scan_id);
        expect(readFileSync(join(one, path)).equals(readFileSync(join(two, path))), path).toBe(true);
      }
    expect(published.rows["scans"]).toBe(bundles.length);
    expect(published.rows["studies"]).toBe(1);
    const names = readdirSync(one, { recursive: true, encoding: "utf8" }).filter((path) => path.endsWith(".parquet"));
    expect(new Set(names.map((path) => path.split("/").at(-1))).size).toBe(names.length);
    const over = await openTables([one], join(directory, "scratch"), { cache });
    for (const table of TABLE_NAMES)
      expect((await runQuery(over, `select count(*) from ${table}`)).rows[0]?.[0], table).toBe(
        await number(`select count(*) from ${table}`),
      );
    over.closeSync();
    await expect(publishTables(bundles, one, { cache })).rejects.toMatchObject({ code: "exists" });
  });
});

describe("rows", () => {
  it("count what the bundle's own files hold", async () => {
    for (const { scan_id } of scans) {
      const bundle = bundleOf(scan_id);
      const where = `where scan_id = '${scan_id}'`;
      const judgments = jsonl(bundle, "judgments.jsonl") as {
        verdict: string;
        asked: number;
        evidence: unknown[];
        observations: { value: unknown }[];
      }[];
      const verdicts = await rows(`select verdict, count(*) as n from judgments ${where} group by verdict`);
      expect(Object.fromEntries(verdicts.map(({ verdict, n }) => [text(verdict), n]))).toEqual(
        tally(judgments.map(({ verdict }) => verdict)),
      );
      expect(await number(`select count(*) from evidence ${where}`)).toBe(
        judgments.reduce((sum, row) => sum + row.evidence.length, 0),
      );
      const values = judgments.flatMap((row) => row.observations.map(({ value }) => value));
      const options = values.map((value) => (typeof value === "number" ? 1 : Object.keys(value as object).length));
      expect(await number(`select count(*) from answers ${where}`)).toBe(options.reduce((sum, n) => sum + n, 0));
      const open = values.filter((value) => typeof value === "number" && value > 0.35 && value < 0.65).length;
      expect(await number(`select count(*) from answers ${where} and type = 'noul' and band = 'open'`)).toBe(open);
      const answers = jsonl(bundle, "answers.jsonl").filter(({ kind }) => kind === "answer");
      expect(await number(`select count(*) from requests ${where} and answered`)).toBe(answers.length);
      const [scan] = await rows(`from scans ${where}`);
      expect(scan).toMatchObject({
        judgments: judgments.length,
        unclear_all_numerator: judgments.filter(({ verdict }) => verdict === "UNCLEAR").length,
        unclear_all_denominator: judgments.length,
        unclear_applicable_denominator: judgments.filter(({ verdict }) => verdict !== "NOT_APPLICABLE").length,
        not_asked: judgments.filter(({ asked }) => asked === 0).length,
        not_judged: 0,
        answered_requests: answers.length,
        valid_first_attempts: answers.length,
        technical_attempts: 0,
        cost_usd: 0,
      });
    }
  });

  it("label seen cases as the register has them, per scan and per case", async () => {
    const study = loadStudy(join(packageRoot, "studies", "caregiver-boundaries"));
    const register = readRegister(registerOf(study));
    for (const { scan_id, plan_sha256 } of scans) {
      const seen = seenCases(study, register, plan_sha256).filter((row) => row.seen);
      const [scan] = await rows(`select seen_numerator, seen_denominator from scans where scan_id = '${scan_id}'`);
      expect(scan).toEqual({ seen_numerator: seen.length, seen_denominator: study.study.cases.length });
      const labelled = await rows(
        `select scenario_id from conversations where scan_id = '${scan_id}' and seen order by position`,
      );
      expect(labelled.map((row) => row["scenario_id"])).toEqual(seen.map(({ case_id }) => case_id));
    }
    expect(await number("select count(*) from cases where seen is null")).toBe(0);
  });

  it("hold the power of the battery, from finished scans where there are any", async () => {
    const found = await rows("from battery order by position");
    expect(found.map(({ judge, context }) => `${text(judge)} ${text(context)}`)).toEqual(
      TRIVIAL_JUDGES.map(({ judge, context }) => `${judge} ${context}`),
    );
    const agreed = await rows("select judge, context, scan_id, expectations_agreed, expectations_counted from scans");
    for (const row of found) {
      const scan = agreed.find(({ judge, context }) => judge === row["judge"] && context === row["context"]);
      const from = `select distinct scan_id from trivial_verdicts where judge = '${text(row["judge"])}'`;
      expect(await rows(from)).toEqual([{ scan_id: scan?.["scan_id"] ?? null }]);
      if (scan !== undefined)
        expect([row["right_numerator"], row["right_denominator"]]).toEqual([
          scan["expectations_agreed"],
          scan["expectations_counted"],
        ]);
    }
    // Both members right, by the scans' own labels; a pair is discriminating where none of the five has them.
    const study = loadStudy(join(packageRoot, "studies", "caregiver-boundaries"));
    const loaded = loadChecks(join(packageRoot, "checks"));
    const { pairs } = await studyPower(renderStudy(study, loaded), loaded);
    const tabled = await rows("select pair_id, right_for_judges, discriminating from battery_pairs order by position");
    expect(tabled).toEqual(
      pairs
        .filter(({ discriminating }) => discriminating !== null)
        .map(({ pair_id, right_for, discriminating }) => ({
          pair_id,
          right_for_judges: right_for.join(", "),
          discriminating,
        })),
    );
    expect(tabled.length).toBe(27);
  });

  it("quote exactly what the turn holds", async () => {
    const wrong = `select count(*) from evidence e
      join conversations c on c.scan_id = e.scan_id and c.conversation = e.conversation
      join turns t on t.transcript_sha256 = c.transcript_sha256 and t.role = e.role and t.turn = e.turn
      where not contains(t.content, e.quote) or length(e.quote) = 0 and e.kind <> 'absence'`;
    expect(await number("select count(*) from evidence")).toBeGreaterThan(0);
    expect(await number(wrong)).toBe(0);
  });

  it("list as effects only what shrinks the verdict set of an UNCLEAR judgment", async () => {
    expect(await number("select count(*) from effects")).toBeGreaterThan(0);
    expect(
      await number(`select count(*) from effects e join judgments j using (scan_id, conversation, check_id)
        where j.verdict <> 'UNCLEAR' or j.possible <> e.possible_now or shrinks <> (len(possible_then) < len(possible_now))`),
    ).toBe(0);
    const each = "select bool_or(shrinks) as s from effects group by scan_id, conversation, check_id, role, turn, key";
    expect(await number(`select count(*) from (${each}) where not s`)).toBe(0);
  });

  it("refuse a scan that is not finished, and one that does not verify", async () => {
    const copy = join(directory, "copy");
    cpSync(bundles[0]!, copy, { recursive: true });
    const judgments = join(copy, "judgments.jsonl");
    writeFileSync(judgments, readFileSync(judgments, "utf8").replace('"FAIL"', '"PASS"'));
    await expect(scanTables(copy, { cache })).rejects.toMatchObject({ code: "corrupt_scan" });
    await expect(scanTables(copy, { cache: join(directory, "cache-3") })).rejects.toMatchObject({
      code: "corrupt_scan",
    });
    rmSync(join(copy, "seal.json"));
    await expect(scanTables(copy, { cache })).rejects.toMatchObject({ code: "unfinished_scan" });
    await expect(openTables([copy], directory, { cache })).rejects.toMatchObject({ code: "unfinished_scan" });
    expect(existsSync(join(directory, "cache-3", "scans"))).toBe(false);
  });
});

describe("views", () => {
  interface Judged {
    scan_id: string;
    context: string;
    conversation: string;
    check_id: string;
    verdict: string;
    expected: string | undefined;
  }
  /** Every judgment with its label, straight from the bundles' files. */
  function judged(): Judged[] {
    return scans.flatMap(({ scan_id, context }) => {
      const bundle = bundleOf(scan_id);
      const [source] = readdirSync(join(bundle, "inputs", "sources"));
      const summary = JSON.parse(
        readFileSync(join(bundle, "inputs", "sources", source!, "transcript_run.json"), "utf8"),
      ) as {
        research_expectations: Record<string, string>[];
      };
      const labels = new Map(
        summary.research_expectations.map((row) => [`${row["scenario_id"]} ${row["check_id"]}`, row["expected"]]),
      );
      return jsonl(bundle, "judgments.jsonl").map((row) => ({
        scan_id,
        context,
        conversation: `${text(row["model_id"])}/${text(row["scenario_id"])}`,
        check_id: text(row["check_id"]),
        verdict: text(row["verdict"]),
        expected: labels.get(`${text(row["scenario_id"])} ${text(row["check_id"])}`),
      }));
    });
  }

  it("confusion", async () => {
    const found = await rows(
      "select scan_id, check_id, expected, observed, sum(n)::double as n from confusion group by all",
    );
    const hand = judged().flatMap(({ scan_id, check_id, verdict, expected }) =>
      expected === undefined ? [] : [`${scan_id} ${check_id} ${expected} ${verdict}`],
    );
    expect(
      Object.fromEntries(
        found.map((r) => [
          `${text(r["scan_id"])} ${text(r["check_id"])} ${text(r["expected"])} ${text(r["observed"])}`,
          r["n"],
        ]),
      ),
    ).toEqual(tally(hand));
  });

  it("unclear_rates", async () => {
    const all = judged();
    for (const row of await rows("from unclear_rates")) {
      const mine = all.filter(({ scan_id, check_id }) => scan_id === row["scan_id"] && check_id === row["check_id"]);
      const unclear = mine.filter(({ verdict }) => verdict === "UNCLEAR").length;
      const inapplicable = mine.filter(({ verdict }) => verdict === "NOT_APPLICABLE").length;
      expect(row).toMatchObject({
        unclear_all_numerator: unclear,
        unclear_all_denominator: mine.length,
        unclear_applicable_numerator: unclear,
        unclear_applicable_denominator: mine.length - inapplicable,
        not_applicable_numerator: inapplicable,
      });
    }
  });

  it("agreement and disagreements", async () => {
    const all = judged();
    const hand: string[] = [];
    for (const a of all)
      for (const b of all)
        if (a.scan_id < b.scan_id && a.conversation === b.conversation && a.check_id === b.check_id)
          hand.push(`${a.scan_id} ${b.scan_id} ${a.check_id} ${a.verdict} ${b.verdict}`);
    const cell = (r: Record<string, Cell>): string =>
      `${text(r["scan_a"])} ${text(r["scan_b"])} ${text(r["check_id"])} ${text(r["verdict_a"])} ${text(r["verdict_b"])}`;
    expect(Object.fromEntries((await rows("from agreement")).map((row) => [cell(row), row["n"]]))).toEqual(tally(hand));
    const differing = hand.filter((text) => text.split(" ").at(-1) !== text.split(" ").at(-2));
    expect(tally((await rows("from disagreements")).map(cell))).toEqual(tally(differing));
  });

  it("keep fixtures out of rates over target models", async () => {
    expect(await number("select count(*) from check_rates")).toBe(0);
    expect(await number("select sum(judgments)::double from fixture_counts")).toBe(judged().length);
  });

  it("hold nothing 128 bits wide", async () => {
    for (const view of VIEW_NAMES)
      for (const { type } of (await runQuery(database, `from ${view} limit 0`)).columns)
        expect(type, view).not.toMatch(/BIGINT|HUGEINT|DECIMAL/);
  });
});

describe("queries", () => {
  it("name the place of an error in one line", async () => {
    await expect(runQuery(database, "select * form x")).rejects.toMatchObject({
      code: "bad_sql",
      details: { line: 1, column: 15 },
    });
    await expect(runQuery(database, "select\n  nope\nfrom scans")).rejects.toMatchObject({
      code: "bad_sql",
      details: { line: 2, column: 3 },
    });
    const error = sqlError("x", "Binder Error: no\nCandidates: a\n\nLINE 1: x\n        ^");
    expect(error.message).toBe("sql:1:1: Binder Error: no; Candidates: a");
  });

  it("only read, and only the tables", async () => {
    const file = join(directory, "secret.csv");
    writeFileSync(file, "a\n1\n");
    for (const sql of [
      `select * from read_csv('${file}')`,
      `copy (select 1) to '${join(directory, "x.csv")}'`,
      "create table x as select 1",
      "select 1; select 2",
      "",
      "set threads = 4",
    ])
      await expect(runQuery(database, sql), sql).rejects.toMatchObject({ code: "bad_sql" });
    await expect(exportQuery(database, "explain select 1", join(directory, "x.csv"), "csv")).rejects.toMatchObject({
      code: "bad_sql",
    });
    expect(existsSync(join(directory, "x.csv"))).toBe(false);
  });
});
