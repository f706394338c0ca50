import type { DuckDBConnection } from "@duckdb/node-api";
import { openForeign, readCheckMap } from "../foreign/index.ts";
import { slugOf } from "../scan/identity.ts";
import { flag, integer, nullable, table, text, texts, type RowOf, type Table } from "./columns.ts";
import { append, identifier } from "./sink.ts";

const foreign_set = text("The imported judgments: engine, judge and digest");
const conversation = text("`<model_id>/<scenario_id>`");
const foreign_id = text("What was judged, as the other engine names it");
const transcript_sha256 = text("Digest of the transcript file's bytes");

/**
 * Other engines' judgments, beside the tables of scans and never among them: other definitions, kept as given. Joins:
 * foreign_judgments -> check_map by foreign_id, -> judgments by check_id, conversation and transcript_sha256.
 */
export const FOREIGN_TABLES = {
  foreign_judgments: table({
    description: "Verdicts of another engine over conversations we hold; never derived again",
    scope: "scan",
    key: ["foreign_set", "conversation", "foreign_id"],
    columns: {
      foreign_set,
      judge: text("Who judged, as the other engine names it"),
      engine: text("The other engine"),
      conversation,
      model_id: text("Target model"),
      scenario_id: text("Scenario"),
      transcript_sha256,
      foreign_id,
      verdict: text("PASS, FAIL, UNCLEAR or NOT_APPLICABLE, as given"),
      scorer: text("What inside the other engine decided; empty where it does not say"),
      repeats: texts("The same judge asked again; empty where not recorded"),
      split: flag("Two or more repeats, not all the same"),
      quotes: integer("Quotes given", "quotes"),
      unfound: integer("Of these, not an exact part of the turn they cite", "quotes"),
    },
  }),
  foreign_quotes: table({
    description: "What another engine quoted; only found quotes are evidence",
    scope: "scan",
    key: ["foreign_set", "conversation", "foreign_id", "position"],
    columns: {
      foreign_set,
      conversation,
      transcript_sha256,
      foreign_id,
      position: integer("Order in the judgment, from 0"),
      role: text("Role of the turn cited"),
      turn: integer("Turn cited"),
      found: flag("The text is an exact part of that turn"),
      span_start: nullable(integer("Offset in the turn's content; null where unfound", "UTF-16 code units")),
      span_end: nullable(integer("Offset after the quote; null where unfound", "UTF-16 code units")),
      quote: text("The text as given, found or not"),
    },
  }),
  check_map: table({
    description: "Which foreign definition someone declares to be about the same thing as which check",
    scope: "content",
    key: ["foreign_id"],
    columns: {
      foreign_id,
      check_id: text("`<dimension>.<slug>`"),
      author: text("Who says so"),
      reason: text("Why"),
    },
  }),
} as const satisfies Record<string, Table>;

export const FOREIGN_VIEWS = {
  foreign_agreement: `
select j.scan_id, s.judge, s.context, s.is_baseline, f.foreign_set, f.judge as foreign_judge, j.check_id, f.foreign_id,
  j.verdict, f.verdict as foreign_verdict, j.verdict = f.verdict as agrees,
  (count(*) filter (where j.asked = 0))::integer as not_asked, count(*)::integer as n
from foreign_judgments f join check_map m on m.foreign_id = f.foreign_id
join judgments j on j.check_id = m.check_id and j.conversation = f.conversation and j.transcript_sha256 = f.transcript_sha256
join scans s on s.scan_id = j.scan_id
where j.verdict is not null and j.claim = 'target_model_conversations'
group by all order by j.scan_id, f.foreign_set, j.check_id, j.verdict, f.verdict`,
  foreign_repeats: `
select foreign_set, judge, foreign_id, count(*)::integer as judgments, (count(*) filter (where split))::integer as split
from foreign_judgments where len(repeats) > 1
group by all order by foreign_set, foreign_id`,
} as const;

/** Create the tables and views above; without a directory or a map they are there, and empty. */
export async function addForeign(
  connection: DuckDBConnection,
  directories: readonly string[],
  mapFile?: string,
): Promise<void> {
  const judgments: RowOf<typeof FOREIGN_TABLES.foreign_judgments>[] = [];
  const quotes: RowOf<typeof FOREIGN_TABLES.foreign_quotes>[] = [];
  for (const directory of directories) {
    const { manifest, judgments: rows } = await openForeign(directory);
    const { judge, engine } = manifest;
    const set = `${slugOf(`${engine}-${judge}`)}-${manifest.judgments.sha256.slice(0, 8)}`;
    for await (const { quotes: given, repeats, ...row } of rows()) {
      const place = { foreign_set: set, conversation: `${row.model_id}/${row.scenario_id}` };
      judgments.push({
        ...place,
        judge,
        engine,
        ...row,
        repeats,
        split: new Set(repeats).size > 1,
        quotes: given.length,
        unfound: given.filter(({ found }) => !found).length,
      });
      given.forEach(({ start, end, ...quote }, position) => {
        const { transcript_sha256, foreign_id } = row;
        quotes.push({ ...place, transcript_sha256, foreign_id, position, ...quote, span_start: start, span_end: end });
      });
    }
  }
  await fill(connection, "foreign_judgments", judgments);
  await fill(connection, "foreign_quotes", quotes);
  await fill(connection, "check_map", mapFile === undefined ? [] : readCheckMap(mapFile).entries);
  for (const [name, sql] of Object.entries(FOREIGN_VIEWS))
    await connection.run(`create view ${identifier(name)} as ${sql.trim()}`);
}

async function fill(
  connection: DuckDBConnection,
  name: keyof typeof FOREIGN_TABLES,
  rows: readonly Readonly<Record<string, unknown>>[],
): Promise<void> {
  const columns: Table["columns"] = FOREIGN_TABLES[name].columns;
  const types = Object.entries(columns).map(
    ([column, { type, nullable }]) => `${identifier(column)} ${type}${nullable ? "" : " not null"}`,
  );
  await connection.run(`create table ${identifier(name)} (${types.join(", ")})`);
  const appender = await connection.createAppender(name);
  for (const row of rows) {
    for (const [column, definition] of Object.entries(columns))
      append(appender, `${name}.${column}`, definition, row[column]);
    appender.endRow();
  }
  appender.closeSync();
}
