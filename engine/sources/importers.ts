import { readChat } from "./chat.ts";
import { readCsvSource } from "./csv-source.ts";
import type { Read } from "./imported.ts";
import { readInspect } from "./inspect.ts";
import { readInvisibleBench } from "./invisiblebench.ts";
import { readParquet } from "./parquet.ts";

interface Importer {
  description: string;
  read: Read;
}

/** What `--from` accepts; the name is also the run's harness. */
export const IMPORTERS: Readonly<Record<string, Importer>> = {
  chat: { description: "JSONL, one conversation a line, with messages[]", read: readChat },
  inspect: { description: "logs of Inspect AI, JSON or .eval", read: readInspect },
  csv: { description: "CSV, one message a row", read: readCsvSource },
  parquet: { description: "Parquet, one message a row", read: readParquet },
  invisiblebench: {
    description: "<model>.transcripts.json, schema invisiblebench-model-transcripts/v1",
    read: readInvisibleBench,
  },
};
