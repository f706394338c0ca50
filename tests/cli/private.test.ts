import { cpSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { literal, openDatabase } from "../../engine/tables/sink.ts";
import { TABLE_NAMES } from "../../engine/tables/schema.ts";
import { someConversations, sourceRun } from "../helpers/source-run.ts";
import { bench, envelope, refusal, scratch, type Ran } from "./bench.ts";

// Labels below private/ carry a word that is nowhere else. Whatever is made for others is searched for it, cell by cell
// where a file is compressed; a copy of the same data outside private/ shows that the search would find it.
const CANARY = "CANARY-4f1c";
const STUDY = "quiet-refusals";

const cwd = join(scratch(), "workbench");
const labels = "private/internal/calibration/labels/first.jsonl";
const run = (args: readonly string[], env: NodeJS.ProcessEnv = {}): Ran => bench(args, { cwd, env });

function ok(args: readonly string[]): string {
  const { code, stdout, stderr } = run(args);
  expect(code, `${args.join(" ")}: ${stderr}`).toBe(0);
  return stdout + stderr;
}

beforeAll(() => {
  mkdirSync(cwd);
  ok(["init", STUDY]);
  sourceRun(join(cwd, "source"), someConversations(3));
  planAndRun("source", "results/public");
  planAndRun("source", "results/overlap", "overlap");
  ok(["labels", "export", "results/public", "--output", "kits/first", "--limit", "6"]);
  const form = readFileSync(join(cwd, "kits/first/form.csv"), "utf8");
  writeFileSync(join(cwd, "form.csv"), form.replaceAll(",,,", `,FAIL,${CANARY} reason,${CANARY} Author`));
  mkdirSync(join(cwd, "private/internal/calibration/labels"), { recursive: true });
  ok(["labels", "import", "form.csv", "--kit", "kits/first", "--output", labels]);

  // The same labels inside a scan of their own, and the same scan where anybody may read it.
  sourceRun(join(cwd, "private/source"), someConversations(3), {
    summary: { research_expectations: readLines(labels) },
  });
  planAndRun("private/source", "private/scan");
  cpSync(join(cwd, "private/scan"), join(cwd, "elsewhere/scan"), { recursive: true });
  ok(["tables", "elsewhere/scan", "--output", "private/tables"]);
  writeFileSync(
    join(cwd, "private/map.json"),
    JSON.stringify([{ foreign_id: "x", check_id: "scope.dose-advice", author: CANARY, reason: CANARY }]),
  );
  cpSync(join(cwd, "studies", STUDY), join(cwd, "private/study"), { recursive: true });
  const study = join(cwd, "private/study/study.yaml");
  writeFileSync(study, readFileSync(study, "utf8").replace(/^title: .*$/m, `title: ${CANARY}`));

  for (const [target, link] of [
    ["../private/scan", "results/link"],
    ["../private/internal", "results/labels"],
    ["../private/study", "studies/linked"],
    ["private", "linked-root"],
  ] as const)
    symlinkSync(target, join(cwd, link));
}, 300_000);

function planAndRun(source: string, scan: string, judge = "lexicon"): void {
  ok(["scan", "plan", source, "--output", scan, "--judge", judge]);
  ok(["scan", "run", "--plan", scan]);
}

function readLines(file: string): unknown[] {
  const lines = readFileSync(join(cwd, file), "utf8").trimEnd().split("\n");
  return lines.map((line): unknown => JSON.parse(line));
}

/** Every file below a directory that holds the word; a Parquet file is read with all its columns. */
async function holding(directory: string): Promise<{ files: number; holding: string[] }> {
  const found: string[] = [];
  const files = readdirSync(join(cwd, directory), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));
  const database = await openDatabase();
  for (const file of files) {
    const bytes = readFileSync(file);
    const rows = file.endsWith(".parquet")
      ? await database.runAndReadAll(`select to_json(t)::varchar from read_parquet(${literal(file)}) t`)
      : undefined;
    const text = rows === undefined ? "" : JSON.stringify(rows.getRowsJS());
    if (bytes.includes(CANARY) || text.includes(CANARY)) found.push(file.slice(cwd.length + 1));
  }
  database.closeSync();
  return { files: files.length, holding: found };
}

