import type { Price } from "../schema/judge.ts";

/**
 * Money is counted in whole nano-dollars (1e-9 USD), rounded up per call, so that sums are exact and never below
 * what a provider bills. A double holds nine million dollars of them exactly. Records show USD; `fromNano` and
 * `toNano` convert without loss.
 */
export function toNano(usd: number): number {
  return Math.round(usd * 1e9);
}

export function fromNano(nano: number): number {
  return nano / 1e9;
}

/** What a call costs in nano-dollars, rounded up. A price of p USD per million tokens is 1000 p nano-dollars a token. */
export function costNano(
  price: Pick<Price, "input_usd_per_mtok" | "output_usd_per_mtok">,
  input_tokens: number,
  output_tokens: number,
): number {
  const exact = 1000 * (input_tokens * price.input_usd_per_mtok + output_tokens * price.output_usd_per_mtok);
  // A product such as 1000 * 0.1 * 3 may lie a few ulp above the whole number it stands for.
  const whole = Math.round(exact);
  return Math.abs(exact - whole) <= 1e-9 * Math.max(1, whole) ? whole : Math.ceil(exact);
}
