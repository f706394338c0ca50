import { copyFileSync, existsSync, linkSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { AssayError } from "../engine/canon/errors.ts";
import { readBytes } from "../engine/canon/files.ts";
import { canonicalJson, sha256 } from "../engine/canon/json.ts";
import { refusePrivate } from "../engine/canon/private.ts";
import { engineVersion, packageRoot } from "../engine/canon/root.ts";
import { openForeign } from "../engine/foreign/index.ts";
import { readPlan, scanIdOf, statusOf } from "../engine/scan/index.ts";
import { CLAIM_TEXT } from "../engine/schema/verdict.ts";
import { isEmbedded, judgeStudies, type DemoScan } from "../engine/studies/demo.ts";
import { listStudies } from "../engine/studies/load.ts";
import { cacheRoot, prune, touch } from "../engine/tables/cache.ts";
import { onceOnly, scanTables, type DerivedScan, type ScanTables } from "../engine/tables/derive.ts";
import { foreignSetOf, writeForeignTables } from "../engine/tables/foreign.ts";
import { schemaDocument, scopeOf, unionTable } from "../engine/tables/publish.ts";
import { SCAN_TABLE_NAMES, TABLES_VERSION } from "../engine/tables/schema.ts";
import { BUNDLES, findBundles, findForeign } from "./bundles.ts";
import { deriveAll } from "./derive-all.ts";
import { sourceDigest } from "./inputs.ts";

/** A bundle that the site names and shows no result of. */
export interface LeftOut {
  name: string;
  status: "planned" | "running" | "unfinished" | "failed" | "superseded" | "duplicate";
  /** One line; no path of the machine. */
  reason: string;
  answered?: number;
  planned?: number;
}

/** What this build of the site was made from; no clock, host or path. */
export interface BuildDocument {
  engine_version: string;
  tables_version: string;
  accuracy_claim: false;
  claims: Record<string, string>;
  scans: DerivedScan[];
  /** Judgments of other engines. */
  foreign: ForeignSet[];
  /** Digest of the declared map that `ASSAY_MAP` names; null without one. */
  check_map_sha256: string | null;
  left_out: LeftOut[];
}

export interface ForeignSet {
  foreign_set: string;
  engine: string;
  judge: string;
  judgments: number;
}

export interface Site {
  /** Digest of everything in it. */
  key: string;
  directory: string;
  build: BuildDocument;
}

export interface SiteOptions {
  environment?: NodeJS.ProcessEnv;
  /** Where the site's own bundles lie and shipped studies are judged into. */
  own?: string;
  cache?: string;
  log?: (line: string) => void;
}

/**
 * Everything the pages read: shipped studies judged where they are not yet, every bundle verified, tables derived and
 * joined. Done once for equal inputs, in a directory named by their digest. Calls no provider.
 */
export async function prepareSite(options: SiteOptions = {}): Promise<Site> {
  const { environment = process.env, own = BUNDLES, cache = cacheRoot(environment), log = toStderr } = options;
  const demo = await judgeStudies({
    studies: listStudies(packageRoot),
    output: own,
    checksDir: join(packageRoot, "checks"),
    verify: false,
  });
  for (const scan of demo) if (!scan.reused) log(`judged ${scan.scan_id}`);
  const salt = sourceDigest(["engine"]);
  const scans = new Map<string, ScanTables>();
  const left_out: LeftOut[] = [];
  const bundles = findBundles(environment, own);
  await deriveAll(bundles, { cache, salt });
  for (const directory of bundles) {
    const result = await tablesOrReason(directory, { cache, salt }, demo);
    if ("reason" in result) left_out.push(result);
    else if (scans.has(result.scan_id)) {
      if (scans.get(result.scan_id)?.seal_sha256 !== result.seal_sha256)
        left_out.push({
          name: basename(directory),
          status: "duplicate",
          reason: `another run of the plan of ${result.scan_id}`,
        });
    } else scans.set(result.scan_id, result);
  }
  const foreign = new Map<string, ForeignSet & { directory: string }>();
  for (const directory of findForeign(environment, own)) {
    const result = await foreignOrReason(directory);
    if ("reason" in result) left_out.push(result);
    else foreign.set(result.foreign_set, { ...result, directory });
  }
  const imported = [...foreign.values()].sort((a, b) => (a.foreign_set < b.foreign_set ? -1 : 1));
  const map = environment["ASSAY_MAP"] || undefined;
  for (const { name, status, reason } of left_out)
    if (status !== "superseded") log(`left out ${name}: ${status}, ${reason}`);
  const ordered = [...scans.values()].sort((a, b) => (a.scan_id < b.scan_id ? -1 : 1));
  const build: BuildDocument = {
    engine_version: engineVersion,
    tables_version: TABLES_VERSION,
    accuracy_claim: false,
    claims: CLAIM_TEXT,
    scans: ordered.map(({ file: _, ...derived }) => derived),
    foreign: imported.map(({ directory: _, ...set }) => set),
    check_map_sha256: map === undefined ? null : sha256(readBytes(map)),
    left_out,
  };
  const key = sha256(canonicalJson([build, salt]));
  const directory = join(cache, "sites", key.slice(0, 32));
  if (existsSync(directory)) touch(directory);
  else
    await onceOnly(directory, async (staging) => {
      await writeSite(staging, ordered, build);
      const directories = imported.map(({ directory }) => directory);
      await writeForeignTables(directories, map, (table) => join(staging, `${table}.parquet`));
    });
  prune(join(cache, "sites"), 6);
  prune(join(cache, "scans"), 200);
  return { key, directory, build };
}

async function writeSite(staging: string, scans: readonly ScanTables[], build: BuildDocument): Promise<void> {
  for (const table of SCAN_TABLE_NAMES) {
    const files = scans.map((scan) => scan.file(table));
    await unionTable(table, files, join(staging, `${table}.parquet`));
    if (scopeOf(table) === "scan")
      for (const scan of scans) share(scan.file(table), join(staging, `${table}-${scan.scan_id}.parquet`));
  }
  writeFileSync(join(staging, "build.json"), `${JSON.stringify(build)}\n`);
  writeFileSync(join(staging, "schema.json"), `${JSON.stringify(schemaDocument())}\n`);
}

async function tablesOrReason(
  directory: string,
  options: { cache: string; salt: string },
  demo: readonly DemoScan[],
): Promise<ScanTables | LeftOut> {
  const name = basename(directory);
  try {
    if (isSuperseded(directory, demo))
      return { name, status: "superseded", reason: "the shipped study has changed since" };
    return await scanTables(directory, options);
  } catch (error) {
    if (!(error instanceof AssayError)) throw error;
    if (error.code !== "unfinished_scan") return { name, status: "failed", reason: withoutPath(error, directory) };
    const { status, answered, planned } = await statusOf(directory);
    return {
      name,
      status: status === "sealed" ? "unfinished" : status,
      reason: `${answered} of ${planned} requests answered`,
      answered,
      planned,
    };
  }
}

async function foreignOrReason(directory: string): Promise<ForeignSet | LeftOut> {
  try {
    refusePrivate(directory, packageRoot, process.cwd());
    const { manifest } = await openForeign(directory);
    const { engine, judge, judgments } = manifest;
    return { foreign_set: foreignSetOf(manifest), engine, judge, judgments: judgments.rows };
  } catch (error) {
    if (!(error instanceof AssayError)) throw error;
    return { name: basename(directory), status: "failed", reason: withoutPath(error, directory) };
  }
}

/** A scan this site once made of a shipped study, by a judge that still is listed, whose plan would be another today. */
function isSuperseded(directory: string, demo: readonly DemoScan[]): boolean {
  const { plan, plan_sha256 } = readPlan(directory);
  if (!isEmbedded(plan.judge) || basename(directory) !== scanIdOf(plan, plan_sha256)) return false;
  if (demo.some((scan) => scan.scan_id === basename(directory))) return false;
  const prefix = (id: string): string => id.slice(0, -8);
  return demo.some((scan) => prefix(scan.scan_id) === prefix(basename(directory)));
}

function withoutPath(error: AssayError, directory: string): string {
  return error.message.replaceAll(`${directory}/`, "").replaceAll(directory, basename(directory));
}

/** Name a file twice; a copy where the file system will not. */
function share(from: string, to: string): void {
  try {
    linkSync(from, to);
  } catch {
    copyFileSync(from, to);
  }
}

function toStderr(line: string): void {
  process.stderr.write(`${line}\n`);
}
