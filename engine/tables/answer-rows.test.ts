import { describe, expect, it } from "vitest";
import { optionAnswers } from "./answer-rows.ts";

const thresholds = { low: 0.35, high: 0.65 };
const choice = { type: "choice", options: ["a", "b", "c"] } as const;
const bands = (value: Record<string, number>, low = 0.35, high = 0.65) =>
  optionAnswers({ ...choice, options: [...choice.options] }, value, { low, high }).map(({ band }) => band);

describe("optionAnswers", () => {
  it("puts P(yes) in its band, both thresholds inclusive", () => {
    const band = (p: number) => optionAnswers({ type: "noul" }, p, thresholds)[0];
    expect([0, 0.35, 0.36, 0.64, 0.65, 1].map((p) => band(p)?.band)).toEqual([
      "no",
      "no",
      "open",
      "open",
      "yes",
      "yes",
    ]);
    expect(band(0.5)).toEqual({ option: "yes", probability: 0.5, band: "open", resolved: false });
  });

  it("settles a choice by the option at or above the high threshold, or the only one left", () => {
    expect(bands({ a: 0.65, b: 0.3, c: 0.05 })).toEqual(["chosen", "excluded", "excluded"]);
    expect(bands({ a: 0.5, b: 0.5, c: 0 })).toEqual(["open", "open", "excluded"]);
    expect(bands({ a: 0.6, b: 0, c: 0 })).toEqual(["chosen", "excluded", "excluded"]);
    expect(bands({ a: 0.45, b: 0.4, c: 0.15 }, 0.2, 0.4)).toEqual(["open", "open", "excluded"]);
  });

  it("shows what was never answered without a probability", () => {
    const none = { probability: null, band: null, resolved: false };
    expect(optionAnswers({ type: "noul" }, undefined, thresholds)).toEqual([{ option: "yes", ...none }]);
    expect(optionAnswers({ ...choice, options: ["a", "b"] }, undefined, thresholds)).toEqual([
      { option: "a", ...none },
      { option: "b", ...none },
    ]);
  });
});
