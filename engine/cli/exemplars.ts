import type { Command } from "commander";
import { action, type Outcome } from "./output.ts";

export function register(program: Command): void {
  const exemplars = program.command("exemplars").description("development exemplars: verify");
  exemplars
    .command("verify")
    .description("derive every exemplar's verdict again from its saved answers (claim: development exemplars)")
    .argument("[files...]", "exemplar files (JSONL); default: every *.exemplars.jsonl below the checks directory")
    .option("--checks <dir>", "checks directory (default: ./checks, else the shipped one)")
    .addHelpText(
      "after",
      "\nExample:\n  bench exemplars verify --checks checks checks/safety/crisis/crisis.exemplars.jsonl\n",
    )
    .action(action(verify));
}

async function verify(named: string[], options: { checks?: string }): Promise<Outcome> {
  const { AssayError } = await import("../canon/errors.ts");
  const { checksDirectory, filesBelow } = await import("./directories.ts");
  const { loadChecks } = await import("../checks/index.ts");
  const { verifyExemplars } = await import("../checks/exemplars.ts");
  const { visible } = await import("../reports/escape.ts");
  const { CLAIM_TEXT } = await import("../schema/verdict.ts");
  const directory = checksDirectory(options.checks);
  const load = () => new Map(loadChecks(directory).map(({ check }) => [check.id, check]));
  // Rows with inline checks need no directory, so an unnamed one is read only for a row that asks for it.
  let loaded = options.checks === undefined ? undefined : load();
  const checks = { get: (id: string) => (loaded ??= load()).get(id) };
  const files = named.length > 0 ? named : filesBelow(directory, ".exemplars.jsonl");
  const report = await verifyExemplars(files, checks);
  if (report.total === 0)
    throw new AssayError("no_exemplars", "there is no exemplar to verify", {
      file: directory,
      fix: "name files, or put <dimension>.exemplars.jsonl beside the definitions",
    });
  const lines = report.failed.map(
    ({ id, expected, observed, possible }) =>
      `${visible(id)}: expected ${expected}, observed ${observed} (possible: ${possible.join(", ")})`,
  );
  const summary = `${report.reproduced} of ${report.total} exemplars reproduced. ${CLAIM_TEXT.development_exemplars}`;
  return {
    data: { ...report, claim: "development_exemplars", accuracy_claim: false },
    text: [...lines, summary].join("\n"),
    exitCode: report.failed.length > 0 ? 1 : 0,
  };
}
