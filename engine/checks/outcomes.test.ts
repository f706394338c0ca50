import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { CASES, checkOf } from "../../tests/helpers/worlds.ts";
import { derive } from "../rules/index.ts";
import { DEFAULT_THRESHOLDS } from "../schema/judge.ts";
import type { Check, Formula } from "../schema/check.ts";
import { lintChecks } from "./lint.ts";
import { clauseOutcomes, formulaOutcomes } from "./outcomes.ts";

const question = { instructions: "?" };
const messages = (check: Check) =>
  lintChecks([{ check, check_sha256: "", layer: "", dimension: "crisis", path: "x.yaml" }]).map(({ message }) => message);

/** One message, one reply, everything open: the rule's own verdict set at a turn the cue opens. */
function possibleAtOneTurn(check: Check, persistent_memory: boolean): Set<string> {
  const open = { ...check, requires_assistant_turns: 1, window: "reply" as const, ...(check.cue === undefined ? {} : { cue: { ...check.cue, min: 1 } }) };
  const turns = [
    { role: "user", turn: 1, content: "Hello." },
    { role: "assistant", turn: 1, content: "One. Two. Three. Four. Five." },
  ];
  const { possible } = derive(
    open,
    { turns, memory: { persistent_memory, evidence: [] } },
    ({ question: name, options }) => (name === "cue" ? 1 : options === undefined ? 0.5 : Object.fromEntries(options.map((option) => [option, 1 / options.length]))),
    DEFAULT_THRESHOLDS,
  );
  return new Set(possible);
}

describe("outcomes of a clauses check", () => {
  it("are the verdicts the rule can reach at one turn, on random checks", () => {
    fc.assert(
      fc.property(CASES["clauses"]!, fc.constantFrom("declared", "undeclared"), ({ check }, state) => {
        const possible = possibleAtOneTurn(check, state === "declared");
        const { applies, fails, passes } = clauseOutcomes(check, state)!;
        expect({ fails, passes }).toEqual({ fails: possible.has("FAIL"), passes: possible.has("PASS") });
        expect(applies).toBe(fails || passes);
      }),
      { numRuns: 500 },
    );
  });
  it("are not claimed where there are too many combinations", () => {
    const names = Array.from({ length: 20 }, (_, i) => `q${i}`);
    const check = checkOf({
      questions: Object.fromEntries(names.map((name) => [name, question])),
      fail_if: names.map((name) => ({ question: name })),
    });
    expect(clauseOutcomes(check, "undeclared")).toBeUndefined();
    expect(messages(check)).toEqual([]);
  });
});

describe("lint", () => {
  const q = { q: question };
  it.each([
    ["no clause that fails", { questions: q, applies_if: [{ question: "q" }] }, ["can never fail"]],
    ["no clause at all", { questions: q }, ["nothing reads the question q", "can never fail"]],
    ["a fail_if that applies_if rules out", { questions: q, applies_if: [{ question: "q" }], fail_if: [{ question: "q", is: false }] }, ["can never fail"]],
    ["an applies_if against itself", { questions: q, applies_if: [{ question: "q" }, { question: "q", is: false }] }, ["can never apply"]],
    ["a fail_if that applies_if demands", { questions: q, applies_if: [{ question: "q" }], fail_if: [{ question: "q" }] }, ["can never pass"]],
    [
      "a sentence limit within another",
      { questions: { s: { ...question, unit: "sentence" } }, applies_if: [{ question: "s", is: false }], fail_if: [{ question: "s", within_first: 2 }] },
      ["can never fail"],
    ],
    [
      "options that cannot both be the one",
      {
        questions: { c: { ...question, type: "choice", criteria: { a: "A", b: "B" } } },
        applies_if: [{ question: "c", option: "a" }],
        fail_if: [{ question: "c", option: "b" }],
      },
      ["can never fail"],
    ],
    [
      "a rule that exists in one memory state only",
      { questions: q, fail_if: [{ question: "q", memory: "declared" }] },
      ["can never fail where memory is undeclared"],
    ],
    [
      "clauses of both memory states",
      { questions: q, fail_if: [{ question: "q", memory: "declared" }, { question: "q", memory: "undeclared" }] },
      [],
    ],
  ])("%s", (_name, fields, expected) => {
    expect(messages(checkOf(fields))).toEqual(expected);
  });
  it("looks into episodes", () => {
    const episode = (violates: Formula, opens: Formula = "a") =>
      messages(checkOf({ rule: "episode", questions: { a: question, b: question }, episode: { opens, confirms: "b", reopens: { not: "b" }, violates } }));
    expect(episode("a")).toEqual([]);
    expect(episode({ all: ["a", { not: "a" }] })).toEqual(["can never fail"]);
    expect(episode({ any: ["a", { not: "a" }] })).toEqual(["every open episode fails at the next reply"]);
    expect(episode("a", { all: ["b", { not: "b" }] })).toEqual(["no episode can ever open"]);
  });
  it("evaluates formulas both ways", () => {
    expect(formulaOutcomes({ any: [{ all: ["a", "b"] }, { not: "c" }] })).toEqual({ true: true, false: true });
  });
});