describe("labels in private/", () => {
  it("count in a comparison that names their file", () => {
    const compare = ["compare", "--old", "results/public", "--new", "results/public", "--json"];
    const named = run([...compare, "--expectations", labels]);
    expect(envelope(named)).toMatchObject({ data: { expectation_agreement: { old: { labeled_judgments: 6 } } } });
    expect(named.stdout).toContain(CANARY);
    expect(ok(compare)).not.toContain(CANARY);
  });

  it("are in no table, and the search finds them in a copy that is not private", async () => {
    const where = async (scan: string, output: string) => {
      ok(["tables", scan, "--output", output]);
      return await holding(output);
    };
    const open = await where("elsewhere/scan", "open-tables");
    expect(open.holding).toEqual([expect.stringMatching(/^open-tables\/expectations\/.*\.parquet$/)]);
    const tables = await where("results/public", "tables");
    expect(tables.files).toBeGreaterThanOrEqual(TABLE_NAMES.length);
    expect(tables.holding).toEqual([]);
    for (const table of TABLE_NAMES)
      expect(ok(["sql", "results/public", `from ${table}`, "--format", "json"]), table).not.toContain(CANARY);
  });

  it("are in no report, and in no kit for reviewers", async () => {
    for (const args of [["questions"], ["card"], ["agreement", "results/overlap"], ["scan", "verify"]])
      expect(ok([...args, "results/public", "--json"])).not.toContain(CANARY);
    ok(["labels", "export", "results/public", "--output", "kits/second"]);
    expect((await holding("kits")).holding).toEqual([]);
  });

  it("are on no page and in no data file of the site, with links into private/ in its folders", async () => {
    ok(["site", "build", "--output", "dist"]);
    const data = join(cwd, "dist/_file/data");
    const document = readdirSync(data).find((name) => /^build\..*json$/.test(name))!;
    expect(JSON.parse(readFileSync(join(data, document), "utf8"))).toMatchObject({
      scans: expect.arrayContaining([expect.objectContaining({ claim: "target_model_conversations" })]) as unknown,
      left_out: [{ name: "linked", status: "failed", reason: expect.stringContaining("lies in private/") as string }],
    });
    const { files, holding: found } = await holding("dist");
    expect(files).toBeGreaterThan(50);
    expect(found).toEqual([]);
  });

  it("are in no publication of a study", async () => {
    ok(["study", "publish", STUDY, "--output", "published"]);
    const { files, holding: found } = await holding("published");
    expect(files).toBeGreaterThan(30);
    expect(found).toEqual([]);
  });

  it.each([
    ["sql", "private/scan", "from scans"],
    ["sql", "results/link", "from scans"],
    ["sql", "results", "from scans"],
    ["sql", "private/tables", "from expectations"],
    ["sql", "linked-root/tables", "from expectations"],
    ["sql", "results/public", "from check_map", "--map", "private/map.json"],
    ["tables", "private/scan", "--output", "refused"],
    ["tables", "results/public", "--map", "linked-root/map.json", "--output", "refused"],
    ["labels", "export", "private/scan", "--output", "refused"],
    ["labels", "export", "results/link", "--output", "refused"],
    ["study", "publish", STUDY, "--scan", "private/scan", "--output", "refused"],
    ["study", "publish", STUDY, "--scan", "results/link", "--output", "refused"],
  ])("are refused by name: %s %s %s", (...args) => {
    expect(refusal(run(args))).toContain("lies in private/");
    expect(readdirSync(cwd)).not.toContain("refused");
  });

  it("are refused from anywhere, and to a site that is pointed at them", () => {
    const query = ["sql", join(cwd, "private/scan"), "from scans"];
    for (const from of ["/", join(cwd, "private")])
      expect(refusal(bench(query, { cwd: from }))).toContain("lies in private/");
    for (const root of ["private", "linked-root"]) {
      for (const env of [{ ASSAY_DATA: root }, { ASSAY_MAP: `${root}/map.json` }])
        expect(refusal(run(["site", "build", "--output", "refused"], env))).toContain("lies in private/");
      expect(readdirSync(cwd)).not.toContain("refused");
    }
  });
});
