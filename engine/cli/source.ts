import type { Command } from "commander";
import { action, type Outcome } from "./output.ts";

interface Given {
  from: string;
  output: string;
  model?: string;
  modelId?: string;
  runDate?: string;
  delimiter?: string;
  role?: string[];
  column?: string[];
}

const EXAMPLES = `
Examples:
  bench source import --from chat chats.jsonl --model-id org/model --run-date 2026-05-02 --output data/local/chats
  bench source import --from inspect logs/2026-05-02_task.eval --output data/local/inspect
  bench source import --from csv chats.csv --column id=thread --role human=user --role bot=assistant \\
    --model-id org/model --run-date unknown --output data/local/table
  bench source import --from parquet chats.parquet --run-date 2026-05-02 --output data/local/parquet
  bench source import --from invisiblebench model.transcripts.json --output data/local/model

The formats and their rules: docs/import.md
`;

export function register(program: Command): void {
  const source = program.command("source").description("source runs: import conversations recorded elsewhere");
  source
    .command("import")
    .description("make a source run of conversations that another tool recorded; lists what it drops")
    .requiredOption("--from <format>", "chat, inspect, csv, parquet or invisiblebench")
    .argument("<in...>", "the files to import, together one source run")
    .requiredOption("--output <new-dir>", "a directory that does not exist yet")
    .option("--model-id <id>", "the model that replied, for conversations that do not say it")
    .option("--model <name>", "its name to show, by default its id")
    .option("--run-date <date>", "when the conversations were made, or unknown, where the format does not say it")
    .option("--role <name=role>", "what another name of a role means, as human=user; may be repeated", collect)
    .option("--column <field=name>", "the column of id, role, content, turn, model, ...; may be repeated", collect)
    .option("--delimiter <char>", "between the cells of a CSV file: a comma by default, or tab")
    .addHelpText("after", EXAMPLES)
    .action(action(importFiles));
}

function collect(value: string, before: string[] = []): string[] {
  return [...before, value];
}

async function importFiles(files: string[], { from, output, ...options }: Given): Promise<Outcome> {
  const { importSource, parseOptions } = await import("../sources/index.ts");
  const { CLAIM_TEXT } = await import("../schema/verdict.ts");
  const { visible } = await import("../reports/escape.ts");
  const report = await importSource(from, files, output, parseOptions(options));
  const { directory, run_id, conversations, digests_checked, turns, assistant_turns, suspect_turns, models } = report;
  const { assumed, dropped } = report;
  const text = [
    `${run_id}: ${conversations} conversations, ${turns} turns (${assistant_turns} of the assistant) -> ${directory}`,
    ...models.map((row) => `  ${row.model_id}: ${row.conversations}`),
    digests_checked === 0
      ? "digests: the source records none to compare with"
      : `digests: ${digests_checked}/${conversations} rebuilt transcripts equal the recorded SHA-256`,
    ...(assumed.length === 0 ? [] : ["not in the source, so taken from the command line or made by rule:"]),
    ...assumed.map((row) => `  ${row.file}: ${row.field} (${row.count})`),
    dropped.length === 0 ? "dropped: nothing" : "dropped:",
    ...dropped.map((row) => `  ${row.file}: ${row.field} (${row.count})`),
    ...(suspect_turns === 0
      ? []
      : [`suspect assistant turns: ${suspect_turns}; planning refuses them without --accept-suspect`]),
    `Conversations of target models: ${CLAIM_TEXT.target_model_conversations}`,
    `Next: bench scan plan ${directory} --output results/<scan> --judge lexicon`,
  ];
  return {
    data: { ...report, claim: "target_model_conversations", accuracy_claim: false },
    text: text.map(visible).join("\n"),
  };
}
