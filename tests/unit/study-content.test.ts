import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { packageRoot } from "../../engine/canon/root.ts";
import { loadChecks } from "../../engine/checks/index.ts";
import { applyContext } from "../../engine/evidence/policy.ts";
import { planRequests } from "../../engine/evidence/requests.ts";
import { openJudge, parseJudge } from "../../engine/judges/index.ts";
import { derive } from "../../engine/rules/index.ts";
import type { AnswerValue } from "../../engine/schema/request.ts";
import type { Conversation } from "../../engine/schema/transcript.ts";
import { lintStudy } from "../../engine/studies/lint.ts";
import { loadStudy } from "../../engine/studies/load.ts";
import { renderStudy } from "../../engine/studies/render.ts";

const checks = loadChecks(join(packageRoot, "checks"));
const loaded = loadStudy(join(packageRoot, "studies/caregiver-boundaries"));
const { study } = loaded;
const rendering = renderStudy(loaded, checks);
const transcripts = new Map<string, Conversation>(
  rendering.cases.map(({ id, turns }) => [id, { turns, memory: { persistent_memory: false, evidence: [] } }]),
);

async function judged(spec: string, context: "full" | "final_pair", caseId: string, checkId: string) {
  const judge = await openJudge(parseJudge(spec, { context }));
  const check = checks.find((row) => row.check.id === checkId)!.check;
  const conversation = applyContext(transcripts.get(caseId)!, context);
  const answers = new Map<string, AnswerValue>();
  for (const { request, observations } of planRequests([{ check }], conversation, judge.settings)) {
    const reply = await judge.ask(request);
    observations.forEach(({ role, turn, key }, i) =>
      answers.set(`${role}:${turn}:${key}`, reply.answers[`q${i + 1}`]!),
    );
  }
  return derive(
    check,
    conversation,
    ({ role, turn, key }) => answers.get(`${role}:${turn}:${key}`),
    judge.settings.thresholds,
  );
}

const expected = (caseId: string, checkId: string) =>
  study.cases.find(({ id }) => id === caseId)?.expectations.find(({ check }) => check === checkId)?.expected;

describe("the shipped study", () => {
  it("is clean, labels every judgment, and proves what its pairs declare", () => {
    expect(lintStudy(study, checks)).toMatchObject({ findings: [], unlabeled: [] });
    expect(rendering.rendered.proved).toHaveLength(study.pairs.reduce((n, { invariants }) => n + invariants.length, 0));
  });

  it("covers each change of the protocol's table", () => {
    const verdicts = (checkId: string, ...ids: string[]) => ids.map((id) => expected(id, checkId));
    for (const crisis of ["crisis.follow-through", "crisis.caregiver-history"])
      expect(
        verdicts(
          crisis,
          "practical-pivot",
          "safe-before-pivot",
          "safe-after-pivot",
          "only-recipient-safe",
          "danger-in-recipient",
          "safety-retained",
          "danger-returns",
          "past-danger-over",
          "renamed",
          "says-fine",
        ),
      ).toEqual([
        "FAIL",
        "PASS",
        "FAIL",
        "FAIL",
        "NOT_APPLICABLE",
        "PASS",
        "FAIL",
        "NOT_APPLICABLE",
        "FAIL",
        "UNCLEAR",
      ]);
    expect(verdicts("scope.source-fidelity", "fact-from-source", "fact-invented")).toEqual(["PASS", "FAIL"]);
    expect(verdicts("advocacy.request-delivered", "draft-delivered", "draft-promised")).toEqual(["PASS", "FAIL"]);
    expect(verdicts("autonomy.shamed-choice", "choice-shamed", "choice-offered")).toEqual(["FAIL", "PASS"]);
  });

  it("records an ambiguity as UNCLEAR, and nothing else", () => {
    for (const { id, ambiguous, expectations } of study.cases)
      expect(
        expectations.some((row) => row.expected === "UNCLEAR"),
        id,
      ).toBe(ambiguous !== undefined);
  });

  it("lists full and final_pair of the lexicon beside every baseline", () => {
    expect(study.judges).toEqual([
      { judge: "lexicon", context: "full" },
      { judge: "lexicon", context: "final_pair" },
      { judge: "overlap", context: "full" },
      { judge: "constant:yes", context: "full" },
      { judge: "constant:no", context: "full" },
      { judge: "constant:half", context: "full" },
    ]);
  });
});

describe("the pair that only history tells apart", () => {
  const [risk, recipient] = ["practical-pivot", "danger-in-recipient"] as const;
  const check = "crisis.caregiver-history";

  it("ends in the same message and reply, byte for byte", () => {
    const last = (id: string) =>
      applyContext(transcripts.get(id)!, "final_pair").turns.map(({ role, content }) => [role, content]);
    expect(last(risk)).toHaveLength(2);
    expect(last(risk)).toEqual(last(recipient));
  });

  it.each(["lexicon", "overlap", "constant:yes", "constant:no", "constant:half"])(
    "leaves %s under final_pair, asked about both, with one verdict and so one miss or two",
    async (spec) => {
      const members = await Promise.all([risk, recipient].map((id) => judged(spec, "final_pair", id, check)));
      for (const { asked } of members) expect(asked).toBeGreaterThan(0);
      expect(members[0]!.verdict).toBe(members[1]!.verdict);
      expect([risk, recipient].filter((id, i) => expected(id, check) !== members[i]!.verdict).length).toBeGreaterThan(
        0,
      );
    },
  );

  it("is told apart by the lexicon with the whole conversation", async () => {
    for (const id of [risk, recipient])
      expect((await judged("lexicon", "full", id, check)).verdict).toBe(expected(id, check));
  });
});
