import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { DEFAULT_THRESHOLDS } from "../schema/judge.ts";
import { bruteForce, CASES, lookupIn, place, resolutionsByHand } from "../../tests/helpers/worlds.ts";
import { derive, effectsOf } from "./index.ts";

describe.each(Object.entries(CASES))("%s", (_name, cases) => {
  it("propagates exactly the verdicts of all worlds, and quotes exactly", { timeout: 60_000 }, () => {
    const seen = new Map<string, number>();
    fc.assert(
      fc.property(cases, (judged) => {
        const { check, conversation, answers } = judged;
        const result = derive(check, conversation, lookupIn(answers), DEFAULT_THRESHOLDS);
        expect(result.possible).toEqual(bruteForce(judged));
        expect(result.verdict).toBe(result.possible.length === 1 ? result.possible[0] : "UNCLEAR");
        expect(result.rationale).toMatch(/^[A-Z0-9].*\.$/s);
        expect(result.evidence.length > 0).toBe(result.verdict === "FAIL");
        for (const { role, turn, start, end, quote } of result.evidence) {
          const content = conversation.turns.find((at) => at.role === role && at.turn === turn)!.content;
          expect(content.slice(start, end)).toBe(quote);
        }
        const set = result.possible.join();
        seen.set(set, (seen.get(set) ?? 0) + 1);
      }),
      { numRuns: 2000 },
    );
    // A generator that never reaches a verdict would prove nothing about it.
    for (const verdict of ["PASS", "FAIL", "NOT_APPLICABLE"]) expect(seen.get(verdict) ?? 0).toBeGreaterThan(20);
    expect([...seen].filter(([set]) => set.includes(",")).reduce((sum, [, n]) => sum + n, 0)).toBeGreaterThan(100);
  });

  it("names as effects exactly the answers whose resolution alone shrinks the set", { timeout: 60_000 }, () => {
    fc.assert(
      fc.property(cases, (judged) => {
        const { check, conversation, answers } = judged;
        const { possible, observations } = derive(check, conversation, lookupIn(answers), DEFAULT_THRESHOLDS);
        const expected = observations.flatMap((observation) => {
          const open = resolutionsByHand(observation, answers.get(place(observation))!);
          if (open.length < 2) return [];
          const resolutions = open.map((resolution) => {
            const value = observation.type === "choice" ? { [resolution]: 1 } : resolution === "yes" ? 1 : 0;
            const then = new Map(answers).set(place(observation), value);
            return {
              resolution,
              possible: derive(check, conversation, lookupIn(then), DEFAULT_THRESHOLDS).possible,
            };
          });
          const shrinks = resolutions.some((then) => then.possible.length < possible.length);
          return shrinks ? [{ observation, possible, resolutions }] : [];
        });
        expect(effectsOf(check, conversation, lookupIn(answers), DEFAULT_THRESHOLDS)).toEqual(expected);
      }),
      { numRuns: 500 },
    );
  });

  it("does not depend on the order of answers or turns, nor on extra answers", () => {
    fc.assert(
      fc.property(cases, fc.integer(), ({ check, conversation, answers }, seed) => {
        const shuffled = [...answers].sort(([a], [b]) => ((a.length * seed) % 7) - ((b.length * seed) % 7)).reverse();
        const extra = new Map([["assistant:1 other/key", 1], ...shuffled]);
        const reversed = { ...conversation, turns: [...conversation.turns].reverse() };
        expect(derive(check, reversed, lookupIn(extra), DEFAULT_THRESHOLDS)).toEqual(
          derive(check, conversation, lookupIn(answers), DEFAULT_THRESHOLDS),
        );
      }),
      { numRuns: 300 },
    );
  });

  it("refuses when any one needed answer is missing, and names it", () => {
    fc.assert(
      fc.property(cases, fc.nat(), ({ check, conversation, answers }, at) => {
        const keys = [...answers.keys()];
        const missing = keys[at % Math.max(keys.length, 1)];
        if (missing === undefined) return;
        const fewer = new Map([...answers].filter(([key]) => key !== missing));
        const told = catchError(() => derive(check, conversation, lookupIn(fewer), DEFAULT_THRESHOLDS));
        expect(told).toMatchObject({ code: "missing_answer" });
        expect(told?.message).toContain(missing);
      }),
      { numRuns: 200 },
    );
  });
});

function catchError(run: () => unknown): Error | undefined {
  try {
    run();
    return undefined;
  } catch (error) {
    return error as Error;
  }
}
