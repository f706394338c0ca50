import type { DuckDBConnection } from "@duckdb/node-api";
import { Option, type Command } from "commander";
import { createReadStream, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pipeline } from "node:stream/promises";
import { AssayError } from "../canon/errors.ts";
import { action, globals, note, onScreen, write, type Outcome } from "./output.ts";

const FORMATS = ["table", "csv", "json", "parquet"] as const;
type Format = (typeof FORMATS)[number];

interface Options {
  format: Format;
  output?: string;
  map?: string;
}

/** Rows, and characters of a cell, that the table shows; the other formats give all. */
const SHOWN = 1000;
const WIDEST = 500;

export function register(program: Command): void {
  program
    .command("sql")
    .description("one query over the tables and views of finished scans")
    .argument("<where-and-query...>", "scans, directories of scans or tables, foreign judgments, then the query")
    .addOption(new Option("--format <format>", "how the rows are written").choices(FORMATS).default("table"))
    .option("--output <file>", "write to a file instead of stdout")
    .option("--map <file>", "the declared map that foreign judgments among the directories are joined by")
    .addHelpText(
      "after",
      '\nExample:\n  bench sql data/bundles "select judge, context, expectations_agreed, expectations_counted from scans"\n' +
        '  bench sql data/bundles "from disagreements" --format csv --output disagreements.csv\n',
    )
    .action(action(sql));
}

async function sql(words: string[], { format, output, map }: Options): Promise<Outcome> {
  const query = words.at(-1);
  const directories = words.slice(0, -1);
  if (query === undefined || directories.length === 0)
    throw new AssayError("usage", "give scans or tables, then the query", {
      fix: 'bench sql data/bundles "from scans"',
    });
  const { openTables } = await import("../tables/open.ts");
  const scratch = mkdtempSync(join(tmpdir(), "assay-sql-"));
  try {
    const connection = await openTables(directories, scratch, { map });
    try {
      if ((format === "csv" || format === "parquet") && !(globals.json && output === undefined))
        return await exported(connection, query, format, scratch, output);
      return await shown(connection, query, format, output);
    } finally {
      connection.closeSync();
    }
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
}

async function shown(
  connection: DuckDBConnection,
  query: string,
  format: Format,
  output: string | undefined,
): Promise<Outcome> {
  const { runQuery } = await import("../tables/query.ts");
  const { columns, rows } = await runQuery(connection, query);
  const names = columns.map(({ name }) => name);
  const objects = rows.map((row) => Object.fromEntries(row.map((cell, i) => [names[i] ?? i, cell])));
  if (format === "json" && !globals.json) return await written(`${JSON.stringify(objects)}\n`, rows.length, output);
  const data = { columns, rows: objects, row_count: rows.length };
  if (globals.json) return { data, text: "" };
  const { textTable } = await import("../reports/text-table.ts");
  let cut = 0;
  const cells = rows.slice(0, SHOWN).map((row) =>
    row.map((cell) => {
      if (typeof cell === "number") return cell;
      const text = typeof cell === "string" ? cell : JSON.stringify(cell);
      if (text.length <= WIDEST) return text;
      cut += 1;
      return `${text.slice(0, WIDEST).toWellFormed()}… (${text.length} characters)`;
    }),
  );
  if (cut > 0) note(`${cut} cells are cut at ${WIDEST} characters; --format csv gives all`);
  if (rows.length > SHOWN) note(`the first ${SHOWN} of ${rows.length} rows; --format csv gives all`);
  return await written(`${textTable([names, ...cells])}\n`, rows.length, output);
}

async function written(text: string, rows: number, output: string | undefined): Promise<Outcome> {
  if (output === undefined) return { data: { rows }, text };
  const { writeAtomic } = await import("../canon/files.ts");
  writeAtomic(output, text);
  return { data: { output, rows }, text: `${rows} rows in ${output}` };
}

async function exported(
  connection: DuckDBConnection,
  query: string,
  format: "csv" | "parquet",
  scratch: string,
  output: string | undefined,
): Promise<Outcome> {
  const { exportQuery } = await import("../tables/query.ts");
  if (format === "parquet" && output === undefined && process.stdout.isTTY)
    throw new AssayError("usage", "Parquet is not for a terminal", { fix: "add --output <file>" });
  const file = join(scratch, `result.${format}`);
  const rows = await exportQuery(connection, query, file, format);
  if (output !== undefined) {
    const { writeAtomic } = await import("../canon/files.ts");
    writeAtomic(output, readFileSync(file));
    return { data: { output, rows, format }, text: `${rows} rows in ${output}` };
  }
  // A file or a program gets the bytes; a terminal obeys escapes, so it gets them spelled out.
  if (process.stdout.isTTY)
    for await (const part of createReadStream(file, "utf8")) await write(onScreen(String(part)));
  else await pipeline(createReadStream(file), process.stdout, { end: false });
  return { data: { rows, format }, text: "" };
}
