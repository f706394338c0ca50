import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { AssayError } from "../canon/errors.ts";
import { newDirectory } from "../canon/files.ts";
import { loadChecks } from "../checks/index.ts";
import { parseJudge } from "../judges/index.ts";
import type { Bundle } from "../scan/bundle.ts";
import { slugOf } from "../scan/identity.ts";
import { planScan } from "../scan/plan.ts";
import type { JudgeSettings } from "../schema/judge.ts";
import { bindExpectations } from "../validation/index.ts";
import { editedCases } from "./edited.ts";
import { lintStudy } from "./lint.ts";
import type { LoadedStudy } from "./load.ts";
import { readRegister, registerOf } from "./register.ts";
import { renderCases, renderStudy } from "./render.ts";
import { studyExpectations, writeSourceRun } from "./source-run.ts";

export interface PlanStudyOptions {
  output: string;
  judge: JudgeSettings;
  answersFile?: string | undefined;
  checksDir: string;
}

/**
 * Freeze a study for one judge: render its cases, prove its invariants, embed its bound expectations, and run the
 * ordinary planner. Calls no provider; equal inputs give equal bytes. Throws `study_findings` where lint has an
 * error, and what rendering and planning throw; a failure leaves nothing behind.
 */
export async function planStudy(loaded: LoadedStudy, options: PlanStudyOptions): Promise<Bundle> {
  const { checksDir } = options;
  const checks = loadChecks(checksDir);
  const findings = [
    ...lintStudy(loaded.study, checks).findings,
    ...editedCases(loaded.study, renderCases(loaded), readRegister(registerOf(loaded))),
  ];
  const errors = findings.filter(({ level }) => level === "error");
  const first = errors[0];
  if (first !== undefined)
    throw new AssayError(
      "study_findings",
      `${first.about}: ${first.message}${errors.length === 1 ? "" : ` (and ${errors.length - 1} more)`}`,
      { file: loaded.file, fix: first.fix, findings: errors },
    );
  const rendering = renderStudy(loaded, checks);
  const source = mkdtempSync(join(tmpdir(), "assay-study-"));
  try {
    writeSourceRun(source, rendering);
    const bundle = await planScan({ sources: [source], ...options, checkIds: loaded.study.checks });
    const { unbound } = bindExpectations(studyExpectations(rendering), bundle.plan);
    // Rendering and planning digest the same bytes; were they ever to differ, no label would mean anything.
    if (unbound[0] !== undefined) throw new Error(`an expectation of ${loaded.study.id} does not bind to its own plan`);
    return bundle;
  } finally {
    rmSync(source, { recursive: true, force: true });
  }
}

/** One scan below a new directory for each judge the study lists, all planned before the first could be run. */
export async function planStudyForAll(
  loaded: LoadedStudy,
  { output, checksDir }: Omit<PlanStudyOptions, "judge">,
): Promise<Bundle[]> {
  const bundles = await newDirectory(output, async (staging) => {
    const planned: Bundle[] = [];
    for (const { judge, context } of loaded.study.judges) {
      const directory = join(staging, slugOf(`${judge}-${context}`));
      planned.push(await planStudy(loaded, { output: directory, judge: parseJudge(judge, { context }), checksDir }));
    }
    return planned;
  });
  return bundles.map((bundle) => ({ ...bundle, directory: join(output, basename(bundle.directory)) }));
}
