import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { refusePrivate } from "../canon/private.ts";
import { openForeign, readCheckMap } from "../foreign/index.ts";
import { slugOf } from "../scan/identity.ts";
import type { ForeignManifest } from "../schema/foreign.ts";
import { FOREIGN_TABLE_NAMES, type TableName } from "./schema.ts";
import { StagingTables, type Sink } from "./sink.ts";

/** One import of another engine's judgments, by engine, judge and content. */
export function foreignSetOf({ engine, judge, judgments }: ForeignManifest): string {
  return `${slugOf(`${engine}-${judge}`)}-${judgments.sha256.slice(0, 8)}`;
}

/**
 * Write the foreign tables of imported judgments and of the declared map to `file(table)`; answers the rows of each.
 * Without judgments or a map they are there, and empty. Throws what opening the imports and the map throws.
 */
export async function writeForeignTables(
  directories: readonly string[],
  map: string | undefined,
  file: (table: TableName) => string,
): Promise<Record<string, number>> {
  const scratch = mkdtempSync(join(tmpdir(), "assay-foreign-"));
  const tables = await StagingTables.open(FOREIGN_TABLE_NAMES, scratch);
  try {
    const sets = new Set<string>();
    for (const directory of directories) await addForeign(directory, tables, sets);
    if (map !== undefined) {
      refusePrivate(map);
      for (const entry of readCheckMap(map).entries) tables.add("check_map", entry);
    }
    return await tables.write(file);
  } finally {
    tables.close();
    rmSync(scratch, { recursive: true, force: true });
  }
}

/** A set named twice is there once. */
async function addForeign(directory: string, sink: Sink, sets: Set<string>): Promise<void> {
  refusePrivate(directory);
  const { manifest, judgments } = await openForeign(directory);
  const foreign_set = foreignSetOf(manifest);
  if (sets.has(foreign_set)) return;
  sets.add(foreign_set);
  const { judge, engine } = manifest;
  for await (const { quotes, repeats, ...row } of judgments()) {
    const { model_id, scenario_id, transcript_sha256, foreign_id } = row;
    const place = { foreign_set, conversation: `${model_id}/${scenario_id}` };
    sink.add("foreign_judgments", {
      ...place,
      judge,
      engine,
      ...row,
      repeats,
      split: new Set(repeats).size > 1,
      quotes: quotes.length,
      unfound: quotes.filter(({ found }) => !found).length,
    });
    quotes.forEach(({ start, end, ...quote }, position) => {
      const span = { span_start: start, span_end: end };
      sink.add("foreign_quotes", { ...place, transcript_sha256, foreign_id, position, ...quote, ...span });
    });
  }
}
