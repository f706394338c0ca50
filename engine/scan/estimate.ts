import type { JudgeSettings } from "../schema/judge.ts";
import type { ScanPlan } from "../schema/plan.ts";

/** A byte-level tokenizer never makes more tokens than there are bytes, so this bound holds without one. */
const METHOD =
  "upper bound: one input token per UTF-8 byte of each distinct request, the judge's output limit per request";

/** What asking every distinct request, as often as the judge repeats, can cost at most. USD; null without a price. */
export function estimate(bytes: number, distinct: number, judge: JudgeSettings): ScanPlan["estimate"] {
  const input_tokens = bytes * judge.repeats;
  const output_tokens = distinct * judge.repeats * judge.max_output_tokens;
  return {
    input_tokens,
    output_tokens,
    method: METHOD,
    estimated_cost_usd:
      judge.price === null
        ? null
        : (input_tokens * judge.price.input_usd_per_mtok + output_tokens * judge.price.output_usd_per_mtok) / 1e6,
  };
}
