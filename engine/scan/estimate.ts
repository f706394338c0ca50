import { costNano, fromNano } from "../canon/money.ts";
import type { Bounds } from "../judges/bound.ts";
import type { JudgeSettings } from "../schema/judge.ts";
import type { ScanPlan } from "../schema/plan.ts";
import type { JudgeRequest } from "../schema/request.ts";
import { HEADROOM } from "./ledger.ts";

/** Whole nano-dollars reserved before a request is sent; 0 without a price, which the run refuses anyway. */
export function reservationNano(judge: JudgeSettings, bounds: Bounds, request: JudgeRequest): number {
  const { input_tokens, output_tokens } = bounds.of(request);
  return judge.price === null ? 0 : costNano(judge.price, input_tokens, output_tokens);
}

/**
 * Adds up what asking every distinct request once per repeat can cost at most. The sum is of the very reservations
 * a run makes, with the headroom of the largest, so a ceiling of the estimate always suffices for one attempt at each.
 */
export class Estimate {
  readonly #judge: JudgeSettings;
  readonly #bounds: Bounds;
  #input = 0;
  #output = 0;
  #nano = 0;
  #largestNano = 0;

  constructor(judge: JudgeSettings, bounds: Bounds) {
    this.#judge = judge;
    this.#bounds = bounds;
  }

  add(request: JudgeRequest): void {
    const { input_tokens, output_tokens } = this.#bounds.of(request);
    this.#input += input_tokens;
    this.#output += output_tokens;
    if (this.#judge.price === null) return;
    const nano = costNano(this.#judge.price, input_tokens, output_tokens);
    this.#nano += nano;
    this.#largestNano = Math.max(this.#largestNano, nano);
  }

  total(): ScanPlan["estimate"] {
    const { repeats, price } = this.#judge;
    return {
      input_tokens: this.#input * repeats,
      output_tokens: this.#output * repeats,
      method: this.#bounds.method,
      estimated_cost_usd: price === null ? null : fromNano(this.#nano * repeats + (HEADROOM - 1) * this.#largestNano),
    };
  }
}
