import type { JudgeSettings } from "../schema/judge.ts";
import { readPlan, type Bundle } from "./bundle.ts";
import { confined } from "../canon/paths.ts";
import { requireFrozen } from "./frozen.ts";
import { planScan } from "./plan.ts";

/** Plan the frozen sources and checks of a scan again, for another judge. What was accepted then is accepted now. */
export async function rejudgeScan(
  scan: string,
  output: string,
  judge: JudgeSettings,
  answersFile?: string,
): Promise<Bundle> {
  const bundle = readPlan(scan);
  const { directory, plan } = bundle;
  await requireFrozen(bundle);
  return await planScan({
    sources: [directory],
    output,
    judge,
    answersFile,
    checksDir: confined(directory, "inputs/checks"),
    acceptSuspect: plan.accepted_suspect_turns,
  });
}
