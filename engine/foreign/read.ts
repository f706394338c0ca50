import { basename } from "node:path";
import { z } from "zod";
import { AssayError } from "../canon/errors.ts";
import { readBytes } from "../canon/files.ts";
import { parseJson, sha256 } from "../canon/json.ts";
import { decodeUtf8 } from "../canon/utf8.ts";
import type { ForeignFile } from "./given.ts";
import { INVISIBLEBENCH_SCORES, readInvisibleBenchScores } from "./invisiblebench.ts";
import { readPlainJsonl } from "./plain-jsonl.ts";

/** A file of another engine's judgments, by its schema; without one, plain JSONL. Throws `bad_format`, `bad_record`. */
export function readForeign(path: string): ForeignFile {
  const bytes = readBytes(path);
  const text = decodeUtf8(bytes, path);
  const about = { name: basename(path), sha256: sha256(bytes) };
  const schema = schemaOf(text);
  if (schema === undefined) return { ...about, ...readPlainJsonl(text, path) };
  if (schema === INVISIBLEBENCH_SCORES)
    return { ...about, ...readInvisibleBenchScores(parseJson(text, { file: path }), path) };
  throw new AssayError("bad_format", `has the schema ${JSON.stringify(schema)}, which holds no foreign judgments`, {
    file: path,
    fix: `give ${INVISIBLEBENCH_SCORES}, or one judgment a line`,
  });
}

/** The schema that a file which is one JSON object states; undefined: it is something else. */
function schemaOf(text: string): string | undefined {
  try {
    const parsed = z.looseObject({ schema: z.string() }).safeParse(JSON.parse(text));
    return parsed.success ? parsed.data.schema : undefined;
  } catch {
    return undefined;
  }
}
