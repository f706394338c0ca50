import { AssayError } from "../canon/errors.ts";
import { confined } from "../canon/paths.ts";
import { sha256OfFile } from "../canon/stream.ts";
import type { FileRef } from "../schema/common.ts";
import type { ScanPlan } from "../schema/plan.ts";
import { SAVED_ANSWERS_FILE, type Bundle } from "./bundle.ts";

/** Every file the plan froze, each once. */
export function plannedFiles(plan: ScanPlan): FileRef[] {
  const files = new Map<string, FileRef>();
  const add = (file: FileRef): unknown => files.set(file.path, file);
  for (const { manifest, summary, files: others, study } of plan.sources)
    [manifest, summary, ...others, ...(study === undefined ? [] : [study])].forEach(add);
  for (const { transcript } of plan.conversations) add(transcript);
  for (const { file } of plan.checks) add(file);
  if (plan.judge.adapter === "replay") add({ path: SAVED_ANSWERS_FILE, sha256: plan.judge.model });
  add({ path: plan.requests.path, sha256: plan.requests.sha256 });
  return [...files.values()];
}

/** Throws `digest_mismatch`, naming the file, where frozen bytes are not what the plan froze. */
export async function requireFrozen(
  { directory, plan }: Bundle,
  files: readonly FileRef[] = plannedFiles(plan),
): Promise<void> {
  for (const { path, sha256 } of files) {
    const file = confined(directory, path);
    const found = await sha256OfFile(file);
    if (found !== sha256)
      throw new AssayError("digest_mismatch", "is not the file that the plan froze", {
        file,
        fix: "restore it from a copy, or plan again",
        expected: sha256,
        found,
      });
  }
}
