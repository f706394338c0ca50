import { existsSync, mkdirSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { AssayError } from "../canon/errors.ts";
import { fileError } from "../canon/files.ts";
import { parseJudge } from "../judges/index.ts";
import { writeCard } from "../reports/card.ts";
import { readJudgments, readPlan, runScan, scanIdOf, verifyScan, type Bundle, type Progress } from "../scan/index.ts";
import type { JudgeSettings } from "../schema/judge.ts";
import { bindExpectations, countAgreement, embeddedExpectations, frozenExpectations, type Share } from "../validation/index.ts";
import type { LoadedStudy } from "./load.ts";
import { planStudy } from "./plan.ts";

export interface DemoOptions {
  studies: readonly LoadedStudy[];
  /** Bundles lie below it, each in a directory named by its scan id. */
  output: string;
  checksDir: string;
  /** Verify bundles that are already there; off where the caller does. */
  verify?: boolean | undefined;
  progress?: ((scan_id: string, progress: Progress) => void) | undefined;
  /** Where given, a study or scan that cannot be judged goes there and the others are judged; else it throws. */
  failed?: ((name: string, error: unknown) => void) | undefined;
}

export interface DemoScan {
  scan_id: string;
  directory: string;
  study_id: string;
  judge: JudgeSettings;
  /** The bundle was there, finished. */
  reused: boolean;
}

/**
 * Every study judged by each embedded judge it lists. What would be planned names the bundle, so that a finished one
 * of the same bytes is reused, an unfinished one resumed, and any change makes a new one. Judges that need a provider
 * are left out. Throws what planning and running throw; `corrupt_scan` where a bundle there does not verify.
 */
export async function judgeStudies(options: DemoOptions): Promise<DemoScan[]> {
  try {
    mkdirSync(options.output, { recursive: true });
  } catch (error) {
    throw fileError(error, options.output);
  }
  const scans: DemoScan[] = [];
  for (const study of options.studies)
    for (const { judge, context } of study.study.judges) {
      try {
        const settings = parseJudge(judge, { context });
        if (isEmbedded(settings)) scans.push(await judgeStudy(study, settings, options));
      } catch (error) {
        if (options.failed === undefined) throw error;
        options.failed(`${study.study.id}, ${judge}`, error);
      }
    }
  return scans;
}

/** Answers without a network, at no price. */
export function isEmbedded({ adapter }: JudgeSettings): boolean {
  return adapter === "lexicon" || adapter === "overlap" || adapter === "constant";
}

async function judgeStudy(study: LoadedStudy, judge: JudgeSettings, options: DemoOptions): Promise<DemoScan> {
  const { output, checksDir, verify = true, progress } = options;
  // A plan is named by its own digest, so it is made first and given its place after.
  const planned = join(output, `.planned-${process.pid}`);
  rmSync(planned, { recursive: true, force: true });
  const { plan, plan_sha256 } = await planStudy(study, { output: planned, judge, checksDir });
  const scan_id = scanIdOf(plan, plan_sha256);
  const directory = join(output, scan_id);
  const placed = !existsSync(directory) && place(planned, directory);
  if (!placed) rmSync(planned, { recursive: true, force: true });
  const reused = !placed && (await isFinished(directory, plan_sha256, verify));
  if (!reused) await runScan({ directory, finish: writeCard, progress: (now) => progress?.(scan_id, now) });
  return { scan_id, directory, study_id: study.study.id, judge, reused };
}

/** False where another process put an equal plan there first. */
function place(planned: string, directory: string): boolean {
  try {
    renameSync(planned, directory);
    return true;
  } catch (error) {
    if (existsSync(directory)) return false;
    throw error;
  }
}

async function isFinished(directory: string, planSha256: string, verify: boolean): Promise<boolean> {
  const fix = "delete that directory, it is made again";
  if (readPlan(directory).plan_sha256 !== planSha256)
    throw new AssayError("corrupt_scan", "does not hold the plan its name promises", { file: directory, fix });
  if (!verify) return existsSync(join(directory, "seal.json"));
  const { status, findings } = await verifyScan(directory);
  if (status === "failed")
    throw new AssayError("corrupt_scan", `does not verify: ${findings[0]?.file} ${findings[0]?.message}`, { file: directory, fix });
  return status === "sealed_ok";
}

export interface DemoResult {
  judgments: number;
  not_judged: number;
  not_asked: number;
  unclear: Share;
  agreed: Share;
  false_pass: number;
  false_fail: number;
  applicability: number;
  unresolved: number;
  decided: number;
}

/** Counts of a finished scan beside its frozen expectations. */
export async function demoResult(directory: string): Promise<DemoResult> {
  const { plan }: Bundle = readPlan(directory);
  const { accepted } = frozenExpectations(embeddedExpectations(directory, plan));
  const counter = countAgreement(bindExpectations(accepted, plan));
  let judgments = 0;
  let unclear = 0;
  let not_judged = 0;
  let not_asked = 0;
  for await (const judgment of readJudgments(directory)) {
    counter.add(judgment);
    judgments += 1;
    if (judgment.verdict === null) not_judged += 1;
    else if (judgment.asked === 0) not_asked += 1;
    if (judgment.verdict === "UNCLEAR") unclear += 1;
  }
  const { agreed, false_pass, false_fail, applicability, unresolved, decided } = counter.result();
  return {
    judgments,
    not_judged,
    not_asked,
    unclear: { numerator: unclear, denominator: judgments - not_judged },
    agreed,
    false_pass,
    false_fail,
    applicability,
    unresolved,
    decided,
  };
}
