import type { Command } from "commander";
import { resolve } from "node:path";
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
  const study = program.command("study").description("studies: new, list, lint, show, plan, seen, publish");
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
    .description("a study's claim, boundaries, cases and pairs, and what trivial judges reach on it")
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
  study
    .command("new")
    .description("a study to start from, which lints clean; nothing in it is about anything yet")
    .argument("<id>", "lower-case letters, digits and hyphens")
    .option("--check <id>", "the check under study", "scope.dose-advice")
    .option("--author <name>", "who declares it", "Your name")
    .option("--directory <dir>", "where studies lie", "studies")
    .addHelpText("after", "\nExample:\n  bench study new quiet-refusals --check advocacy.request-delivered\n")
    .action(action(create));
  study
    .command("seen")
    .description("which cases were answered before: for a plan made now, or for the plan of a scan")
    .argument("<study>", "an id, or the path of its directory")
    .option("--scan <scan>", "as of this scan's plan and its wave")
    .option("--record <scan...>", "first put the answered cases of these scans on record")
    .addHelpText("after", "\nExample:\n  bench study seen caregiver-boundaries --scan results/boundaries\n")
    .action(action(seen));
  study
    .command("publish")
    .description("one study as a static site of its own, with its data and nothing else's")
    .argument("<study>", "an id")
    .requiredOption("--output <new-dir>", "a directory that does not exist yet, or an empty one")
    .option("--scan <scan...>", "the scans to publish (default: every scan of the study as it stands)")
    .addHelpText("after", "\nExample:\n  bench study publish caregiver-boundaries --output published\n")
    .action(action(publish));
}

interface NewOptions {
  check: string;
  author: string;
  directory: string;
}

async function create(id: string, options: NewOptions): Promise<Outcome> {
  const { newStudy } = await import("../studies/new.ts");
  const file = newStudy(id, options);
  return { data: { study: id, file }, text: `${file}\nNext: replace its words, then bench study lint ${id}` };
}

async function seen(name: string, options: { scan?: string; record?: string[] }): Promise<Outcome> {
  const { findStudy } = await import("../studies/load.ts");
  const { readRegister, registerOf } = await import("../studies/register.ts");
  const { recordSeen } = await import("../studies/seen.ts");
  const { seenCases } = await import("../studies/seen-cases.ts");
  const { textTable } = await import("../reports/text-table.ts");
  const loaded = findStudy(name);
  const directory = registerOf(loaded);
  let added = 0;
  for (const scan of options.record ?? []) added += (await recordSeen(scan, directory))?.added.length ?? 0;
  const register = readRegister(directory);
  const { readPlan } = await import("../scan/bundle.ts");
  const plan_sha256 = options.scan === undefined ? undefined : readPlan(options.scan).plan_sha256;
  const cases = seenCases(loaded, register, plan_sha256);
  const waves = register.waves.filter((wave) => wave.study === loaded.study.id);
  const count = cases.filter((row) => row.seen).length;
  const lines = [
    textTable([
      ["case", "seen", "first answered as", "under the plan"],
      ...cases.map(({ case_id, seen, by: [first] }) => [
        case_id,
        seen ? "seen" : "unseen",
        first === undefined ? "" : `${first.study}/${first.case}`,
        first?.plan_sha256.slice(0, 12) ?? "",
      ]),
    ]),
    `${count}/${cases.length} cases are seen for ${plan_sha256 === undefined ? "a plan made now" : `the plan ${plan_sha256.slice(0, 12)}`}; ` +
      `${waves.length} waves on record${options.record === undefined ? "" : `; ${added} rows added`}`,
    "A result on seen cases is no fresh validation, whatever the check, question, threshold or judge.",
  ];
  return {
    data: {
      study: loaded.study.id,
      register: directory,
      plan_sha256: plan_sha256 ?? null,
      seen: { numerator: count, denominator: cases.length },
      added,
      cases,
      waves,
    },
    text: lines.join("\n"),
  };
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
  const { examineStudy } = await import("../studies/examine.ts");
  const { readRegister, registerOf } = await import("../studies/register.ts");
  const { findStudy } = await import("../studies/load.ts");
  const { loadChecks } = await import("../checks/index.ts");
  const { visible } = await import("../reports/escape.ts");
  const loaded = findStudy(name);
  const checks = loadChecks(await checksDirectory(options.checks));
  const examined = await examineStudy(loaded, checks, readRegister(registerOf(loaded)));
  const { lint: result, refusals, invariants_proved, power } = examined;
  if (refusals[0] !== undefined) throw refusals[0].error;
  const lines = [
    ...result.findings.map((row) => visible(`${row.level} ${row.rule}: ${row.about}: ${row.message}; ${row.fix}`)),
    `${result.findings.length} findings; ${invariants_proved} invariants proved; ${result.labeled_judgments}/${result.judgments} judgments labelled; ` +
      `${result.ambiguous.length} ambiguous cases`,
    ...(power === null
      ? []
      : [
          `${power.discriminating.numerator}/${power.discriminating.denominator} pairs are discriminating: no trivial judge gets both cases right`,
        ]),
    ...unlabeledLines(result.unlabeled),
  ];
  return {
    data: { ...result, invariants_proved, power },
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
  const { renderStudy, studyRunId } = await import("../studies/render.ts");
  const { printStudy } = await import("../studies/print.ts");
  const { loadChecks } = await import("../checks/index.ts");
  const loaded = findStudy(name);
  const { studyPower } = await import("../studies/power.ts");
  const checks = loadChecks(await checksDirectory(options.checks));
  const rendering = renderStudy(loaded, checks);
  const { rendered } = rendering;
  const run_id = studyRunId(rendered);
  const power = await studyPower(rendering, checks);
  return { data: { run_id, ...rendered, power }, text: printStudy(rendered, run_id, power) };
}

async function plan(name: string, options: PlanOptions): Promise<Outcome> {
  const { findStudy } = await import("../studies/load.ts");
  const { planStudy, planStudyForAll } = await import("../studies/plan.ts");
  const { all, output, checks, ...flags } = options;
  const loaded = findStudy(name);
  const checksDir = await checksDirectory(checks);
  const bundles = all
    ? await planStudyForAll(loaded, { output, checksDir })
    : [await planStudy(loaded, { output, checksDir, judge: await judgeFrom(flags), answersFile: flags.answers })];
  if (all && isOwn(loaded.directory)) {
    const { recordWave } = await import("../studies/seen.ts");
    const wave = recordWave(loaded, bundles);
    note(
      wave === undefined
        ? "every case is seen already, so these plans are no wave of unseen cases"
        : `wave of ${wave.plans.length} plans on record in studies/waves.jsonl; commit it before the first answer`,
    );
  }
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

async function publish(id: string, options: { output: string; scan?: string[] }): Promise<Outcome> {
  const { publishStudy } = await import("../site/publish.ts");
  const building = (scans: number): void => note(`building the site of ${id}, ${scans} scans`);
  const data = await publishStudy(id, { output: options.output, scans: options.scan, building });
  const lines = [
    ...data.scans.map(({ scan_id, seal_sha256 }) => `${scan_id}  seal ${seal_sha256}`),
    ...data.other_versions.map((scan) => `not published, of another version of the study: ${scan}`),
    `${data.directory}: ${data.scans.length} scans of ${id}; put it on any static host, at any path`,
  ];
  return { data: { ...data, accuracy_claim: false }, text: lines.join("\n") };
}

/** Whether a study lies below this working directory: the register of others is not ours to write. */
function isOwn(directory: string): boolean {
  return resolve(directory, "..") === resolve("studies");
}
