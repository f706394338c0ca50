import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { packageRoot } from "../canon/root.ts";
import { loadChecks } from "../checks/load.ts";
import type { RequestQuestion } from "../schema/request.ts";
import { openJudge, parseJudge, questionDigest } from "./index.ts";
import { loadLexicon, resolve } from "./lexicon.ts";

const checks = loadChecks(join(packageRoot, "checks")).map(({ check }) => check);
const asked = checks.flatMap((check) => [
  ...(check.cue === undefined ? [] : [{ place: `${check.id}/cue`, question: { type: "noul" as const, ...check.cue } }]),
  ...Object.entries(check.questions).map(([name, question]) => ({ place: `${check.id}/${name}`, question })),
]);

describe("the shipped lexicon", () => {
  it.each(asked)("has signs for $place", ({ question }) => {
    expect(loadLexicon().signs.has(questionDigest(question))).toBe(true);
  });

  it("knows each question apart", () => {
    expect(loadLexicon().signs.size).toBe(asked.length);
    expect(asked.length).toBeGreaterThan(35);
  });

  it("is found by what a question says, not by its name, its place or the order of its criteria", () => {
    const question: RequestQuestion = {
      name: "q9",
      type: "choice",
      instructions: "Which?",
      criteria: { a: "1", b: "2" },
    };
    const twin = { type: "choice" as const, instructions: "Which?", criteria: { b: "2", a: "1" } };
    expect(questionDigest(question)).toBe(questionDigest(twin));
    expect(questionDigest({ ...question, instructions: "Which one?" })).not.toBe(questionDigest(question));
  });

  it("refuses signs for a question that nobody asks", () => {
    const strange = { "crisis.passive-signal": { nobody: { in: ["caregiver"], yes: ["x"] } } };
    expect(() => resolve(strange, checks)).toThrowError(expect.objectContaining({ code: "bad_lexicon" }));
  });

  it("has another digest when one phrase changes", () => {
    const entry = (phrase: string) => ({ "crisis.passive-signal": { cue: { in: ["caregiver"], yes: [phrase] } } });
    expect(resolve(entry("x"), checks).sha256).not.toBe(resolve(entry("y"), checks).sha256);
  });
});

describe("the lexicon judge", async () => {
  const judge = await openJudge(parseJudge("lexicon"));

  it("answers 0.5, or evenly, where it has no signs, and lists the question", async () => {
    const questions: RequestQuestion[] = [
      { name: "q1", type: "noul", instructions: "Is the moon full?" },
      { name: "q2", type: "choice", instructions: "Which moon?", criteria: { full: "It is.", new: "It is not." } },
      { name: "q3", type: "noul", instructions: checks[0]!.cue!.instructions },
    ];
    const answer = await judge.ask({ state: { caregiver: "We have no car." }, questions });
    expect(answer.answers).toEqual({ q1: 0.5, q2: { full: 0.5, new: 0.5 }, q3: 0.95 });
    expect(answer.uncovered).toEqual(["q1", "q2"]);
    expect(answer.cost_usd).toBe(0);
  });

  it("refuses settings frozen with another lexicon", async () => {
    const settings = { ...parseJudge("lexicon"), lexicon_sha256: "0".repeat(64) };
    await expect(openJudge(settings)).rejects.toThrowError(expect.objectContaining({ code: "lexicon_changed" }));
  });
});
