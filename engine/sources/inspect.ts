import { closeSync, openSync, readSync } from "node:fs";
import { z } from "zod";
import { AssayError } from "../canon/errors.ts";
import { fileError, readText } from "../canon/files.ts";
import { parseWith } from "../canon/json.ts";
import { Archive } from "./archive.ts";
import type { FileFacts, ImportedConversation, Reading } from "./imported.ts";
import { readSample } from "./inspect-sample.ts";
import { MAX_DOCUMENT, sizeOf, tooLarge } from "./limits.ts";
import { parsePythonJson } from "./python-json.ts";
import { dropMembers } from "./tally.ts";

const Usage = z.looseObject({ total_cost: z.number().nonnegative().nullish() });

/** The header of a log: all of a JSON log but its samples, and an entry of its own in an archive. */
const Header = z.looseObject({
  version: z.number().int().default(1),
  status: z.string().default("started"),
  eval: z.looseObject({
    model: z.string().min(1),
    created: z.string().min(1),
    task: z.string().min(1),
    run_id: z.string().optional(),
  }),
  plan: z.looseObject({ config: z.looseObject({ temperature: z.number().nullish() }).optional() }).nullish(),
  stats: z.looseObject({ model_usage: z.record(z.string(), Usage).nullish() }).nullish(),
});
type Header = z.infer<typeof Header>;

/** Newer logs split a sample over many entries. */
const NEWEST = 2;
const SAMPLE = /^samples\/.*_epoch_\d+\.json$/s;
const KEPT = new Set([...Object.keys(Header.shape), "samples"]);

/**
 * A log of Inspect AI, as a JSON file or an `.eval` archive, told apart by its first bytes. A sample is a
 * conversation; one in which the model never replied is left out and listed. Throws `bad_source`, `bad_json`,
 * `bad_record`, `bad_archive`, `too_large` and what a conversation throws, naming the sample.
 */
export async function* readInspect(reading: Reading): AsyncGenerator<ImportedConversation, FileFacts> {
  const header = isZip(reading.file) ? yield* readArchive(reading) : yield* readJson(reading);
  const { version, status, plan } = header;
  const { task, created, run_id } = header.eval;
  return {
    run_dates: [created],
    cost_usd: costOf(header),
    version: String(version),
    about: { task, created, run_id, status, temperature: plan?.config?.temperature ?? null },
  };
}

async function* readJson(reading: Reading): AsyncGenerator<ImportedConversation, Header> {
  const { file } = reading;
  if (sizeOf(file) > MAX_DOCUMENT)
    throw tooLarge("the log", MAX_DOCUMENT, { file }, "convert it with inspect log convert --to eval");
  const value = parsed(reading, readText(file).replace(/^\ufeff/, ""), file);
  const header = headerOf(reading, value, file);
  const { samples } = parseWith(z.looseObject({ samples: z.array(z.unknown()) }), value, { file }, "bad_source");
  for (const [i, sample] of samples.entries())
    yield* readSample(reading, sample, header.eval, `${file} (sample ${i + 1})`);
  return header;
}

async function* readArchive(reading: Reading): AsyncGenerator<ImportedConversation, Header> {
  const { file, dropped } = reading;
  const archive = await Archive.open(file);
  try {
    if (archive.superseded > 0) dropped.add("archive entries replaced by a later one", archive.superseded);
    // A log whose run was broken off has no header yet, only what was written when it started.
    const name = ["header.json", "_journal/start.json"].find((one) => archive.has(one));
    if (name === undefined)
      throw new AssayError("bad_source", "holds no header.json", { file, fix: "name a log of Inspect AI" });
    const place = `${file} (${name})`;
    const header = headerOf(reading, parsed(reading, await archive.text(name), place), place);
    for (const entry of archive.names()) {
      if (!entry.startsWith("samples/") || entry.endsWith("/")) continue;
      if (!SAMPLE.test(entry))
        throw new AssayError("bad_source", "is part of a sample in pieces, which is not read", {
          file: `${file} (${entry})`,
          fix: "convert the log with inspect log convert --to json",
        });
      const at = `${file} (${entry})`;
      yield* readSample(reading, parsed(reading, await archive.text(entry), at), header.eval, at);
    }
    return header;
  } finally {
    archive.close();
  }
}

function headerOf({ dropped }: Reading, value: unknown, file: string): Header {
  const header = parseWith(Header, value, { file, fix: "name a log of Inspect AI" }, "bad_source");
  if (header.version > NEWEST)
    throw new AssayError("bad_source", `is a log of version ${header.version}; up to ${NEWEST} can be read`, {
      file,
      fix: "write it with an older format version",
    });
  dropMembers(dropped, header, KEPT, "");
  return header;
}

function parsed({ dropped }: Reading, text: string, file: string): unknown {
  const { value, replaced } = parsePythonJson(text, { file });
  if (replaced > 0) dropped.add("numbers that are NaN or infinite", replaced);
  return value;
}

/** What the run cost; unknown unless it is recorded of every model that was used. */
function costOf({ stats }: Header): number | null {
  const costs = Object.values(stats?.model_usage ?? {}).map(({ total_cost }) => total_cost ?? null);
  let sum = 0;
  for (const cost of costs) {
    if (cost === null) return null;
    sum += cost;
  }
  return costs.length === 0 ? null : sum;
}

function isZip(file: string): boolean {
  sizeOf(file);
  try {
    const fd = openSync(file, "r");
    try {
      const start = Buffer.alloc(2);
      return readSync(fd, start, 0, 2, 0) === 2 && start.toString("latin1") === "PK";
    } finally {
      closeSync(fd);
    }
  } catch (error) {
    throw fileError(error, file);
  }
}
