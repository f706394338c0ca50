import type { Command } from "commander";
import { action, type Outcome } from "./output.ts";
import { wholeNumber } from "./scan-options.ts";

export function register(program: Command): void {
  const labels = program.command("labels").description("blind labels: a kit for reviewers, and what they return");
  labels
    .command("export")
    .description("a shuffled kit without answers, verdicts or model names; its key lies beside it")
    .argument("<scan>", "a scan; it need not have run")
    .requiredOption("--output <new-dir>", "a directory that does not exist yet; the key is <new-dir>.key.json")
    .option("--checks <ids>", "only these checks, separated by commas")
    .option("--limit <n>", "the first so many items of the shuffled order", wholeNumber)
    .addHelpText("after", "\nExample:\n  bench labels export results/lexicon --output kits/first --limit 60\n")
    .action(action(exportLabels));
  labels
    .command("import")
    .description("filled-in forms as expectations on independent review, with the reviewers' agreement")
    .argument("<forms...>", "form.csv or form.jsonl as each reviewer returned it")
    .requiredOption("--kit <dir>", "the kit they were filled in for")
    .option("--key <file>", "the kit's key (default: <kit>.key.json)")
    .requiredOption("--output <file.jsonl>", "expectations for bench compare; a file that does not exist yet")
    .addHelpText(
      "after",
      "\nExample:\n  bench labels import a.csv b.csv --kit kits/first --output private/internal/calibration/labels/first.jsonl\n",
    )
    .action(action(importLabels));
}

async function exportLabels(
  scan: string,
  options: { output: string; checks?: string; limit?: number },
): Promise<Outcome> {
  const { exportKit } = await import("../validation/index.ts");
  const { checks, limit, output } = options;
  const checkIds = checks?.split(",").map((id) => id.trim());
  const kit = await exportKit(scan, { output, checkIds, limit });
  const text = [
    `${kit.items} items over ${kit.conversations} conversations and ${kit.checks} checks in ${kit.directory}`,
    `seed ${kit.seed}, from the plan's digest`,
    `Keep ${kit.key}: it says what each item is, and reviewers must not see it.`,
    `Next: bench labels import <forms...> --kit ${kit.directory} --output <file.jsonl>`,
  ];
  return { data: { ...kit, accuracy_claim: false }, text: text.join("\n") };
}

interface ImportOptions {
  kit: string;
  key?: string;
  output: string;
}

async function importLabels(forms: string[], options: ImportOptions): Promise<Outcome> {
  const { importReviews } = await import("../validation/index.ts");
  const { reviewerAgreement } = await import("../reports/reviewers.ts");
  const { printReview } = await import("../reports/reviewers-print.ts");
  const { expectations, labelled, disputed, ...review } = importReviews(forms, options);
  const agreement = reviewerAgreement(labelled, review.claim);
  const data = {
    ...review,
    accuracy_claim: false,
    labelled: labelled.length,
    expectations: expectations.length,
    disputed,
    agreement,
  };
  return { data, text: printReview(data) };
}
