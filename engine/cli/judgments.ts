import type { Command } from "commander";
import { action, type Outcome } from "./output.ts";

export function register(program: Command): void {
  const judgments = program.command("judgments").description("verdicts of other engines: import");
  judgments
    .command("import")
    .description("keep another engine's verdicts over a source run's conversations; they never enter compare")
    .argument("<in...>", "invisiblebench <model>.scores.json files, or JSONL with one judgment a line; one judge")
    .requiredOption("--run <source-run>", "the source run that holds the conversations they are about")
    .requiredOption("--output <new-dir>", "a directory that does not exist yet")
    .addHelpText(
      "after",
      "\nExample:\n  bench judgments import model.scores.json --run data/local/model --output data/local/model-judged\n",
    )
    .action(action(importJudgments));
}

async function importJudgments(files: string[], options: { run: string; output: string }): Promise<Outcome> {
  const { importForeign } = await import("../foreign/index.ts");
  const { visible } = await import("../reports/escape.ts");
  const { VERDICTS } = await import("../schema/verdict.ts");
  const { judgments, ...imported } = await importForeign(files, options);
  const { counts, quotes, repeats, dropped, not_held } = imported;
  const text = [
    `${imported.judge} (${imported.engine}): ${judgments.rows} judgments of ${imported.run.conversations} conversations -> ${imported.directory}`,
    VERDICTS.map((verdict) => `${verdict} ${counts[verdict]}`).join(", "),
    `quotes: ${quotes.unfound}/${quotes.total} are not in the turn they cite; none of those is shown as evidence`,
    `repeats: ${repeats.split}/${repeats.judgments} judgments were split between repeats of the same judge`,
    ...(not_held === 0 ? [] : [`not kept: ${not_held} judgments of conversations that the run does not hold`]),
    dropped.length === 0
      ? "dropped: nothing"
      : `dropped: ${dropped.map(({ field, count }) => `${field} (${count})`).join(", ")}`,
    "Foreign judgments keep their own definitions. They meet native verdicts only in: bench agreement",
  ];
  return {
    data: { judgments: judgments.rows, ...imported },
    text: text.map(visible).join("\n"),
  };
}
