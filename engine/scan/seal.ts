import { lstatSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { sealedCardBytes } from "../canon/commentary.ts";
import { AssayError } from "../canon/errors.ts";
import { readBytes } from "../canon/files.ts";
import { canonicalJson, digestOf, parseJson, parseWith, sha256 } from "../canon/json.ts";
import { confined } from "../canon/paths.ts";
import { sha256OfFile } from "../canon/stream.ts";
import { decodeUtf8 } from "../canon/utf8.ts";
import { SEAL_FORMAT, Seal } from "../schema/seal.ts";
import type { ScanPlan } from "../schema/plan.ts";
import { CARD_FILE, JOURNAL_FILE, JUDGMENTS_FILE, PLAN_FILE, SEAL_FILE, type Bundle } from "./bundle.ts";
import { reporting, type Finding } from "./findings.ts";
import { plannedFiles } from "./frozen.ts";
import { isLockFile } from "./lock.ts";

/** Every file of a bundle but the seal and run locks: relative POSIX paths, sorted. Symbolic links count as files. */
export function bundleFiles(directory: string): string[] {
  const files: string[] = [];
  const walk = (below: string): void => {
    for (const entry of readdirSync(join(directory, below), { withFileTypes: true })) {
      const path = below === "" ? entry.name : `${below}/${entry.name}`;
      if (entry.isDirectory()) walk(path);
      else if (path !== SEAL_FILE && !isLockFile(path)) files.push(path);
    }
  };
  walk("");
  return files.sort();
}

/** The digest a seal keeps of a file: of its bytes, and for the card of those before its commentary. */
export async function sealedDigest(directory: string, path: string): Promise<string> {
  const file = confined(directory, path);
  return path === CARD_FILE ? sha256(sealedCardBytes(readBytes(file))) : await sha256OfFile(file);
}

/** Everything a finished scan is made of, the seal apart; relative paths, sorted. */
export function finishedFiles(plan: ScanPlan): string[] {
  const planned = plannedFiles(plan).map(({ path }) => path);
  return [PLAN_FILE, JOURNAL_FILE, JUDGMENTS_FILE, CARD_FILE, ...planned].sort();
}

/** The bytes of `seal.json` for a bundle in which everything else is written. A file that strayed in is not sealed. */
export async function makeSeal({ directory, plan, plan_sha256 }: Bundle): Promise<string> {
  const files: Record<string, string> = {};
  for (const path of finishedFiles(plan)) files[path] = await sealedDigest(directory, path);
  const body = { format: SEAL_FORMAT, plan_sha256, files } as const;
  return `${canonicalJson({ ...body, self_sha256: digestOf(body) } satisfies Seal)}\n`;
}

/** A seal that is whole by its own digest, and the digest people publish; undefined where a scan is not sealed. */
export function readSeal(directory: string): { seal: Seal; seal_sha256: string } | undefined {
  const file = confined(directory, SEAL_FILE);
  if (lstatSync(file, { throwIfNoEntry: false }) === undefined) return undefined;
  const bytes = readBytes(file);
  const seal = parseWith(Seal, parseJson(decodeUtf8(bytes, file), { file }), { file }, "bad_seal");
  const { self_sha256, ...body } = seal;
  if (digestOf(body) !== self_sha256 || !bytes.equals(Buffer.from(`${canonicalJson(seal)}\n`)))
    throw new AssayError("bad_seal", "does not match its own digest", { file, fix: "restore it from a copy" });
  return { seal, seal_sha256: sha256(bytes) };
}

/** Sealed files that are gone, or are not what was sealed. */
export async function brokenSeal(directory: string, { files }: Pick<Seal, "files">): Promise<Finding[]> {
  const broken: Finding[] = [];
  const report = (finding: Finding): unknown => broken.push(finding);
  for (const [path, expected] of Object.entries(files))
    await reporting(directory, path, report, async () => {
      if (lstatSync(confined(directory, path), { throwIfNoEntry: false }) === undefined)
        return void report({ file: path, code: "missing", message: "is sealed, but is not there" });
      const found = await sealedDigest(directory, path);
      if (found !== expected)
        report({ file: path, code: "changed", message: `has digest ${found}, sealed as ${expected}` });
    });
  return broken;
}

/** Before a scan is built upon: throws `corrupt_scan` where it is sealed and no longer what was sealed. */
export async function requireSealed(directory: string): Promise<void> {
  const sealed = readSeal(directory);
  if (sealed !== undefined) requireNone(directory, await brokenSeal(directory, sealed.seal));
}

export function requireNone(directory: string, findings: readonly Finding[]): void {
  const [first] = findings;
  if (first !== undefined)
    throw new AssayError("corrupt_scan", `${first.file} ${first.message}`, {
      file: directory,
      fix: "restore the scan from a copy; see bench scan verify",
      findings,
    });
}
