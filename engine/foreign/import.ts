import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { AssayError } from "../canon/errors.ts";
import { newDirectory, readBytes } from "../canon/files.ts";
import { canonicalJson } from "../canon/json.ts";
import { confined } from "../canon/paths.ts";
import { writeLines } from "../canon/stream.ts";
import { parseTranscript } from "../evidence/transcript.ts";
import { loadSource, type LoadedSource, type SourceConversation } from "../scan/source.ts";
import { FOREIGN_SCHEMA, type ForeignJudgment, type ForeignManifest, type ForeignQuote } from "../schema/foreign.ts";
import { VERDICTS } from "../schema/verdict.ts";
import { FOREIGN_FILE, FOREIGN_JUDGMENTS_FILE } from "./bundle.ts";
import type { ForeignFile, GivenJudgment } from "./given.ts";
import { readForeign } from "./read.ts";

export interface ForeignImport extends ForeignManifest {
  directory: string;
}

/**
 * Keep the judgments of one foreign judge over the conversations of a source run, in a new directory. Quotes are
 * looked up in the turns they cite; nothing is derived. Equal inputs give equal bytes. Throws what reading throws,
 * `two_judges`, `duplicate_judgment`, `transcript_differs`, `no_shared_conversation`.
 */
export async function importForeign(
  paths: readonly string[],
  { run, output }: { run: string; output: string },
): Promise<ForeignImport> {
  const source = loadSource(run);
  const files = paths.map(readForeign);
  const first = requireOneJudge(files, paths);
  const byConversation = groupByConversation(files, paths);
  const held = source.conversations.filter((row) => byConversation.has(keyOf(row.entry)));
  const all = files.reduce((sum, { judgments }) => sum + judgments.length, 0);
  if (held.length === 0)
    throw new AssayError("no_shared_conversation", "judges none of the run's conversations", {
      file: paths[0] ?? run,
      fix: "name the source run of the same conversations with --run",
    });
  return await newDirectory(output, async (staging) => {
    const counts = { PASS: 0, FAIL: 0, UNCLEAR: 0, NOT_APPLICABLE: 0 };
    const quotes = { total: 0, unfound: 0 };
    const repeats = { judgments: 0, split: 0 };
    const count = (row: ForeignJudgment): void => {
      counts[row.verdict] += 1;
      quotes.total += row.quotes.length;
      quotes.unfound += row.quotes.filter(({ found }) => !found).length;
      if (row.repeats.length < 2) return;
      repeats.judgments += 1;
      repeats.split += new Set(row.repeats).size > 1 ? 1 : 0;
    };
    const written = await writeLines(join(staging, FOREIGN_JUDGMENTS_FILE), lines(source, held, byConversation, count));
    const { harness, mode, run_id } = source.manifest;
    const manifest: ForeignManifest = {
      schema: FOREIGN_SCHEMA,
      judge: first.judge,
      engine: first.engine,
      format: first.format,
      claim: harness === "fixture" || mode === "authored" ? "frozen_validation_cases" : "target_model_conversations",
      accuracy_claim: false,
      run: {
        run_id,
        manifest_sha256: source.manifestFile.sha256,
        summary_sha256: source.summaryFile.sha256,
        conversations: held.length,
      },
      files: files.map(({ name, sha256 }) => ({ name, sha256 })),
      judgments: { path: FOREIGN_JUDGMENTS_FILE, sha256: written.sha256, rows: written.lines },
      counts: Object.fromEntries(VERDICTS.map((verdict) => [verdict, counts[verdict]])) as typeof counts,
      quotes,
      repeats,
      not_held: all - written.lines,
      dropped: droppedOf(files),
    };
    writeFileSync(join(staging, FOREIGN_FILE), `${canonicalJson(manifest)}\n`);
    return { directory: output, ...manifest };
  });
}

function requireOneJudge(files: readonly ForeignFile[], paths: readonly string[]): ForeignFile {
  const first = files[0];
  if (first === undefined) throw new AssayError("usage", "names no file", { fix: "name files of judgments" });
  files.forEach((file, i) => {
    if (file.judge !== first.judge || file.engine !== first.engine || file.format !== first.format)
      throw new AssayError("two_judges", `is by ${file.judge} (${file.engine}), not ${first.judge} (${first.engine})`, {
        file: paths[i] ?? file.name,
        fix: "import the judgments of each judge apart",
      });
  });
  return first;
}

function groupByConversation(files: readonly ForeignFile[], paths: readonly string[]): Map<string, GivenJudgment[]> {
  const groups = new Map<string, GivenJudgment[]>();
  const seen = new Set<string>();
  files.forEach(({ judgments, name }, i) => {
    for (const row of judgments) {
      const identity = JSON.stringify([row.model_id, row.scenario_id, row.foreign_id]);
      if (seen.has(identity))
        throw new AssayError(
          "duplicate_judgment",
          `judges ${row.foreign_id} of ${row.model_id} ${row.scenario_id} twice`,
          {
            file: paths[i] ?? name,
            fix: "keep one; verdicts of a repeated judge go into its repeats",
          },
        );
      seen.add(identity);
      const group = groups.get(keyOf(row));
      if (group === undefined) groups.set(keyOf(row), [row]);
      else group.push(row);
    }
  });
  return groups;
}

function* lines(
  { directory }: LoadedSource,
  held: readonly SourceConversation[],
  groups: ReadonlyMap<string, readonly GivenJudgment[]>,
  count: (row: ForeignJudgment) => void,
): Generator<string> {
  for (const { entry, transcript } of held) {
    const file = confined(directory, transcript.path);
    const turns = parseTranscript(readBytes(file), file);
    const contents = new Map(turns.map(({ role, turn, content }) => [`${turn} ${role}`, content]));
    for (const given of groups.get(keyOf(entry)) ?? []) {
      if (given.transcript_sha256 !== undefined && given.transcript_sha256 !== transcript.sha256)
        throw new AssayError(
          "transcript_differs",
          `${given.foreign_id} of ${given.model_id} ${given.scenario_id} was judged over other bytes`,
          {
            file,
            fix: "import over the source run that was judged",
            expected: given.transcript_sha256,
            found: transcript.sha256,
          },
        );
      const { model_id, scenario_id, foreign_id, verdict, repeats, scorer } = given;
      const row: ForeignJudgment = {
        model_id,
        scenario_id,
        foreign_id,
        transcript_sha256: transcript.sha256,
        verdict,
        repeats,
        scorer,
        quotes: given.quotes.map((quote) => lookUp(quote, contents)),
      };
      count(row);
      yield canonicalJson(row);
    }
  }
}

/** The first place of the exact text in the turn it cites. An empty quote shows nothing, so it is never found. */
function lookUp(
  { role, turn, quote }: GivenJudgment["quotes"][number],
  contents: ReadonlyMap<string, string>,
): ForeignQuote {
  const start = quote === "" ? -1 : (contents.get(`${turn} ${role}`)?.indexOf(quote) ?? -1);
  if (start === -1) return { role, turn, quote, found: false, start: null, end: null };
  return { role, turn, quote, found: true, start, end: start + quote.length };
}

function droppedOf(files: readonly ForeignFile[]): ForeignManifest["dropped"] {
  const counts = new Map<string, number>();
  for (const { dropped } of files)
    for (const [field, count] of dropped) counts.set(field, (counts.get(field) ?? 0) + count);
  return [...counts].sort(([a], [b]) => (a < b ? -1 : 1)).map(([field, count]) => ({ field, count }));
}

function keyOf({ model_id, scenario_id }: { model_id: string; scenario_id: string }): string {
  return JSON.stringify([model_id, scenario_id]);
}
