import type { Command } from "commander";
import { action, type Outcome } from "./output.ts";

export function register(program: Command): void {
  program
    .command("tables")
    .description("write the tables of finished scans, and of foreign judgments, as Parquet, with their schema")
    .argument("<scan-or-foreign...>", "scan directories, and directories made by bench judgments import")
    .requiredOption("--output <new-dir>", "directory to make")
    .option("--map <file>", "the declared map that foreign judgments among them are joined by")
    .addHelpText("after", "\nExample:\n  bench tables data/bundles/* --output results/tables\n")
    .action(action(tables));
}

async function tables(scans: string[], { output, map }: { output: string; map?: string }): Promise<Outcome> {
  const { publishTables } = await import("../tables/publish.ts");
  const { textTable } = await import("../reports/text-table.ts");
  const published = await publishTables(scans, output, { map });
  const rows = Object.entries(published.rows).map(([table, count]) => [table, count]);
  return {
    data: { ...published, accuracy_claim: false },
    text: `${textTable([["table", "rows"], ...rows])}\n${published.scans.length} scans in ${published.directory}; schema.json says what each column holds\n`,
  };
}
