import type { Command } from "commander";
import { action, note, type Outcome } from "./output.ts";
import { checksDirectory, judgeFrom, judgeOptions, type JudgeFlags } from "./scan-options.ts";

interface ChecksOption {
  checks?: string;
}

interface PlanOptions extends ChecksOption, JudgeFlags {
  output: string;
  all?: boolean;
}

const CHECKS = "check definitions (default: checks/ of the working directory, else the shipped ones)";

export function register(program: Command): void {
  const study = program.command("study").description("studies: list, lint, show, plan");
  study
    .command("list")
    .description("the studies below studies/ and the shipped ones")
    .addHelpText("after", "\nExample:\n  bench study list\n")
    .action(action(list));
  study
    .command("lint")
    .description("whether a study's controls, labels and pairs can support its claim; exit 1 on findings")
    .argument("<study>", "an id, or the path of its directory")
    .option("--checks <dir>", CHECKS)
    .addHelpText("after", "\nExample:\n  bench study lint caregiver-boundaries\n")
    .action(action(lint));
  study
    .command("show")
    .description("a study's claim, boundaries, cases and pairs")
    .argument("<study>", "an id, or the path of its directory")
    .option("--checks <dir>", CHECKS)
    .addHelpText("after", "\nExample:\n  bench study show caregiver-boundaries\n")
    .action(action(show));
  judgeOptions(
    study
      .command("plan")
      .description("freeze a study's cases, expectations and one judge into a new scan; calls no provider")
      .argument("<study>", "an id, or the path of its directory")
      .requiredOption("--output <new-dir>", "a directory that does not exist yet"),
  )
    .option("--all", "instead, one scan below the output directory for each judge the study lists")
    .option("--checks <dir>", CHECKS)
    .addHelpText(
      "after",
      "\nExample:\n  bench study plan caregiver-boundaries --output results/boundaries --judge lexicon\n",
    )
    .action(action(plan));
}

async function list(): Promise<Outcome> {
  const { listStudies } = await import("../studies/load.ts");
  const { textTable } = await import("../reports/text-table.ts");
  const studies = listStudies().map(({ study }) => ({
    id: study.id,
    title: study.title,
    date: study.date,
    cases: study.cases.length,
    pairs: study.pairs.length,
    boundaries: study.boundaries.length,
    checks: study.checks.length,
  }));
  const rows = studies.map((row) => [row.id, row.date, row.cases, row.pairs, row.boundaries, row.checks, row.title]);
  const text = textTable([["study", "date", "cases", "pairs", "boundaries", "checks", "title"], ...rows]);
  return { data: { studies }, text };
}

async function lint(name: string, options: ChecksOption): Promise<Outcome> {
  const { findStudy } = await import("../studies/load.ts");
  const { lintStudy } = await import("../studies/lint.ts");
  const { renderStudy } = await import("../studies/render.ts");
  const { loadChecks } = await import("../checks/index.ts");
  const { visible } = await import("../reports/escape.ts");
  const loaded = findStudy(name);
  const checks = loadChecks(await checksDirectory(options.checks));
  const result = lintStudy(loaded.study, checks);
  const missing = result.findings.some(({ rule }) => rule === "missing_check");
  const proved = missing ? 0 : renderStudy(loaded, checks).rendered.proved.length;
  const lines = [
    ...result.findings.map((row) => visible(`${row.level} ${row.rule}: ${row.about}: ${row.message}; ${row.fix}`)),
    `${result.findings.length} findings; ${proved} invariants proved; ${result.labeled_judgments}/${result.judgments} judgments labelled; ` +
      `${result.ambiguous.length} ambiguous cases`,
    ...unlabeledLines(result.unlabeled),
  ];
  return {
    data: { ...result, invariants_proved: proved },
    text: lines.join("\n"),
    exitCode: result.findings.length > 0 ? 1 : 0,
  };
}

function unlabeledLines(unlabeled: readonly { case_id: string; check_id: string }[]): string[] {
  const byCheck = new Map<string, string[]>();
  for (const { case_id, check_id } of unlabeled) byCheck.set(check_id, [...(byCheck.get(check_id) ?? []), case_id]);
  return [...byCheck].map(([check, cases]) => `unlabelled: ${check}: ${cases.join(", ")}`);
}

async function show(name: string, options: ChecksOption): Promise<Outcome> {
  const { findStudy } = await import("../studies/load.ts");
  const { renderStudy } = await import("../studies/render.ts");
  const { studyRunId } = await import("../studies/source-run.ts");
  const { printStudy } = await import("../studies/print.ts");
  const { loadChecks } = await import("../checks/index.ts");
  const loaded = findStudy(name);
  const { rendered } = renderStudy(loaded, loadChecks(await checksDirectory(options.checks)));
  const run_id = studyRunId(rendered);
  return { data: { run_id, ...rendered }, text: printStudy(rendered, run_id) };
}

async function plan(name: string, options: PlanOptions): Promise<Outcome> {
  const { findStudy } = await import("../studies/load.ts");
  const { planStudy, planStudyForAll } = await import("../studies/plan.ts");
  const { all, output, checks, ...flags } = options;
  const loaded = findStudy(name);
  const checksDir = await checksDirectory(checks);
  const bundles = all
    ? await planStudyForAll(loaded, { output, checksDir })
    : [await planStudy(loaded, { output, checksDir, judge: await judgeFrom(flags) })];
  const plans = bundles.map(({ directory, plan, plan_sha256 }) => ({
    plan: `${directory}/scan_plan.json`,
    plan_sha256,
    run_id: plan.sources[0]!.run_id,
    judge: plan.judge.name,
    context: plan.judge.context,
    conversations: plan.conversations.length,
    judgments: plan.requests.judgments,
    requests: plan.requests.distinct * plan.judge.repeats,
    estimated_cost_usd: plan.estimate.estimated_cost_usd,
  }));
  for (const row of plans) {
    const cost = row.estimated_cost_usd === null ? "unknown: give a price" : `at most ${row.estimated_cost_usd} USD`;
    note(
      `${row.run_id}, ${row.judge} (${row.context}): ${row.conversations} cases, ${row.judgments} judgments, ${row.requests} requests, cost ${cost}`,
    );
  }
  const commands = plans.flatMap((row) => [
    `bench scan run --plan ${row.plan}${row.estimated_cost_usd === 0 ? "" : " --max-cost-usd <budget>"}`,
    `bench compare --old ${row.plan.replace(/\/scan_plan\.json$/, "")} --new ${row.plan.replace(/\/scan_plan\.json$/, "")}`,
  ]);
  const data = options.all ? { plans, commands } : { ...plans[0], commands };
  return { data, text: ["Next:", ...commands.map((command) => `  ${command}`)].join("\n") };
}
