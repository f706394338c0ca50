import { describe, expect, it } from "vitest";
import type { Evidence, RequestQuestion } from "../../schema/request.ts";
import { answerChoice, answerSign, type Sign } from "./signs.ts";

const question: RequestQuestion = { name: "q1", type: "noul", instructions: "?" };
const answer = (sign: Sign, state: Evidence, asked = question): number => answerSign(sign, state, asked);

describe("signs in a field", () => {
  const sign = { in: ["a"], yes: ["up"], no: ["down"], maybe: ["side"], except: ["up front"] } as const;
  it.each([
    ["up", 0.95],
    ["down", 0.05],
    ["up and down", 0.5],
    ["side", 0.5],
    ["up front", 0.05],
    ["neither", 0.05],
  ])("%s answers %d", (text, p) => expect(answer(sign, { a: text })).toBe(p));

  it("leans as told where nothing shows, and where the field is absent", () => {
    expect(answer({ in: ["a"], yes: ["up"], otherwise: "yes" }, { a: "none" })).toBe(0.95);
    expect(answer({ in: ["a"], yes: ["up"], otherwise: "open" }, {})).toBe(0.5);
  });
});

describe("the latest sign", () => {
  const sign = {
    latest: ["earlier", "now"],
    yes: ["danger"],
    no: ["safe"],
    maybe: ["odd"],
    weakens: ["fine"],
  } as const;
  it.each([
    [["danger"], "packing", 0.95],
    [["danger"], "safe", 0.05],
    [["safe"], "danger", 0.95],
    [["danger", "safe"], "packing", 0.05],
    [[], "safe from danger", 0.5],
    [["danger"], "fine", 0.5],
    [[], "fine", 0.05],
    [[], "odd", 0.5],
    [["danger"], "odd", 0.95],
  ])("%j then %s answers %d", (earlier, now, p) => expect(answer(sign, { earlier, now })).toBe(p));
});

describe("coverage", () => {
  const sign = { covered: "item", by: "source", yes_at: 0.75, no_at: 0.5, exact: true } as const;
  const at = (text: string): number =>
    answer(
      sign,
      { sentences: [text], source: "The desk opens at 9 on Monday." },
      { ...question, bind: { field: "sentences", index: 0 } },
    );
  it("counts content words, and holds numbers and days to the letter", () => {
    expect(at("The desk opens on Monday.")).toBe(0.95);
    expect(at("It is open at 9 on Monday.")).toBe(0.95);
    expect(at("The desk opens at 9 on Tuesday.")).toBe(0.05);
    expect(at("Parking costs nothing.")).toBe(0.05);
    expect(at("")).toBe(0.5);
  });
});

describe("parts and options", () => {
  it("take the least of all, the most of any, and one minus", () => {
    const yes: Sign = { in: ["a"], yes: ["x"] };
    const no: Sign = { in: ["a"], yes: ["z"] };
    expect(answer({ all: [yes, no] }, { a: "x" })).toBe(0.05);
    expect(answer({ any: [yes, no] }, { a: "x" })).toBe(0.95);
    expect(answer({ not: yes }, { a: "x" })).toBe(0.05);
  });

  it("share one between options, evenly where nothing shows", () => {
    const signs = { options: { b: { in: ["a"], yes: ["bee"] }, c: { in: ["a"], yes: ["sea"] } } };
    const p = answerChoice(signs, { a: "a bee" }, question);
    expect(p["b"]).toBeCloseTo(0.95);
    expect(answerChoice(signs, { a: "land" }, question)).toEqual({ b: 0.5, c: 0.5 });
  });
});
