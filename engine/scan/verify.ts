import { existsSync, lstatSync } from "node:fs";
import { join } from "node:path";
import { AssayError } from "../canon/errors.ts";
import { isDirectory, readBytes } from "../canon/files.ts";
import { confined } from "../canon/paths.ts";
import { parsePlan, PLAN_FILE, readPlan, SEAL_FILE, type Bundle } from "./bundle.ts";
import type { Finding, Report } from "./findings.ts";
import { brokenSeal, bundleFiles, finishedFiles, readSeal } from "./seal.ts";
import { verifyInputs } from "./verify-inputs.ts";
import { verifyAnswers, verifyJudgments } from "./verify-answers.ts";

export interface Verification {
  status: "sealed_ok" | "unfinished" | "failed";
  findings: Finding[];
  /** null where there is no readable seal. */
  seal_sha256: string | null;
}

const TEMPORARY = /^\..+\.[0-9]+\.tmp$/;

/**
 * Check a scan from the outside in: the seal, every file under it, the plan, what the plan froze, the journal's
 * chain, and the judgments derived again. A later step runs only when the ones before it found nothing, so that one
 * changed byte names one file. With the published digest of the seal this is proof; without it, it finds accidents.
 */
export async function verifyScan(
  directory: string,
  { seal: published }: { seal?: string | undefined } = {},
): Promise<Verification> {
  if (!isDirectory(directory))
    throw new AssayError("no_scan", "is not a directory", { file: directory, fix: "name the directory of a scan" });
  const isSealed = lstatSync(join(directory, SEAL_FILE), { throwIfNoEntry: false }) !== undefined;
  if (!isSealed) readPlan(directory);
  const findings: Finding[] = [];
  const report: Report = (finding) => {
    if (!findings.some(({ file, code }) => file === finding.file && code === finding.code)) findings.push(finding);
  };
  const failed = (): boolean => findings.length > 0;
  const sealed = verifySeal(directory, published, report);
  if (sealed !== undefined) await verifySealedFiles(directory, sealed, report);
  const bundle = failed() && sealed !== undefined ? undefined : verifyPlan(directory, sealed?.plan_sha256, report);
  if (bundle !== undefined) {
    listFiles(bundle, isSealed, report);
    await verifyInputs(bundle, report);
    if (!failed()) await verifyAnswers(bundle, isSealed, report);
    if (!failed() && isSealed) await verifyJudgments(bundle, report);
  }
  return {
    status: failed() ? "failed" : isSealed ? "sealed_ok" : "unfinished",
    findings,
    seal_sha256: sealed?.seal_sha256 ?? null,
  };
}

interface Sealed {
  files: Record<string, string>;
  plan_sha256: string;
  seal_sha256: string;
}

function verifySeal(directory: string, published: string | undefined, report: Report): Sealed | undefined {
  const finding = (code: string, message: string): void => report({ file: SEAL_FILE, code, message });
  try {
    const read = readSeal(directory);
    if (read === undefined) {
      if (published !== undefined) finding("no_seal", "a seal's digest was given, but the scan is not sealed");
      return undefined;
    }
    const { seal, seal_sha256 } = read;
    if (published !== undefined && published.toLowerCase() !== seal_sha256)
      finding("seal_differs", `has digest ${seal_sha256}, not the published ${printableDigest(published)}`);
    return { files: seal.files, plan_sha256: seal.plan_sha256, seal_sha256 };
  } catch (error) {
    if (!(error instanceof AssayError)) throw error;
    finding("bad_seal", `is damaged: ${error.message}`);
    return undefined;
  }
}

function printableDigest(text: string): string {
  return /^[0-9a-fA-F]{64}$/.test(text) ? text.toLowerCase() : JSON.stringify(text);
}

async function verifySealedFiles(directory: string, { files }: Sealed, report: Report): Promise<void> {
  (await brokenSeal(directory, { files })).forEach(report);
  for (const path of bundleFiles(directory))
    if (!Object.hasOwn(files, path)) report({ file: path, code: "extra", message: "is not under the seal" });
}

function verifyPlan(directory: string, sealedPlan: string | undefined, report: Report): Bundle | undefined {
  const finding = (code: string, message: string): void => report({ file: PLAN_FILE, code, message });
  try {
    const file = confined(directory, PLAN_FILE);
    if (!existsSync(file)) return (finding("missing", "is not there"), undefined);
    const bundle = { directory, ...parsePlan(readBytes(file), file) };
    if (sealedPlan !== undefined && sealedPlan !== bundle.plan_sha256)
      finding("changed", `has digest ${bundle.plan_sha256}, the seal binds ${sealedPlan}`);
    return bundle;
  } catch (error) {
    if (!(error instanceof AssayError)) throw error;
    finding(error.code, error.message);
    return undefined;
  }
}

/** Files no part of the plan accounts for; before the seal, what a run writes may be missing or half done. */
function listFiles({ directory, plan }: Bundle, isSealed: boolean, report: Report): void {
  const known = new Set(finishedFiles(plan));
  const present = new Set(bundleFiles(directory));
  for (const path of present)
    if (!known.has(path) && (isSealed || !TEMPORARY.test(path)))
      report({ file: path, code: "extra", message: "belongs to no part of the plan" });
  if (isSealed)
    for (const path of known) if (!present.has(path)) report({ file: path, code: "missing", message: "is not there" });
}
