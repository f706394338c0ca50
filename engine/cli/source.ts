import type { Command } from "commander";
import { action, type Outcome } from "./output.ts";

export function register(program: Command): void {
  const source = program.command("source").description("source runs: import conversations recorded elsewhere");
  source
    .command("import")
    .description("make a source run of conversations that another tool recorded; lists what it drops")
    .requiredOption("--from <format>", "invisiblebench: <model>.transcripts.json files")
    .argument("<in...>", "the files to import, together one source run")
    .requiredOption("--output <new-dir>", "a directory that does not exist yet")
    .addHelpText(
      "after",
      "\nExample:\n  bench source import --from invisiblebench model.transcripts.json --output data/local/model\n",
    )
    .action(action(importFiles));
}

async function importFiles(files: string[], { from, output }: { from: string; output: string }): Promise<Outcome> {
  const { importSource } = await import("../sources/index.ts");
  const { CLAIM_TEXT } = await import("../schema/verdict.ts");
  const { visible } = await import("../reports/escape.ts");
  const report = await importSource(from, files, output);
  const { directory, run_id, conversations, digests_checked, turns, assistant_turns, suspect_turns, models, dropped } =
    report;
  const text = [
    `${run_id}: ${conversations} conversations, ${turns} turns (${assistant_turns} of the assistant) -> ${directory}`,
    ...models.map((row) => `  ${row.model_id}: ${row.conversations}`),
    `digests: ${digests_checked}/${conversations} rebuilt transcripts equal the recorded SHA-256`,
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
