import type { Command } from "commander";
import { action, type Outcome } from "./output.ts";

export function register(program: Command): void {
  program
    .command("agreement")
    .description("judges against each other over target-model conversations, and each against its own repeats")
    .argument("<scan-or-foreign...>", "finished scans, and directories made by bench judgments import")
    .option("--map <file>", "YAML or JSON list of {foreign_id, check_id, author, reason}: which definitions meet")
    .addHelpText(
      "after",
      "\nExample:\n  bench agreement results/lexicon results/overlap\n  bench agreement results/lexicon data/local/judged --map maps/theirs.yaml --json\n",
    )
    .action(action(agreement));
}

async function agreement(paths: string[], { map }: { map?: string }): Promise<Outcome> {
  const { agreementOf } = await import("../reports/agreement.ts");
  const { printAgreement } = await import("../reports/agreement-print.ts");
  const data = await agreementOf(paths, map);
  return { data, text: printAgreement(data) };
}
