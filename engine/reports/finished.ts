import { AssayError } from "../canon/errors.ts";
import { readPlan } from "../scan/bundle.ts";
import { verifyScan } from "../scan/verify.ts";
import { viewScan, type ScanView } from "./scan-view.ts";

/**
 * A scan that is finished, sealed and verified: the only kind that is compared. Throws `unfinished_scan`,
 * `failed_verification` (naming the first finding), and what reading its plan throws.
 */
export async function openFinishedScan(path: string): Promise<ScanView> {
  const { directory, plan, plan_sha256 } = readPlan(path);
  await requireFinished(directory);
  return viewScan(directory, plan, plan_sha256);
}

/** Refuse a scan that is not sealed, or whose files but `except` are not those that were sealed. */
export async function requireFinished(directory: string, except?: string): Promise<void> {
  const verification = await verifyScan(directory);
  const { status } = verification;
  const findings = verification.findings.filter(({ file }) => file !== except);
  if (status === "unfinished")
    throw new AssayError("unfinished_scan", "is not finished and sealed", {
      file: directory,
      fix: `run bench scan run --plan ${directory}/scan_plan.json first`,
    });
  const first = findings[0];
  if (first !== undefined)
    throw new AssayError("failed_verification", `${first.file}: ${first.message}`, {
      file: directory,
      fix: "restore the scan from a copy; bench scan verify names every difference",
      findings,
    });
}
