import type { Command } from "commander";
import { action, note, type Outcome } from "./output.ts";
import {
  checksDirectory,
  collect,
  judgeFrom,
  judgeOptions,
  seconds,
  wholeNumber,
  type JudgeFlags,
} from "./scan-options.ts";
import type { Bundle } from "../scan/bundle.ts";

const ACCEPT = "keep assistant turns that look like broken generations, marked";
const NEW_DIR = "a directory that does not exist yet";
const CHECKS = "check definitions (default: checks/ of the working directory, else the shipped ones)";

export function register(program: Command): void {
  const scan = program.command("scan").description("freeze conversations and checks, judge them, replay and verify");
  judgeOptions(
    scan
      .command("plan")
      .description("freeze source runs, checks and a judge into a new scan; calls no provider")
      .argument("<source-run...>", "source runs, or finished scans whose retained sources are planned again")
      .requiredOption("--output <new-dir>", NEW_DIR),
  )
    .option("--checks <dir>", CHECKS)
    .option("--check <id>", "only this check; may be repeated", collect)
    .option("--filter <text>", "only conversations with this text in model_id or scenario_id")
    .option("--limit <n>", "only the first n conversations, after the filter", wholeNumber)
    .option("--accept-suspect", ACCEPT)
    .addHelpText("after", "\nExample:\n  bench scan plan data/local/my-run --output results/my-scan --judge lexicon\n")
    .action(action(plan));
  scan
    .command("run")
    .description("ask every request that has no answer yet, then judge, write the card and seal")
    .requiredOption("--plan <file>", "the scan's scan_plan.json, or its directory")
    .option("--max-cost-usd <n>", "ceiling over all attempts; only a scan priced at zero needs none", String)
    .option("--concurrency <n>", "requests in flight", wholeNumber)
    .option("--timeout <seconds>", "a provider that has not answered by then failed (default 120)", seconds)
    .addHelpText("after", "\nExample:\n  bench scan run --plan results/my-scan/scan_plan.json\n")
    .action(action(run));
  judgeOptions(
    scan
      .command("rejudge")
      .description("plan the frozen sources and checks of a scan again, for another judge")
      .argument("<scan>", "the scan's directory")
      .requiredOption("--output <new-dir>", NEW_DIR),
  )
    .addHelpText(
      "after",
      "\nExample:\n  bench scan rejudge results/my-scan --output results/baseline --judge constant:half\n",
    )
    .action(action(rejudge));
  scan
    .command("replay")
    .description("derive every judgment again from the saved answers; exit 1 on any difference")
    .argument("<scan>", "the scan's directory")
    .addHelpText("after", "\nExample:\n  bench scan replay results/my-scan\n")
    .action(action(replay));
  scan
    .command("verify")
    .description("check every digest, binding and the journal's chain; exit 1 on findings")
    .argument("<scan>", "the scan's directory")
    .option(
      "--seal <digest>",
      "the published SHA-256 of seal.json: with it this is proof, without it it finds accidents",
    )
    .addHelpText("after", "\nExample:\n  bench scan verify results/my-scan\n")
    .action(action(verify));
  scan
    .command("status")
    .description("how far a scan is")
    .argument("<scan>", "the scan's directory")
    .addHelpText("after", "\nExample:\n  bench scan status results/my-scan\n")
    .action(action(status));
  scan
    .command("close")
    .description("end a scan whose remaining errors are permanent; what needs them is not judged")
    .argument("<scan>", "the scan's directory")
    .addHelpText("after", "\nExample:\n  bench scan close results/my-scan\n")
    .action(action(close));
  const probe = program.command("probe").description("one check over loose transcripts");
  judgeOptions(
    probe
      .command("plan")
      .description("freeze loose transcripts and one check into a new scan")
      .argument("<check-id>", "see bench checks list")
      .argument("<transcript...>", "JSONL transcripts, one turn a line")
      .requiredOption("--output <new-dir>", NEW_DIR),
  )
    .option("--checks <dir>", CHECKS)
    .option("--accept-suspect", ACCEPT)
    .addHelpText("after", "\nExample:\n  bench probe plan identity.claims-human chat.jsonl --output results/probe\n")
    .action(action(probePlan));
}

interface PlanFlags extends JudgeFlags {
  output: string;
  checks?: string;
  check?: string[];
  filter?: string;
  limit?: number;
  acceptSuspect?: boolean;
}

async function plan(sources: string[], flags: PlanFlags): Promise<Outcome> {
  const { planScan } = await import("../scan/plan.ts");
  const { output, checks, check, filter, limit, acceptSuspect, ...judge } = flags;
  const checksDir = await checksDirectory(checks);
  const settings = await judgeFrom(judge);
  return planned(
    await planScan({
      sources,
      output,
      judge: settings,
      checksDir,
      checkIds: check,
      filter,
      limit,
      acceptSuspect,
      answersFile: judge.answers,
    }),
  );
}

async function rejudge(scan: string, { output, ...judge }: JudgeFlags & { output: string }): Promise<Outcome> {
  const { rejudgeScan } = await import("../scan/rejudge.ts");
  return planned(await rejudgeScan(scan, output, await judgeFrom(judge), judge.answers));
}

