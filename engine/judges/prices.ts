import type { Price } from "../schema/judge.ts";

/**
 * Prices read off public pages, each with its date and source. A price changes; a plan freezes the one it used, and
 * --price-input / --price-output replace it. Only for the provider's own address: a gateway has its own prices.
 */
const PRICES: Readonly<Record<string, Price>> = {
  "decisions:gpt-6-luna": {
    input_usd_per_mtok: 0.1,
    output_usd_per_mtok: 0,
    source:
      "two secondary sources (a vendor guide, a model router), read 2026-10-10; the provider's own page was not in reach",
  },
  "chat:gpt-6-luna": {
    input_usd_per_mtok: 0.1,
    output_usd_per_mtok: 0.5,
    source:
      "two secondary sources (a vendor guide, a model router), read 2026-10-10; doubles above 272,000 input tokens",
  },
};

export function knownPrice(spec: string, ownUrl: string | undefined, baseUrl: string | undefined): Price | null {
  return baseUrl === undefined || baseUrl === ownUrl ? (PRICES[spec] ?? null) : null;
}
