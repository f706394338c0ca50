import fc from "fast-check";
import { expect, it } from "vitest";
import type { Formula } from "../schema/check.ts";
import { EITHER, NO, YES } from "./answers.ts";
import { compileFormula, rangeOf, reasonsFor } from "./formula.ts";

const names = ["a", "b", "c", "d"];
const { formula } = fc.letrec<{ formula: Formula }>((tie) => ({
  formula: fc.oneof(
    { depthSize: "medium" },
    fc.constantFrom(...names),
    fc.record({ all: fc.array(tie("formula"), { minLength: 1, maxLength: 3 }) }),
    fc.record({ any: fc.array(tie("formula"), { minLength: 1, maxLength: 3 }) }),
    fc.record({ not: tie("formula") }),
  ),
}));

function truth(part: Formula, world: readonly boolean[]): boolean {
  if (typeof part === "string") return world[names.indexOf(part)]!;
  if ("not" in part) return !truth(part.not, world);
  if ("all" in part) return part.all.every((inner) => truth(inner, world));
  return part.any.some((inner) => truth(inner, world));
}

const worlds = Array.from({ length: 16 }, (_, bits) => names.map((_name, i) => (bits & (1 << i)) !== 0));

it("gives exactly the values over all ways to resolve, whatever repeats", () => {
  const values = fc.array(fc.constantFrom(NO, YES, EITHER, EITHER), { minLength: 4, maxLength: 4 });
  fc.assert(
    fc.property(formula, values, (written, values) => {
      const before = [...values];
      const fitting = worlds.filter((world) => world.every((yes, i) => (values[i]! & (yes ? YES : NO)) !== 0));
      const expected = fitting.reduce((range, world) => range | (truth(written, world) ? YES : NO), 0);
      expect(rangeOf(compileFormula(written, names), values)).toBe(expected);
      expect(values).toEqual(before);
    }),
    { numRuns: 3000 },
  );
});

it("names leaves that fix the value: the others may say anything", () => {
  fc.assert(
    fc.property(formula, fc.nat(15), (written, bits) => {
      const compiled = compileFormula(written, names);
      const values = worlds[bits]!.map((yes) => (yes ? YES : NO));
      const kept = new Set(reasonsFor(compiled, values));
      const freed = values.map((value, i) => (kept.has(i) ? value : EITHER));
      expect(rangeOf(compiled, freed)).toBe(rangeOf(compiled, values));
    }),
  );
});

it("stays cheap on a wide formula without repeats", () => {
  const many = Array.from({ length: 200 }, (_, i) => `q${i}`);
  const wide = compileFormula({ all: many.map((name) => ({ any: [name, { not: `${name}x` }] })) }, [
    ...many,
    ...many.map((name) => `${name}x`),
  ]);
  expect(rangeOf(wide, new Array<number>(400).fill(EITHER))).toBe(EITHER);
});
