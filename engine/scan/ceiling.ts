import { AssayError } from "../canon/errors.ts";
import type { ScanPlan } from "../schema/plan.ts";

/** The highest ceiling a scan accepts, in USD. */
export function highestCeiling({ estimate: { estimated_cost_usd } }: Pick<ScanPlan, "estimate">): number {
  return Math.max(10 * (estimated_cost_usd ?? 0), 1);
}

/**
 * The ceiling of a scan in USD: finite, at least the estimate, at most max(10 x estimate, 1). A scan priced at
 * zero needs none, and any non-negative one is accepted. Throws `no_price`, `bad_ceiling`.
 */
export function ceilingOf(plan: Pick<ScanPlan, "estimate" | "judge">, given: number | undefined): number {
  const { estimated_cost_usd: estimate } = plan.estimate;
  if (estimate === null)
    throw new AssayError("no_price", `the price of ${plan.judge.name} is unknown`, {
      fix: "plan again with --price-input and --price-output (USD per million tokens)",
    });
  const bad = (problem: string, fix: string): AssayError =>
    new AssayError("bad_ceiling", problem, { fix, estimated_cost_usd: estimate, max_cost_usd: String(given) });
  const most = highestCeiling(plan);
  const range =
    estimate === 0
      ? "give a non-negative number of USD, or none"
      : `give --max-cost-usd between ${estimate} and ${most}`;
  if (given === undefined) {
    if (estimate === 0) return 0;
    throw bad("this scan costs money and needs a ceiling", range);
  }
  if (!Number.isFinite(given)) throw bad("the ceiling is not a finite number", range);
  if (given < 0) throw bad(`the ceiling ${given} USD is negative`, range);
  if (given < estimate) throw bad(`the ceiling ${given} USD is below the estimate of ${estimate} USD`, range);
  if (estimate > 0 && given > most)
    throw bad(`the ceiling ${given} USD is far above the estimate of ${estimate} USD`, range);
  return given;
}
