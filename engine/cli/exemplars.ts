import type { Command } from "commander";
import { action } from "./output.ts";

export function register(program: Command): void {
  const exemplars = program.command("exemplars").description("development exemplars: verify");
  exemplars
    .command("verify")
    .description("derive every exemplar's verdict again from its saved answers (claim: development exemplars)")
    .argument("[files...]", "exemplar files (JSONL); default: every *.exemplars.jsonl below the checks directory")
    .option("--checks <dir>", "checks directory (default: ./checks, else the shipped one)")
    .addHelpText("after", "\nExample:\n  bench exemplars verify --checks checks checks/safety/crisis/crisis.exemplars.jsonl\n")
    .action(action(verify));
}

async function verify(files: string[], options: { checks?: string }) {
  const { checksDirectory, filesBelow } = await import("./directories.ts");
  const { loadChecks } = await import("../checks/index.ts");
  const { verifyExemplars } = await import("../checks/exemplars.ts");
  const { CLAIM_TEXT } = await import("../schema/verdict.ts");
  const directory = checksDirectory(options.checks);
  const checks = new Map(loadChecks(directory).map(({ check }) => [check.id, check]));
  const report = await verifyExemplars(files.length > 0 ? files : filesBelow(directory, ".exemplars.jsonl"), checks);
  const lines = report.failed.map(
    ({ id, expected, observed, possible }) => `${id}: expected ${expected}, observed ${observed} (possible: ${possible.join(", ")})`,
  );
  return {
    data: { ...report, claim: "development_exemplars", accuracy_claim: false },
    text: [...lines, `${report.reproduced} of ${report.total} exemplars reproduced. ${CLAIM_TEXT.development_exemplars}`].join("\n"),
    exitCode: report.failed.length > 0 ? (1 as const) : (0 as const),
  };
}
