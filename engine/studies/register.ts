import { appendFileSync, existsSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { AssayError } from "../canon/errors.ts";
import { readText } from "../canon/files.ts";
import { canonicalJson, parseLine, sha256 } from "../canon/json.ts";
import { SeenRow, Wave } from "../schema/seen.ts";
import type { LoadedStudy } from "./load.ts";

export const SEEN_FILE = "seen.jsonl";
export const WAVES_FILE = "waves.jsonl";

/** What is on record below a studies directory; both files are append-only and committed. */
export interface Register {
  directory: string;
  rows: readonly SeenRow[];
  waves: readonly Wave[];
}

/** The studies directory of a study: where its register lies. */
export function registerOf({ directory }: Pick<LoadedStudy, "directory">): string {
  return dirname(directory);
}

/**
 * The register below a studies directory; empty where there is none. Throws `bad_record` with the line, and
 * `register_changed` where lines that a wave was frozen over are no longer what they were.
 */
export function readRegister(directory: string): Register {
  const seen = linesOf(join(directory, SEEN_FILE));
  const rows = seen.map((text, i) => parseLine(text, SeenRow, { file: join(directory, SEEN_FILE), line: i + 1 }));
  const file = join(directory, WAVES_FILE);
  const waves = linesOf(file).map((text, i) => parseLine(text, Wave, { file, line: i + 1 }));
  waves.forEach(({ register, study }, i) => {
    if (register.rows > seen.length || digestOfLines(seen.slice(0, register.rows)) !== register.sha256)
      throw new AssayError("register_changed", `a wave of ${study} was frozen over other lines of ${SEEN_FILE}`, {
        file,
        line: i + 1,
        fix: `restore ${SEEN_FILE} from version control; its lines are only ever added to`,
      });
  });
  return { directory, rows, waves };
}

/** Add first answers; a case that has a row of these bytes keeps it. Answers the rows added. */
export function addSeen(directory: string, rows: readonly SeenRow[]): SeenRow[] {
  const known = new Set(readRegister(directory).rows.map(placeOf));
  const added = rows.filter((row) => !known.has(placeOf(row)));
  append(join(directory, SEEN_FILE), added);
  return added;
}

/** Add a wave, frozen over the register as it stands. The same plans are a wave once. */
export function addWave(directory: string, wave: Omit<Wave, "register">): Wave {
  const { waves } = readRegister(directory);
  const plans = canonicalJson(wave.plans);
  const known = waves.find((row) => row.study_sha256 === wave.study_sha256 && canonicalJson(row.plans) === plans);
  if (known !== undefined) return known;
  const lines = linesOf(join(directory, SEEN_FILE));
  const made: Wave = { ...wave, register: { rows: lines.length, sha256: digestOfLines(lines) } };
  append(join(directory, WAVES_FILE), [made]);
  return made;
}

function placeOf(row: SeenRow): string {
  return JSON.stringify([row.study, row.case, row.transcript_sha256]);
}

function linesOf(file: string): string[] {
  if (!existsSync(file)) return [];
  const lines = readText(file).split("\n");
  if (lines.pop() !== "")
    throw new AssayError("bad_record", "its last line is not ended", { file, fix: `end ${basename(file)} with a newline` });
  return lines;
}

function digestOfLines(lines: readonly string[]): string {
  return sha256(lines.map((line) => `${line}\n`).join(""));
}

/** In one write, so that two runs that end together do not mix their lines. */
function append(file: string, rows: readonly object[]): void {
  if (rows.length > 0) appendFileSync(file, rows.map((row) => `${canonicalJson(row)}\n`).join(""));
}
