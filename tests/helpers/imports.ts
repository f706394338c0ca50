import { mkdtempSync, readFileSync, readdirSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { crc32, deflateRawSync } from "node:zlib";
import { expect } from "vitest";
import { AssayError } from "../../engine/canon/errors.ts";
import { importSource, parseOptions, type ImportReport, type RawOptions } from "../../engine/sources/index.ts";
import type { Turn } from "../../engine/schema/transcript.ts";
import { loadSource } from "../../engine/scan/source.ts";
import { parseTranscript } from "../../engine/evidence/transcript.ts";

export type Content = string | Uint8Array;

/** Write the inputs into a new directory; `in-0.<extension>`, `in-1...`. */
export function inputs(extension: string, ...contents: readonly Content[]): { directory: string; paths: string[] } {
  const directory = mkdtempSync(join(tmpdir(), "assay-import-"));
  const paths = contents.map((content, i) => {
    const path = join(directory, `in-${i}.${extension}`);
    writeFileSync(path, content);
    return path;
  });
  return { directory, paths };
}

export interface Imported {
  report: ImportReport;
  /** By scenario id. */
  turns: Record<string, Turn[]>;
  source: ReturnType<typeof loadSource>;
}

/** Import, load the run as planning does, and read its transcripts. */
export async function imported(from: string, options: RawOptions, ...contents: readonly Content[]): Promise<Imported> {
  const { directory, paths } = inputs(from, ...contents);
  const output = join(directory, "out");
  const report = await importSource(from, paths, output, parseOptions(options));
  const source = loadSource(output);
  const turns: Record<string, Turn[]> = {};
  for (const { entry, transcript } of source.conversations)
    turns[entry.scenario_id] = parseTranscript(readFileSync(join(output, transcript.path)), transcript.path);
  return { report, turns, source };
}

/** Import what has to be refused: a typed error of one line, and nothing left behind. */
export async function refused(from: string, options: RawOptions, ...contents: readonly Content[]): Promise<AssayError> {
  const { directory, paths } = inputs(from, ...contents);
  const before = readdirSync(directory).sort();
  let error: unknown;
  try {
    await importSource(from, paths, join(directory, "out"), parseOptions(options));
  } catch (thrown) {
    error = thrown;
  }
  expect(readdirSync(directory).sort()).toEqual(before);
  if (!(error instanceof AssayError)) throw new Error("was not refused by a typed error", { cause: error });
  expect(error.message).not.toContain("\n");
  return error;
}

export interface ZipEntry {
  name: string;
  data: Content;
  method?: number;
  /** Bytes as they stand in the archive, where they are not made of `data`. */
  packed?: Uint8Array;
  declaredSize?: number;
  crc?: number;
  flags?: number;
}

/** A zip archive, with the lies that a test needs. */
export function zip(entries: readonly ZipEntry[]): Buffer {
  const pieces: Buffer[] = [];
  const directory: Buffer[] = [];
  let at = 0;
  for (const { name, data, method = 8, packed, declaredSize, crc, flags = 0x800 } of entries) {
    const bytes = Buffer.from(data);
    const body = Buffer.from(packed ?? (method === 8 ? deflateRawSync(bytes) : bytes));
    const path = Buffer.from(name);
    const common = Buffer.alloc(26);
    common.writeUInt16LE(20, 0);
    common.writeUInt16LE(flags, 2);
    common.writeUInt16LE(method, 4);
    common.writeUInt32LE(crc ?? crc32(bytes), 10);
    common.writeUInt32LE(body.length, 14);
    common.writeUInt32LE(declaredSize ?? bytes.length, 18);
    common.writeUInt16LE(path.length, 22);
    const local = Buffer.concat([Buffer.from("PK\x03\x04"), common, path, body]);
    const tail = Buffer.alloc(14);
    tail.writeUInt32LE(at, 10);
    directory.push(Buffer.concat([Buffer.from("PK\x01\x02\x14\x00"), common, tail, path]));
    pieces.push(local);
    at += local.length;
  }
  const end = Buffer.alloc(22);
  end.write("PK\x05\x06", "latin1");
  end.writeUInt16LE(entries.length, 8);
  end.writeUInt16LE(entries.length, 10);
  end.writeUInt32LE(Buffer.concat(directory).length, 12);
  end.writeUInt32LE(at, 16);
  return Buffer.concat([...pieces, ...directory, end]);
}
