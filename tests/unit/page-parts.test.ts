import { describe, expect, it } from "vitest";
import { wilsonInterval } from "../../engine/stats/index.ts";
import { classify } from "../../engine/validation/index.ts";
import { VERDICTS } from "../../engine/schema/verdict.ts";
import { mismatchName } from "../../src/components/matrix.ts";
import { allowsPercent, percent, rateText, wilson } from "../../src/components/rate.ts";

describe("rates on the pages", () => {
  it("has the engine's Wilson interval", () => {
    for (const [x, n] of [
      [81, 263],
      [15, 148],
      [0, 20],
      [1, 29],
      [20, 20],
      [0, 0],
    ] as const) {
      const own = wilson(x, n);
      const engine = wilsonInterval(x, n);
      if (engine === null || own === null) expect(own).toBe(engine);
      else own.forEach((end, i) => expect(end).toBeCloseTo(engine[i] ?? NaN, 10));
    }
  });

  it("never makes an empty denominator a number", () => {
    expect(rateText(0, 0)).toBe("- (0/0)");
    expect(rateText(0, 7)).toBe("0/7");
  });

  it("gives a percentage to target-model conversations from 30 on, and to nothing else", () => {
    expect(allowsPercent(30, "target_model_conversations")).toBe(true);
    expect(allowsPercent(29, "target_model_conversations")).toBe(false);
    expect(allowsPercent(1000, "frozen_validation_cases")).toBe(false);
    expect(allowsPercent(1000, undefined)).toBe(false);
    expect(percent(0.0312)).toBe("3.1 %");
    expect(percent(0)).toBe("0 %");
  });

  it("names differences as the engine does", () => {
    for (const expected of VERDICTS)
      for (const observed of VERDICTS)
        expect(mismatchName(expected, observed)?.replace(" ", "_") ?? null).toBe(classify(expected, observed));
  });
});
