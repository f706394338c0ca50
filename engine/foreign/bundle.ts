import { existsSync } from "node:fs";
import { join } from "node:path";
import { AssayError } from "../canon/errors.ts";
import { isDirectory, readText } from "../canon/files.ts";
import { parseJson, parseWith } from "../canon/json.ts";
import { readJsonl } from "../canon/lines.ts";
import { confined } from "../canon/paths.ts";
import { sha256OfFile } from "../canon/stream.ts";
import { ForeignJudgment, ForeignManifest } from "../schema/foreign.ts";

export const FOREIGN_FILE = "foreign.json";
export const FOREIGN_JUDGMENTS_FILE = "foreign_judgments.jsonl";

/** Imported judgments of another engine. Rows stream. */
export interface ForeignBundle {
  directory: string;
  manifest: ForeignManifest;
  judgments: () => AsyncGenerator<ForeignJudgment>;
}

export function isForeign(directory: string): boolean {
  return isDirectory(directory) && existsSync(join(directory, FOREIGN_FILE));
}

/** Throws `no_foreign`, `bad_foreign`, `digest_mismatch` where the judgments are not those that were imported. */
export async function openForeign(directory: string): Promise<ForeignBundle> {
  if (!isForeign(directory))
    throw new AssayError("no_foreign", `holds no ${FOREIGN_FILE}`, {
      file: directory,
      fix: "name a directory made by bench judgments import",
    });
  const file = confined(directory, FOREIGN_FILE);
  const manifest = parseWith(ForeignManifest, parseJson(readText(file), { file }), { file }, "bad_foreign");
  const path = confined(directory, manifest.judgments.path);
  const found = await sha256OfFile(path);
  if (found !== manifest.judgments.sha256)
    throw new AssayError("digest_mismatch", `is not the file that ${FOREIGN_FILE} names`, {
      file: path,
      fix: "import the judgments again into a new directory",
      expected: manifest.judgments.sha256,
      found,
    });
  return { directory, manifest, judgments: () => readJsonl(path, ForeignJudgment) };
}
