import { copyFileSync, existsSync, linkSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { readBytes } from "../engine/canon/files.ts";
import { countExemplars, type ExemplarCounts } from "../engine/checks/exemplar-counts.ts";
import { canonicalJson, sha256 } from "../engine/canon/json.ts";
import { engineVersion, ownOrShipped } from "../engine/canon/root.ts";
import { CARD_FILE, readPlan, SEAL_FILE } from "../engine/scan/index.ts";
import { CLAIM_TEXT } from "../engine/schema/verdict.ts";
import { BUNDLES, findBundles, namedMap, onlyBundles } from "../engine/site/bundles.ts";
import { judgeStudies, type DemoScan } from "../engine/studies/demo.ts";
import { ownStudies } from "../engine/studies/load.ts";
import { cacheRoot, prune, touch } from "../engine/tables/cache.ts";
import { onceOnly, scanTables, type DerivedScan, type ScanTables } from "../engine/tables/derive.ts";
import { writeForeignTables } from "../engine/tables/foreign.ts";
import { schemaDocument, scopeOf, unionTable } from "../engine/tables/publish.ts";
import { SCAN_TABLE_NAMES, TABLES_VERSION } from "../engine/tables/schema.ts";
import { deriveAll } from "./derive-all.ts";
import { foreignSets, type ForeignSet } from "./foreign.ts";
import { sourceDigest } from "./inputs.ts";
import { isSuperseded, reasonOf, whyLeftOut, type LeftOut } from "./left-out.ts";
import { publicationOf, type Publication } from "./publication.ts";

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
  /** Ids of every check that a shown scan froze. */
  checks: string[];
  /** Development exemplars of the checks directory, verified for this build. */
  exemplars: ExemplarCounts[];
  left_out: LeftOut[];
  /** Only in a site that publishes one study. */
  publication?: Publication;
}

/** A finished scan with where its tables and its bundle lie. */
interface Shown {
  tables: ScanTables;
  directory: string;
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
 * Everything the pages read: studies judged where they are not yet, every bundle verified, tables derived and joined.
 * What cannot be shown is named with the reason. Done once for equal inputs, in a directory named by their digest.
 * Calls no provider.
 */
export async function prepareSite(options: SiteOptions = {}): Promise<Site> {
  const { environment = process.env, own = BUNDLES, cache = cacheRoot(environment), log = toStderr } = options;
  const only = onlyBundles(environment);
  const { demo, left_out } = only === undefined ? await judgeOwn(own, log) : { demo: [], left_out: [] };
  const salt = sourceDigest(["engine"]);
  const scans = new Map<string, Shown>();
  const bundles = findBundles(environment, own);
  await deriveAll(bundles, { cache, salt });
  for (const directory of bundles) {
    const result = await tablesOrReason(directory, { cache, salt }, demo);
    if ("reason" in result) left_out.push(result);
    else if (scans.has(result.scan_id)) {
      if (scans.get(result.scan_id)?.tables.seal_sha256 !== result.seal_sha256)
        left_out.push({
          name: basename(directory),
          status: "duplicate",
          reason: `another run of the plan of ${result.scan_id}`,
        });
    } else scans.set(result.scan_id, { tables: result, directory });
  }
  const foreign = await foreignSets(environment, own);
  left_out.push(...foreign.left_out);
  const map = namedMap(environment);
  for (const { name, status, reason } of left_out)
    if (status !== "superseded") log(`left out ${name}: ${status}, ${reason}`);
  const ordered = [...scans.values()].sort((a, b) => (a.tables.scan_id < b.tables.scan_id ? -1 : 1));
  const publication = only === undefined ? undefined : publicationOf(only);
  const frozen = ordered.flatMap(({ directory }) => readPlan(directory).plan.checks.map(({ id }) => id));
  const checks = [...new Set(frozen)].sort();
  const build: BuildDocument = {
    engine_version: engineVersion,
    tables_version: TABLES_VERSION,
    accuracy_claim: false,
    claims: CLAIM_TEXT,
    scans: ordered.map(({ tables: { file: _, ...derived } }) => derived),
    foreign: foreign.sets.map(({ directory: _, ...set }) => set),
    check_map_sha256: map === undefined ? null : sha256(readBytes(map)),
    checks,
    exemplars: (await countExemplars(ownOrShipped("checks"))).filter(({ check_id }) => checks.includes(check_id)),
    left_out,
    ...(publication === undefined ? {} : { publication }),
  };
  // A card's commentary may change under an unchanged seal.
  const cards = ordered.map(({ directory }) => sha256(readFileSync(join(directory, CARD_FILE))));
  const key = sha256(canonicalJson([build, salt, cards]));
  const directory = join(cache, "sites", key.slice(0, 32));
  if (existsSync(directory)) touch(directory);
  else
    await onceOnly(directory, async (staging) => {
      await writeSite(staging, ordered, build);
      const directories = foreign.sets.map((set) => set.directory);
      await writeForeignTables(directories, map, (table) => join(staging, `${table}.parquet`));
    });
  prune(join(cache, "sites"), 6);
  prune(join(cache, "scans"), 200);
  return { key, directory, build };
}

/** The working directory's studies by the embedded judges they list; one that cannot be judged is left out. */
async function judgeOwn(own: string, log: (line: string) => void): Promise<{ demo: DemoScan[]; left_out: LeftOut[] }> {
  const left_out: LeftOut[] = [];
  const failed = (name: string, error: unknown): void => {
    left_out.push({ name, status: "failed", reason: reasonOf(error) });
  };
  const demo = await judgeStudies({
    studies: ownStudies(process.cwd(), failed),
    output: own,
    checksDir: ownOrShipped("checks"),
    verify: false,
    failed,
  });
  for (const scan of demo) if (!scan.reused) log(`judged ${scan.scan_id}`);
  return { demo, left_out };
}

async function writeSite(staging: string, scans: readonly Shown[], build: BuildDocument): Promise<void> {
  for (const table of SCAN_TABLE_NAMES) {
    const files = scans.map(({ tables }) => tables.file(table));
    await unionTable(table, files, join(staging, `${table}.parquet`));
    if (scopeOf(table) === "scan")
      for (const { tables } of scans) share(tables.file(table), join(staging, `${table}-${tables.scan_id}.parquet`));
  }
  for (const folder of ["cards", "seals"]) mkdirSync(join(staging, folder));
  for (const { tables, directory } of scans) {
    copyFileSync(join(directory, CARD_FILE), join(staging, "cards", `${tables.scan_id}.txt`));
    copyFileSync(join(directory, SEAL_FILE), join(staging, "seals", `${tables.scan_id}.json`));
  }
  writeFileSync(join(staging, "build.json"), `${JSON.stringify(build)}\n`);
  writeFileSync(join(staging, "schema.json"), `${JSON.stringify(schemaDocument())}\n`);
}

async function tablesOrReason(
  directory: string,
  options: { cache: string; salt: string },
  demo: readonly DemoScan[],
): Promise<ScanTables | LeftOut> {
  try {
    if (isSuperseded(directory, demo))
      return { name: basename(directory), status: "superseded", reason: "the study has changed since" };
    return await scanTables(directory, options);
  } catch (error) {
    return await whyLeftOut(error, directory);
  }
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
