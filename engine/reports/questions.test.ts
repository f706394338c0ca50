import { join } from "node:path";
import { appendFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { madeScan, scratchDirectory } from "../../tests/helpers/made-scan.ts";
import { checksOf, scriptedJudge } from "../../tests/helpers/scripted-judge.ts";
import { sourceRun, talk } from "../../tests/helpers/source-run.ts";
import { runScan } from "../scan/index.ts";
import type { AnswerValue } from "../schema/request.ts";
import { writeCard } from "./card.ts";
import { printQuestions } from "./questions-print.ts";
import { questionsOf, type QuestionEffect, type QuestionsReport } from "./questions.ts";

const directory = scratchDirectory();
const checksDir = checksOf(join(directory, "checks"), {
  "made.claims": {
    rule: "source_support",
    questions: { asserts: { instructions: "asserts" }, supported: { instructions: "supported" } },
  },
  "made.gate": {
    questions: { applies: { instructions: "applies" }, bad: { instructions: "bad" } },
    applies_if: [{ question: "applies" }],
    fail_if: [{ question: "bad" }],
  },
  "made.tone": {
    questions: {
      tone: { type: "choice", instructions: "tone", criteria: { warm: "warm", flat: "flat", harsh: "harsh" } },
    },
    fail_if: [{ question: "tone", option: "harsh" }],
  },
});
const task = { kind: "grounded_answer", source_excerpt: "The office opens at nine." };
const turns = [
  { role: "user", turn: 1, content: "The office opens at nine. When does it open?", task },
  { role: "assistant", turn: 1, content: "It opens at nine. It closes at five." },
];

async function judged(
  name: string,
  answers: Record<string, AnswerValue | ((call: number) => AnswerValue)>,
  { repeats = 1, checkIds = Object.keys(CHECKS) }: { repeats?: number; checkIds?: string[] } = {},
): Promise<string> {
  const bundle = await madeScan(directory, name, {
    spec: "constant:half",
    settings: { repeats },
    sources: [sourceRun(join(directory, `${name}-source`), [{ scenario_id: "one", turns }])],
    checksDir,
    checkIds,
  });
  const judge = scriptedJudge(bundle, ({ instructions }, _state, call) => {
    const given = (typeof instructions === "string" ? answers[instructions] : undefined) ?? 0.5;
    return typeof given === "function" ? given(call) : given;
  });
  await runScan({ directory: bundle.directory, judge, finish: writeCard });
  return bundle.directory;
}
const CHECKS = { "made.claims": 0, "made.gate": 0, "made.tone": 0 };
const TONES = { warm: 0.5, flat: 0.3, harsh: 0.2 };

function effectsIn(report: QuestionsReport): QuestionEffect[] {
  if (report.judgment_level.status !== "available") throw new Error(report.judgment_level.reason);
  return report.judgment_level.effects;
}

describe("questionsOf", () => {
  it("counts families, apart from effects", async () => {
    const report = await questionsOf(
      await judged("families", { asserts: 0.9, supported: 0.1, applies: 0.3, bad: 0.64, tone: TONES }),
    );
    expect(report).toMatchObject({
      accuracy_claim: false,
      claim: "target_model_conversations",
      observations: 7,
      answered: 7,
    });
    const [asserts, supported, applies, bad, tone] = report.families;
    expect(asserts).toMatchObject({
      check_id: "made.claims",
      question: "asserts",
      answers: 2,
      yes: 2,
      no: 0,
      mean: 0.9,
    });
    expect(supported).toMatchObject({ answers: 2, yes: 0, no: 2, unresolved: 0, unanswered: 0, noise: null });
    expect(applies).toMatchObject({ no: 1, histogram: [0, 0, 0, 1, 0, 0, 0, 0, 0, 0] });
    expect(bad).toMatchObject({ unresolved: 1, yes: 0, no: 0, options: null });
    expect(tone).toMatchObject({ type: "choice", unresolved: 1, yes: null, no: null, mean: 0.5 });
    expect(tone?.options).toEqual({
      warm: { chosen: 0, mean: 0.5 },
      flat: { chosen: 0, mean: 0.3 },
      harsh: { chosen: 0, mean: 0.2 },
    });
    // `bad` is open, and reads nothing: its reply does not apply.
    expect(effectsIn(report).map(({ question }) => question)).toEqual(["tone"]);
  });

  it("two unresolved claims in one check are one affected judgment, between FAIL and PASS", async () => {
    const report = await questionsOf(
      await judged("claims", { asserts: 0.9, supported: 0.5 }, { checkIds: ["made.claims"] }),
    );
    expect(report.judgment_level).toMatchObject({ unclear: 1, affected_judgments: 1 });
    expect(effectsIn(report)).toMatchObject(
      ["made.claims/supported/0", "made.claims/supported/1"].map((key) => ({
        conversation: 0,
        model_id: "maker/model",
        scenario_id: "one",
        role: "assistant",
        turn: 1,
        key,
        stake: "PASS|FAIL",
        possible: ["PASS", "FAIL"],
        resolutions: [
          { resolution: "no", possible: ["FAIL"] },
          { resolution: "yes", possible: ["PASS", "FAIL"] },
        ],
      })),
    );
  });

  it("keeps NOT_APPLICABLE-or-PASS apart from PASS-or-FAIL, and gives a choice one set per option", async () => {
    const report = await questionsOf(
      await judged("stakes", { applies: 0.5, bad: 0.1, tone: TONES }, { checkIds: ["made.gate", "made.tone"] }),
    );
    expect(report.judgment_level).toMatchObject({
      stakes: [
        { stake: "PASS|FAIL", unclear: 1, affected: 1, effects: 1 },
        { stake: "PASS|NOT_APPLICABLE", unclear: 1, affected: 1, effects: 1 },
      ],
    });
    const [gate, tone] = effectsIn(report);
    expect(gate).toMatchObject({ key: "made.gate/applies", possible: ["PASS", "NOT_APPLICABLE"] });
    expect(tone?.resolutions).toEqual([
      { resolution: "flat", possible: ["PASS"] },
      { resolution: "harsh", possible: ["FAIL"] },
      { resolution: "warm", possible: ["PASS"] },
    ]);
    const text = printQuestions(report);
    expect(text).toContain("Effects on judgments between {PASS, NOT_APPLICABLE}");
    expect(text).toContain("one answer at a time");
    expect(text).not.toContain("%");
  });

  it("no effect proves nothing: two answers that only settle it together", async () => {
    const bundle = await madeScan(directory, "together", {
      spec: "constant:half",
      sources: [
        sourceRun(join(directory, "together-source"), [
          { scenario_id: "one", turns: talk("u", "v", "w", "x", "y", "calm") },
        ]),
      ],
      checksDir,
      checkIds: ["made.gate"],
    });
    // The last reply applies and is not bad; each of the others fails only if two open answers are both yes.
    const judge = scriptedJudge(bundle, ({ instructions }, { assistant }) =>
      assistant === "calm" ? (instructions === "bad" ? 0.1 : 0.9) : 0.5,
    );
    await runScan({ directory: bundle.directory, judge, finish: writeCard });
    const report = await questionsOf(bundle.directory);
    expect(report.judgment_level).toMatchObject({ unclear: 1 });
    expect(effectsIn(report)).toEqual([]);
    expect(report.note).toContain("does not prove");
  });

  it("measures noise over repeats of one request", async () => {
    const scan = await judged(
      "noise",
      { applies: 0.9, bad: (call) => [0.1, 0.5, 0.2][call % 3] ?? 0 },
      { repeats: 3, checkIds: ["made.gate"] },
    );
    const [applies, bad] = (await questionsOf(scan)).families;
    expect(applies?.noise).toEqual({ observations: 1, mean_range: 0, max_range: 0, other_band: 0 });
    expect(bad?.noise).toEqual({ observations: 1, mean_range: 0.4, max_range: 0.4, other_band: 1 });
  });

  it("keeps the probabilities of a partial scan, and says why there is no judgment level", async () => {
    const bundle = await madeScan(directory, "partial", { spec: "constant:half", cases: 3 });
    const before = await questionsOf(bundle.directory);
    expect(before).toMatchObject({ answered: 0, judgment_level: { status: "unavailable" } });
    expect(before.families[0]).toMatchObject({ answers: 0, mean: null });
    const judge = scriptedJudge(bundle, (_question, _state, call) => {
      if (call > 4) throw new Error("stopped");
      return 0.5;
    });
    await expect(runScan({ directory: bundle.directory, judge, finish: writeCard, concurrency: 1 })).rejects.toThrow();
    const report = await questionsOf(bundle.directory);
    expect(report.answered).toBeGreaterThan(0);
    expect(report.answered).toBeLessThan(report.observations);
    expect(report.judgment_level).toEqual({
      status: "unavailable",
      reason: expect.stringMatching(/^the scan is not finished and sealed: \d+ of \d+ requests/) as string,
    });
    expect(printQuestions(report)).toContain("Judgment level: unavailable");
  });

  it("refuses a sealed scan whose bytes changed", async () => {
    const scan = await judged("changed", {}, { checkIds: ["made.gate"] });
    appendFileSync(join(scan, "judgments.jsonl"), "\n");
    await expect(questionsOf(scan)).rejects.toMatchObject({ code: "failed_verification" });
  });
});
