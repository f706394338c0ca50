import type { Command } from "commander";
import { action, type Outcome } from "./output.ts";

export function register(program: Command): void {
  program
    .command("questions")
    .description("what a scan's answers leave open: probabilities by question, and answers that could narrow a verdict")
    .argument("<scan>", "a scan; unfinished, its probabilities only")
    .addHelpText("after", "\nExample:\n  bench questions results/lexicon\n  bench questions results/lexicon --json\n")
    .action(action(questions));
}

async function questions(scan: string): Promise<Outcome> {
  const { questionsOf } = await import("../reports/questions.ts");
  const { printQuestions } = await import("../reports/questions-print.ts");
  const data = await questionsOf(scan);
  return { data, text: printQuestions(data) };
}
