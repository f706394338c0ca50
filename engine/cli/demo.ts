import type { Command } from "commander";
import { action, globals, note, type Outcome } from "./output.ts";

export function register(program: Command): void {
  program
    .command("demo")
    .description(
      "judge this directory's studies, or the shipped ones, with every embedded judge they list; finished bundles are reused",
    )
    .option("--output <dir>", "where bundles lie", "data/bundles")
    .addHelpText("after", "\nExample:\n  bench demo\n")
    .action(action(demo));
}

async function demo({ output }: { output: string }): Promise<Outcome> {
  const { ownOrShipped } = await import("../canon/root.ts");
  const { isDirectory } = await import("../canon/files.ts");
  const { judgeStudies, demoResult } = await import("../studies/demo.ts");
  const { ownStudies } = await import("../studies/load.ts");
  const { freezeWave, recordSeen } = await import("../studies/seen.ts");
  const { textTable } = await import("../reports/text-table.ts");
  const { CLAIM_TEXT } = await import("../schema/verdict.ts");
  const started = new Set<string>();
  const studies = ownStudies();
  const checksDir = ownOrShipped("checks");
  // The first answers of this directory's own studies go on its register.
  const own = isDirectory("studies");
  if (own) for (const study of studies) await freezeWave(study, checksDir);
  const scans = await judgeStudies({
    studies,
    output,
    checksDir,
    progress: (id, { planned }) => {
      if (!started.has(id) && !globals.json) note(`${id}: ${planned} requests`);
      started.add(id);
    },
  });
  if (own) for (const { directory } of scans) await recordSeen(directory, "studies");
  const results = await Promise.all(
    scans.map(async ({ scan_id, directory, study_id, judge, reused }) => ({
      scan_id,
      directory,
      study_id,
      judge: judge.name,
      context: judge.context,
      reused,
      ...(await demoResult(directory)),
    })),
  );
  const share = ({ numerator, denominator }: { numerator: number; denominator: number }): string =>
    denominator === 0 ? "- (0/0)" : `${numerator}/${denominator}`;
  const rows = results.map((row) => [
    row.judge,
    row.context,
    share(row.agreed),
    row.false_pass,
    row.false_fail,
    row.applicability,
    row.unresolved,
    row.decided,
    share(row.unclear),
    row.not_asked,
    row.reused ? "reused" : "judged",
  ]);
  const head = [
    "judge",
    "context",
    "as expected",
    "false pass",
    "false fail",
    "applicability",
    "unresolved",
    "decided",
    "unclear",
    "not asked",
    "bundle",
  ];
  const lines = [
    textTable([head, ...rows]),
    "",
    `Claim: ${CLAIM_TEXT.frozen_validation_cases} The lexicon's patterns are by the author of the shipped checks and studies: its rows are development evidence.`,
    `Bundles lie below ${output}; see them with npm start, or: bench sql ${output} "from confusion"`,
  ];
  return {
    data: { claim: "frozen_validation_cases", accuracy_claim: false, scans: results },
    text: `${lines.join("\n")}\n`,
  };
}
