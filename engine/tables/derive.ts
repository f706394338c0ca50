import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { z } from "zod";
import { AssayError } from "../canon/errors.ts";
import { refusePrivate } from "../canon/private.ts";
import { newDirectory, readText } from "../canon/files.ts";
import { canonicalJson, parseJson, parseWith, sha256 } from "../canon/json.ts";
import { engineVersion } from "../canon/root.ts";
import { readPlan, type Bundle } from "../scan/bundle.ts";
import { bundleFiles, readSeal, sealedDigest } from "../scan/seal.ts";
import { verifyScan } from "../scan/verify.ts";
import { ContextPolicy } from "../schema/judge.ts";
import { Count, Sha256 } from "../schema/common.ts";
import { Claim } from "../schema/verdict.ts";
import { cacheRoot, touch } from "./cache.ts";
import { requireDigests, writeDigests } from "./digests.ts";
import { addScanRows, studiesOf } from "./rows.ts";
import { SCAN_TABLE_NAMES, TABLES_VERSION, type ScanTableName } from "./schema.ts";
import { seenOf, type SourceSeen } from "./seen.ts";
import { StagingTables } from "./sink.ts";

const INDEX_FILE = "scan.json";

/** What is known of a scan whose tables are derived. */
export const DerivedScan = z.strictObject({
  scan_id: z.string(),
  claim: Claim,
  study_id: z.string().nullable(),
  judge: z.string(),
  context: ContextPolicy,
  plan_sha256: Sha256,
  seal_sha256: Sha256,
  /** Rows by table. */
  rows: z.record(z.string(), Count),
});
export type DerivedScan = z.infer<typeof DerivedScan>;

/** A scan's tables, one Parquet file each. */
export interface ScanTables extends DerivedScan {
  file: (table: ScanTableName) => string;
}

export interface DeriveOptions {
  cache?: string;
  /** Part of the cache key: a digest of the engine's source, where it may change between two runs. */
  salt?: string;
}

/**
 * The tables of a finished scan, derived once for its seal. The first time the whole bundle is verified, judgments
 * derived again included; after that its bytes are compared with the seal, which comes to the same. Throws
 * `unfinished_scan` and `corrupt_scan`, one line each, and what reading a plan throws.
 */
export async function scanTables(
  directory: string,
  { cache = cacheRoot(), salt = "" }: DeriveOptions = {},
): Promise<ScanTables> {
  refusePrivate(directory);
  const bundle = readPlan(directory);
  const seal = readSealOf(bundle.directory);
  const { studies, seen } = aboutStudies(bundle);
  const target = cachedAt(seal.seal_sha256, seen, cache, salt);
  if (existsSync(target) && (await isDamaged(target))) rmSync(target, { recursive: true, force: true });
  if (existsSync(target)) {
    await requireIntact(bundle.directory, seal.files);
    touch(target);
  } else {
    await requireVerified(bundle.directory);
    await onceOnly(target, async (staging) => {
      const scratch = mkdtempSync(join(tmpdir(), "assay-tables-"));
      const tables = await StagingTables.open(SCAN_TABLE_NAMES, scratch);
      try {
        const scan = await addScanRows({ bundle, seal_sha256: seal.seal_sha256, studies, seen }, tables);
        const rows = await tables.write((name) => join(staging, `${name}.parquet`));
        const { plan } = bundle;
        const derived: DerivedScan = {
          scan_id: scan.scan_id,
          claim: plan.claim,
          study_id: scan.study_id,
          judge: plan.judge.name,
          context: plan.judge.context,
          plan_sha256: scan.plan_sha256,
          seal_sha256: scan.seal_sha256,
          rows,
        };
        writeFileSync(join(staging, INDEX_FILE), `${canonicalJson(derived)}\n`);
        await writeDigests(staging);
      } finally {
        tables.close();
        rmSync(scratch, { recursive: true, force: true });
      }
    });
  }
  const file = join(target, INDEX_FILE);
  const derived = parseWith(DerivedScan, parseJson(readText(file), { file }), {
    file,
    fix: "delete the cache directory",
  });
  return { ...derived, file: (table) => join(target, `${table}.parquet`) };
}

/** Whether a bundle's tables are in the cache; null where it is not finished. */
export function isDerived(directory: string, { cache, salt }: Required<DeriveOptions>): boolean | null {
  try {
    const seal = readSeal(directory);
    if (seal === undefined) return null;
    return existsSync(cachedAt(seal.seal_sha256, aboutStudies(readPlan(directory)).seen, cache, salt));
  } catch (error) {
    if (error instanceof AssayError) return null;
    throw error;
  }
}

/** Everything in the cache can be derived again, so damage to it is no reader's concern. */
async function isDamaged(target: string): Promise<boolean> {
  try {
    await requireDigests(target);
    return false;
  } catch (error) {
    if (error instanceof AssayError) return true;
    throw error;
  }
}

function aboutStudies(bundle: Bundle) {
  const studies = studiesOf(bundle);
  return { studies, seen: seenOf(studies, bundle.plan_sha256) };
}

/** What the register says is part of the tables and lies outside the bundle, so it is part of the key. */
function cachedAt(seal_sha256: string, seen: readonly (SourceSeen | null)[], cache: string, salt: string): string {
  const key = sha256(canonicalJson([TABLES_VERSION, engineVersion, salt, seal_sha256, seen]));
  return join(cache, "scans", key.slice(0, 32));
}

/** Fill a directory once: whoever comes second to an equal key finds it made. */
export async function onceOnly(target: string, fill: (staging: string) => Promise<void>): Promise<void> {
  try {
    await newDirectory(target, fill);
  } catch (error) {
    if (!existsSync(target)) throw error;
  }
}

function readSealOf(directory: string): { seal_sha256: string; files: Record<string, string> } {
  const read = readSeal(directory);
  if (read === undefined)
    throw new AssayError("unfinished_scan", "is not finished, so it has no results yet", {
      file: directory,
      fix: `bench scan run --plan ${directory}/scan_plan.json`,
    });
  return { seal_sha256: read.seal_sha256, files: read.seal.files };
}

async function requireVerified(directory: string): Promise<void> {
  const { status, findings } = await verifyScan(directory);
  const [first] = findings;
  if (status === "sealed_ok") return;
  throw corrupt(directory, first === undefined ? "does not verify" : `${first.file} ${first.message}`, findings.length);
}

async function requireIntact(directory: string, files: Record<string, string>): Promise<void> {
  for (const path of bundleFiles(directory)) {
    if (!Object.hasOwn(files, path)) throw corrupt(directory, `${path} is not under the seal`, 1);
  }
  for (const [path, expected] of Object.entries(files))
    if ((await sealedDigest(directory, path)) !== expected)
      throw corrupt(directory, `${path} is not what was sealed`, 1);
}

function corrupt(directory: string, problem: string, findings: number): AssayError {
  const more = findings > 1 ? ` (and ${findings - 1} more)` : "";
  return new AssayError("corrupt_scan", `does not verify: ${problem}${more}`, {
    file: directory,
    fix: "see bench scan verify; restore it from a copy",
  });
}
