import type { Thresholds } from "../schema/judge.ts";
import type { AnswerValue, Observation } from "../schema/request.ts";
import { bandOf } from "../rules/index.ts";

/** What a saved answer says of one option, under the frozen thresholds. */
export interface OptionAnswer {
  option: string;
  probability: number | null;
  band: string | null;
  resolved: boolean;
}

/**
 * An answer as table rows: P(yes) of a yes/no question in one row, a choice in one row an option. A choice is
 * settled when one resolution is left: the option at or above `high`, or the only one with any probability.
 * No answer: one row without a probability.
 */
export function optionAnswers(
  { type, options = [] }: Pick<Observation, "type" | "options">,
  value: AnswerValue | undefined,
  thresholds: Thresholds,
): OptionAnswer[] {
  const names = type === "noul" ? ["yes"] : options;
  if (value === undefined) return names.map((option) => ({ option, probability: null, band: null, resolved: false }));
  if (typeof value === "number") {
    const band = bandOf(value, thresholds);
    return [{ option: "yes", probability: value, band, resolved: band !== "open" }];
  }
  const of = (option: string): number => (Object.hasOwn(value, option) ? (value[option] ?? 0) : 0);
  const chosen = names.filter((option) => of(option) >= thresholds.high && of(option) > 0);
  const left = new Set(chosen.length > 0 ? chosen : names.filter((option) => of(option) > 0));
  const resolved = left.size === 1;
  return names.map((option) => ({
    option,
    probability: of(option),
    band: !left.has(option) ? "excluded" : resolved ? "chosen" : "open",
    resolved,
  }));
}
