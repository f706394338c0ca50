import type { Command } from "commander";
import { action, type Outcome } from "./output.ts";

export function register(program: Command): void {
  program
    .command("tables")
    .description("write the tables of finished scans as Parquet, with their schema")
    .argument("<scans...>", "scan directories")
    .requiredOption("--output <new-dir>", "directory to make")
    .addHelpText("after", "\nExample:\n  bench tables data/bundles/* --output results/tables\n")
    .action(action(tables));
}

async function tables(scans: string[], options: { output: string }): Promise<Outcome> {
  const { publishTables } = await import("../tables/publish.ts");
  const { textTable } = await import("../reports/text-table.ts");
  const published = await publishTables(scans, options.output);
  const rows = Object.entries(published.rows).map(([table, count]) => [table, count]);
  return {
    data: { ...published, accuracy_claim: false },
    text: `${textTable([["table", "rows"], ...rows])}\n${published.scans.length} scans in ${published.directory}; schema.json says what each column holds\n`,
  };
}
