import {
  appendFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { packageRoot } from "../engine/canon/root.ts";
import { foreignOver, type ForeignOver } from "../tests/helpers/foreign.ts";
import { listStudies } from "../engine/studies/load.ts";
import { openDatabase, literal } from "../engine/tables/sink.ts";
import { TABLE_NAMES } from "../engine/tables/schema.ts";
import { dynamicPaths } from "./paths.ts";
import { findBundles } from "../engine/site/bundles.ts";
import { prepareSite, type Site } from "./site.ts";

const directory = mkdtempSync(join(tmpdir(), "assay-site-"));
const options = { own: join(directory, "own"), cache: join(directory, "cache"), log: () => undefined };
const more = join(directory, "more");
let alone: Site;
let site: Site;
let theirs: ForeignOver;

beforeAll(async () => {
  alone = await prepareSite({ ...options, environment: {} });
  const [first, second] = findBundles({}, options.own);
  // One copy without its answers' end, one with a changed byte, one in a folder that nothing may look into.
  cpSync(first!, join(more, "unfinished"), { recursive: true });
  for (const file of ["seal.json", "judgments.jsonl", "jury-card.md"]) rmSync(join(more, "unfinished", file));
  cpSync(second!, join(more, "nested", "broken"), { recursive: true });
  rmSync(join(more, "nested", "broken", "judgments.jsonl"));
  cpSync(second!, join(more, "garbled"), { recursive: true });
  writeFileSync(join(more, "garbled", "scan_plan.json"), "{");
  cpSync(first!, join(more, "private", "hidden"), { recursive: true });
  mkdirSync(join(more, "empty"));
  theirs = await foreignOver(directory);
  cpSync(theirs.foreign, join(more, "foreign"), { recursive: true });
  cpSync(theirs.foreign, join(more, "spoilt"), { recursive: true });
  appendFileSync(join(more, "spoilt", "foreign_judgments.jsonl"), " ");
  site = await prepareSite({ ...options, environment: { ASSAY_DATA: `${more}:${first}`, ASSAY_MAP: theirs.map } });
}, 300_000);
afterAll(() => rmSync(directory, { recursive: true, force: true }));

async function countOf({ directory }: Site, table: string): Promise<unknown> {
  const connection = await openDatabase();
  const file = literal(join(directory, `${table}.parquet`));
  const found = await connection.runAndReadAll(`select count(*)::integer from read_parquet(${file})`);
  connection.closeSync();
  return found.getRowsJS()[0]?.[0];
}

describe("prepareSite", () => {
  it("judges the shipped studies with every embedded judge it lists, and reuses that", async () => {
    const listed = listStudies(packageRoot).flatMap(({ study }) =>
      study.judges.map(({ judge, context }) => `${study.id} ${judge} ${context}`),
    );
    expect(alone.build.scans.map((scan) => `${scan.study_id} ${scan.judge} ${scan.context}`).sort()).toEqual(
      listed.sort(),
    );
    const seals = findBundles({}, options.own).map((bundle) => readFileSync(join(bundle, "seal.json"), "utf8"));
    const again = await prepareSite({ ...options, environment: {} });
    expect(again).toEqual(alone);
    expect(findBundles({}, options.own).map((bundle) => readFileSync(join(bundle, "seal.json"), "utf8"))).toEqual(
      seals,
    );
  });

  it("names an unfinished and a broken bundle, and shows no result of them", async () => {
    expect(site.build.left_out.map(({ name, status }) => [name, status])).toEqual([
      ["broken", "failed"],
      ["garbled", "failed"],
      ["unfinished", "unfinished"],
      ["spoilt", "failed"],
    ]);
    expect(site.build.left_out[2]).toMatchObject({
      answered: expect.any(Number) as number,
      planned: expect.any(Number) as number,
    });
    expect(site.build.scans).toEqual(alone.build.scans);
    expect(await countOf(site, "scans")).toBe(alone.build.scans.length);
  });

  it("gives every reason in one line", () => {
    for (const { reason } of site.build.left_out) expect(reason).toMatch(/^[^\n]{10,200}$/);
    expect(site.build.left_out[1]?.reason).toContain("scan_plan.json");
  });

  it("takes in judgments of other engines, and the declared map", async () => {
    expect(alone.build).toMatchObject({ foreign: [], check_map_sha256: null });
    expect(await countOf(alone, "foreign_judgments")).toBe(0);
    expect(site.build.foreign).toMatchObject([{ engine: "another-engine", judge: "another-judge", judgments: 6 }]);
    expect(site.build.check_map_sha256).toMatch(/^[0-9a-f]{64}$/);
    expect(await countOf(site, "foreign_judgments")).toBe(6);
    expect(await countOf(site, "check_map")).toBe(1);
  });

  it("says nothing of the machine it ran on", () => {
    const text = readFileSync(join(site.directory, "build.json"), "utf8");
    expect(text).not.toContain(directory);
    expect(text).not.toContain(process.cwd());
    expect(text).toContain('"accuracy_claim":false');
  });

  it("writes a file for each table, and for each scan's part of it", () => {
    const files = readdirSync(site.directory);
    for (const table of TABLE_NAMES) expect(files).toContain(`${table}.parquet`);
    for (const path of dynamicPaths(site.build).filter((path) => path.startsWith("/data/")))
      expect(existsSync(join(site.directory, path.slice("/data/".length))), path).toBe(true);
  });

  it("names a study of its own that can be judged no more, and shows the rest", async () => {
    const [bundle] = findBundles({}, options.own);
    rmSync(join(bundle!, "seal.json"));
    writeFileSync(join(bundle!, "answers.jsonl"), "no journal\n");
    const { build } = await prepareSite({ ...options, environment: {} });
    expect(build.scans).toHaveLength(alone.build.scans.length - 1);
    expect(build.left_out.map(({ status }) => status)).toContain("failed");
    expect(build.left_out.map(({ reason }) => reason).join()).toContain("answers.jsonl");
  });
});

describe("findBundles", () => {
  it("looks below every root, into no hidden or private folder, and refuses a root that is none", () => {
    const found = findBundles({ ASSAY_DATA: more }, join(directory, "none"));
    expect(found.map((path) => basename(path))).toEqual(["broken", "garbled", "unfinished"]);
    expect(() => findBundles({ ASSAY_DATA: join(directory, "absent") }, options.own)).toThrow(
      expect.objectContaining({ code: "no_data_root" }),
    );
    expect(existsSync(join(more, "private", "hidden"))).toBe(true);
  });
});
