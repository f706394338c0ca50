import { readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { AssayError } from "../canon/errors.ts";
import { readText } from "../canon/files.ts";
import { canonicalJson, parseJson, parseWith } from "../canon/json.ts";
import { confined } from "../canon/paths.ts";
import { sha256OfFile } from "../canon/stream.ts";
import { RelativePath, Sha256 } from "../schema/common.ts";

const DIGESTS_FILE = "digests.json";
const Digests = z.strictObject({ files: z.record(RelativePath, Sha256) });

/** Write the digest of every file below a directory of tables beside them. */
export async function writeDigests(directory: string): Promise<void> {
  const files: Record<string, string> = {};
  for (const entry of readdirSync(directory, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue;
    const path = join(entry.parentPath, entry.name);
    files[path.slice(directory.length + 1).replaceAll("\\", "/")] = await sha256OfFile(path);
  }
  writeFileSync(join(directory, DIGESTS_FILE), `${canonicalJson({ files })}\n`);
}

/**
 * Check that the tables of a directory are the bytes that were written: a reader of Parquet notices damage only in the
 * pages it happens to decode, and not always there. Throws `corrupt_tables` with the first file that differs.
 */
export async function requireDigests(directory: string): Promise<void> {
  const file = join(directory, DIGESTS_FILE);
  const corrupt = (path: string, problem: string): AssayError =>
    new AssayError("corrupt_tables", problem, { file: path, fix: "write the tables again with bench tables" });
  let files: Record<string, string>;
  try {
    ({ files } = parseWith(Digests, parseJson(readText(file), { file }), { file }));
  } catch (error) {
    if (!(error instanceof AssayError)) throw error;
    throw corrupt(file, error.problem);
  }
  for (const [path, expected] of Object.entries(files)) {
    const found = await sha256OfFile(confined(directory, path)).catch((error: unknown) => {
      throw error instanceof AssayError ? corrupt(join(directory, path), error.problem) : error;
    });
    if (found !== expected) throw corrupt(join(directory, path), "is not what was written");
  }
}
