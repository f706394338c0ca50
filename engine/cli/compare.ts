import type { Command } from "commander";
import { action, type Outcome } from "./output.ts";

interface CompareOptions {
  old: string;
  new: string;
  expectations?: string;
  gate?: string;
  markdown?: boolean;
}

export function register(program: Command): void {
  program
    .command("compare")
    .description(
      "two finished scans: transitions, UNCLEAR rates, answers to equal requests, agreement with what was declared; read-only",
    )
    .requiredOption("--old <scan>", "a finished scan")
    .requiredOption("--new <scan>", "a finished scan; may be the same one")
    .option("--expectations <file.jsonl>", "labels that take precedence over the frozen ones")
    .option("--gate <gates>", "exit 1 where the new scan has more, e.g. false_pass=0,unresolved=2")
    .option("--markdown", "print Markdown")
    .addHelpText(
      "after",
      "\nExample:\n  bench compare --old results/lexicon --new results/overlap --gate false_pass=0\n",
    )
    .action(action(compare));
  program
    .command("card")
    .description("write a finished scan's Jury Card again, keeping its commentary")
    .argument("<scan>", "a finished scan")
    .addHelpText("after", "\nExample:\n  bench card results/lexicon\n")
    .action(action(card));
}

async function compare(options: CompareOptions): Promise<Outcome> {
  const { openFinishedScan } = await import("../reports/finished.ts");
  const { compareScans } = await import("../reports/compare.ts");
  const { comparisonAsMarkdown, comparisonAsText } = await import("../reports/compare-blocks.ts");
  const { parseGates } = await import("../reports/gates.ts");
  const { readExpectations } = await import("../validation/index.ts");
  const gates = options.gate === undefined ? [] : parseGates(options.gate);
  const expectations = options.expectations === undefined ? undefined : await readExpectations(options.expectations);
  const old = await openFinishedScan(options.old);
  const next = options.new === options.old ? old : await openFinishedScan(options.new);
  const data = await compareScans(old, next, { expectations, gates });
  return {
    data,
    text: options.markdown === true ? comparisonAsMarkdown(data) : comparisonAsText(data),
    exitCode: data.gates.every(({ met }) => met) ? 0 : 1,
  };
}

async function card(scan: string): Promise<Outcome> {
  const { rewriteCard } = await import("../reports/card-file.ts");
  const written = await rewriteCard(scan);
  return { data: written, text: `${written.card}${written.changed ? "" : " (unchanged)"}` };
}
