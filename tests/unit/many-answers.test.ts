import { expect, it } from "vitest";
import { readJudgments, readPlan } from "../../engine/scan/index.ts";
import { scratchDirectory } from "../helpers/made-scan.ts";
import { manyConversations, scanOfAnswers } from "../helpers/many-answers.ts";

const directory = scratchDirectory();

it("makes a verified scan of at least as many answers as asked for, with every kind of verdict", async () => {
  const made = await scanOfAnswers(directory, "made", 100);
  expect(made.answers).toBeGreaterThanOrEqual(100);
  expect(readPlan(made.directory).plan.conversations).toHaveLength(made.conversations);
  const verdicts = new Set<string | null>();
  for await (const { verdict } of readJudgments(made.directory)) verdicts.add(verdict);
  expect([...verdicts].sort()).toEqual(["FAIL", "NOT_APPLICABLE", "PASS", "UNCLEAR"]);
});

it("repeats no conversation", () => {
  const said = manyConversations(3000).map(({ turns }) => JSON.stringify(turns));
  expect(new Set(said).size).toBe(said.length);
});
