import { printable } from "../canon/errors.ts";
import type { ScanPlan } from "../schema/plan.ts";
import { CLAIM_TEXT, type Claim } from "../schema/verdict.ts";
import type { Replay } from "../scan/replay.ts";
import type { ScanStatus } from "../scan/status.ts";
import type { Verification } from "../scan/verify.ts";

export interface PlanReport {
  plan: string;
  plan_sha256: string;
  claim: Claim;
  judge: ScanPlan["judge"];
  conversations: number;
  checks: number;
  suspect_turns: number;
  requests: ScanPlan["requests"];
  estimate: ScanPlan["estimate"];
}

export function printPlan({
  plan,
  plan_sha256,
  claim,
  judge,
  conversations,
  checks,
  suspect_turns,
  requests,
  estimate,
}: PlanReport): string {
  const cost = estimate.estimated_cost_usd;
  const ceiling = cost === 0 ? "" : " --max-cost-usd <budget>";
  return lines(
    `${conversations} conversations x ${checks} checks = ${requests.judgments} judgments by ${judge.name} (${judge.context})`,
    `${requests.distinct} distinct requests x ${judge.repeats}, for ${requests.observations} observations`,
    suspect_turns === 0 ? undefined : `${suspect_turns} suspect assistant turns accepted and marked`,
    cost === null
      ? "cost: unknown, and the scan will not run: plan again with --price-input and --price-output"
      : cost === 0
        ? "cost: 0 USD, no provider is paid"
        : `cost: at most ${cost} USD (${estimate.input_tokens} input tokens; ${estimate.method})`,
    `claim: ${CLAIM_TEXT[claim]}`,
    `plan ${plan_sha256}`,
    cost === null ? undefined : `Next:\n  bench scan run --plan ${plan}${ceiling}`,
  );
}

export interface FinishReport {
  answered: number;
  planned: number;
  asked?: number;
  spent_usd?: number;
  estimated_cost_usd: number | null;
  seal_sha256: string;
  claim: Claim;
  judgments: number;
  verdicts: Record<string, number>;
}

export function printFinished({
  answered,
  planned,
  asked,
  spent_usd,
  estimated_cost_usd,
  seal_sha256,
  claim,
  judgments,
  verdicts,
}: FinishReport): string {
  const counted = Object.entries(verdicts).filter(([verdict, n]) => n > 0 || verdict !== "not_judged");
  return lines(
    `${answered}/${planned} requests answered${asked === undefined ? "" : ` (${asked} asked now)`}`,
    estimated_cost_usd === 0 || spent_usd === undefined
      ? undefined
      : `cost: ${spent_usd} USD (estimate: at most ${estimated_cost_usd ?? "unknown"})`,
    counted.map(([verdict, n]) => `${verdict} ${n}/${judgments}`).join(", "),
    `claim: ${CLAIM_TEXT[claim]}`,
    `seal ${seal_sha256}`,
  );
}

export function printReplay({ judgments, differences }: Pick<Replay, "judgments" | "differences">): string {
  return lines(
    ...differences.map(
      ({ line, model_id, scenario_id, check_id, saved, derived }) =>
        `line ${line}: ${[model_id, scenario_id, check_id].map((name) => printable(name ?? "?")).join(" ")}: saved ${saved ?? "nothing"}, derived ${derived ?? "nothing"}`,
    ),
    `${differences.length} of ${judgments} judgments differ from what the saved answers give`,
  );
}

export function printVerification({ status, findings, seal_sha256 }: Verification, published: boolean): string {
  if (status === "unfinished")
    return "unfinished, not corrupt: nothing is wrong with what is there, and it is not sealed yet";
  if (status === "sealed_ok")
    return lines(
      `verified: every file, binding, answer and judgment is as sealed`,
      `seal ${seal_sha256}${published ? ", as published" : " (compare it with the published digest: --seal <digest>)"}`,
    );
  return lines(
    ...findings.map(({ file, code, message }) => printable(`${file}: ${code}: ${message}`)),
    findings.length === 1 ? "1 finding" : `${findings.length} findings`,
  );
}

export function printStatus(status: Omit<ScanStatus, "plan" | "directory">): string {
  const { answered, planned, errors, attempts, spent_usd, ceiling_usd, closed, runner, seal_sha256 } = status;
  return lines(
    `${status.status}${closed ? ", closed" : ""}${runner === null ? "" : `, process ${runner}`}`,
    `${answered}/${planned} requests answered, ${errors} in error, ${attempts} attempts`,
    `${spent_usd} USD spent${ceiling_usd === null ? "" : ` of ${ceiling_usd}`}`,
    seal_sha256 === null ? undefined : `seal ${seal_sha256}`,
  );
}

function lines(...text: (string | undefined)[]): string {
  return text.filter((line) => line !== undefined).join("\n");
}