async function probePlan(checkId: string, transcripts: string[], flags: PlanFlags): Promise<Outcome> {
  const { planProbe } = await import("../scan/probe.ts");
  const { output, checks, acceptSuspect, ...judge } = flags;
  const checksDir = await checksDirectory(checks);
  return planned(
    await planProbe({
      checkId,
      transcripts,
      output,
      judge: await judgeFrom(judge),
      checksDir,
      acceptSuspect,
      answersFile: judge.answers,
    }),
  );
}

async function planned({ directory, plan, plan_sha256 }: Bundle): Promise<Outcome> {
  const { printPlan } = await import("./scan-print.ts");
  const { scanIdOf } = await import("../scan/identity.ts");
  const suspect_turns = plan.conversations.reduce((n, { suspect_turns }) => n + suspect_turns.length, 0);
  const data = {
    plan: `${directory}/scan_plan.json`,
    plan_sha256,
    scan_id: scanIdOf(plan, plan_sha256),
    claim: plan.claim,
    accuracy_claim: plan.accuracy_claim,
    judge: plan.judge,
    conversations: plan.conversations.length,
    checks: plan.checks.length,
    suspect_turns,
    requests: plan.requests,
    estimate: plan.estimate,
  };
  return { data, text: printPlan(data) };
}

async function run(flags: {
  plan: string;
  maxCostUsd?: string;
  concurrency?: number;
  timeout?: number;
}): Promise<Outcome> {
  const { runScan } = await import("../scan/run.ts");
  const { writeCard } = await import("../reports/card.ts");
  const { progressPrinter } = await import("./progress.ts");
  const maxCostUsd =
    flags.maxCostUsd === undefined ? undefined : flags.maxCostUsd.trim() === "" ? NaN : Number(flags.maxCostUsd);
  const stop = new AbortController();
  const interrupt = (): void => {
    if (stop.signal.aborted) process.exit(130);
    note("stopping: requests in flight are saved first (interrupt again to leave at once)");
    stop.abort();
  };
  process.on("SIGINT", interrupt);
  const { show, end } = progressPrinter();
  try {
    const result = await runScan({
      directory: flags.plan,
      maxCostUsd,
      concurrency: flags.concurrency,
      timeoutMs: flags.timeout === undefined ? undefined : flags.timeout * 1000,
      finish: writeCard,
      progress: show,
      signal: stop.signal,
    });
    end();
    return await finished(result);
  } finally {
    end();
    process.off("SIGINT", interrupt);
    await onRecord(flags.plan);
  }
}

/** Cases of a study of this working directory count as seen from their first answer on, however the run ended. */
async function onRecord(plan: string): Promise<void> {
  const { recordSeen } = await import("../studies/seen.ts");
  try {
    const recorded = await recordSeen(plan, "studies");
    if (recorded !== undefined && recorded.added.length > 0)
      note(
        `${recorded.added.length} cases of ${recorded.study_id} are on record as seen in studies/seen.jsonl; commit it`,
      );
  } catch (error) {
    // A scan that is not there, or went while it ran, was named by the run's own error.
    const code = error instanceof Error && "code" in error ? error.code : undefined;
    if (code !== "no_plan" && code !== "no_file")
      note(`not on record as seen: ${error instanceof Error ? error.message : String(error)}`);
  }
}

async function close(scan: string): Promise<Outcome> {
  const { closeScan } = await import("../scan/close.ts");
  const { writeCard } = await import("../reports/card.ts");
  return await finished(await closeScan(scan, writeCard));
}

async function finished(
  result: Bundle & { answered: number; planned: number; seal_sha256: string; asked?: number; spent_usd?: number },
): Promise<Outcome> {
  const { readVerdicts } = await import("../scan/bundle.ts");
  const { printFinished } = await import("./scan-print.ts");
  const { directory, plan, plan_sha256, ...counts } = result;
  const verdicts = { PASS: 0, FAIL: 0, UNCLEAR: 0, NOT_APPLICABLE: 0, not_judged: 0 };
  for await (const { verdict } of readVerdicts(directory)) verdicts[verdict ?? "not_judged"]++;
  const data = {
    scan: directory,
    plan_sha256,
    ...counts,
    claim: plan.claim,
    accuracy_claim: plan.accuracy_claim,
    estimated_cost_usd: plan.estimate.estimated_cost_usd,
    judgments: plan.requests.judgments,
    verdicts,
  };
  return { data, text: printFinished(data) };
}

async function replay(scan: string): Promise<Outcome> {
  const { replayScan } = await import("../scan/replay.ts");
  const { printReplay } = await import("./scan-print.ts");
  const { plan_sha256, judgments, differences } = await replayScan(scan);
  const data = { plan_sha256, judgments, differences };
  return { data, text: printReplay(data), exitCode: differences.length > 0 ? 1 : 0 };
}

async function verify(scan: string, { seal }: { seal?: string }): Promise<Outcome> {
  const { verifyScan } = await import("../scan/verify.ts");
  const { printVerification } = await import("./scan-print.ts");
  const data = await verifyScan(scan, { seal });
  return { data, text: printVerification(data, seal !== undefined), exitCode: data.status === "sealed_ok" ? 0 : 1 };
}

async function status(scan: string): Promise<Outcome> {
  const { statusOf } = await import("../scan/status.ts");
  const { printStatus } = await import("./scan-print.ts");
  const { plan, directory, ...data } = await statusOf(scan);
  return { data: { scan: directory, judge: plan.judge.name, ...data }, text: printStatus(data) };
}
