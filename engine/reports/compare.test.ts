import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { packageRoot } from "../canon/root.ts";
import type { Judgment } from "../schema/judgment.ts";
import { VERDICTS, type Verdict } from "../schema/verdict.ts";
import { judgment, label, plan, sha, smallStudy, view } from "../../tests/helpers/small-scan.ts";
import { comparisonAsMarkdown, comparisonAsText } from "./compare-blocks.ts";
import { compareScans } from "./compare.ts";
import type { Comparison } from "./comparison.ts";
import { applyGates, parseGates } from "./gates.ts";

const CASES = ["hers", "his", "odd"];
const CHECKS = ["a.one", "a.two"];
const LABELS = [
  label("hers", "a.one", "FAIL"),
  label("his", "a.one", "NOT_APPLICABLE"),
  label("odd", "a.one", "UNCLEAR"),
];

type Grid = readonly (readonly (Verdict | null)[])[];
function judged(scan: ReturnType<typeof plan>, grid: Grid): Judgment[] {
  return grid.flatMap((row, conversation) => row.map((verdict, check) => judgment(scan, conversation, check, verdict)));
}

function example() {
  const old = plan(CASES, CHECKS);
  const next = plan(CASES, CHECKS);
  next.judge = { ...next.judge, name: "constant:no", adapter: "constant", model: "no", context: "final_pair" };
  const study = smallStudy(CASES, CHECKS);
  const before = judged(old, [
    ["FAIL", "PASS"],
    ["NOT_APPLICABLE", "PASS"],
    ["UNCLEAR", null],
  ]);
  const after = judged(next, [
    ["PASS", "PASS"],
    ["PASS", "UNCLEAR"],
    ["PASS", "PASS"],
  ]);
  return {
    old: view(old, before, { labels: LABELS, study, name: "old plan" }),
    next: view(next, after, { labels: LABELS, study, name: "new plan" }),
  };
}

/** Another definition of one check, another memory context, conversations and checks of one side only. */
function strangers() {
  const old = plan(["hers", "his", "before"], ["a.one", "a.two", "a.old"]);
  const next = plan(["after", "hers", "his"], ["a.one", "a.new", "a.two"]);
  next.checks[2]!.check_sha256 = sha("another definition");
  next.conversations[1]!.evidence_context_sha256 = sha("more memory");
  return {
    old: view(
      old,
      judged(old, [
        ["FAIL", "PASS", "PASS"],
        ["NOT_APPLICABLE", "PASS", null],
        ["FAIL", "FAIL", "UNCLEAR"],
      ]),
      { name: "old plan" },
    ),
    next: view(
      next,
      judged(next, [
        ["PASS", "PASS", null],
        ["UNCLEAR", "PASS", "FAIL"],
        ["NOT_APPLICABLE", "PASS", null],
      ]),
      { name: "new plan" },
    ),
  };
}

/** One judge, asked three times, with grouped questions and with each alone. */
function regrouped() {
  const settings = { grouping: "shared" as const, repeats: 3 };
  const [old, next] = [plan(CASES, CHECKS), plan(CASES, CHECKS)];
  old.judge = { ...old.judge, ...settings };
  next.judge = { ...next.judge, ...settings, grouping: "one" };
  const grouped = judged(old, [
    ["FAIL", "PASS"],
    ["PASS", "PASS"],
    ["UNCLEAR", "PASS"],
  ]);
  const alone = judged(next, [
    ["PASS", "PASS"],
    ["PASS", "FAIL"],
    ["UNCLEAR", "PASS"],
  ]).map((row) => ({
    ...row,
    observations: row.observations.map((used) => ({
      ...used,
      input_sha256: sha(`alone ${row.scenario_id} ${row.check_id}`),
    })),
  }));
  const split = { scenario_id: "hers", check_id: "a.one", repeats: ["FAIL", "FAIL", "PASS"] as Verdict[] };
  return {
    old: view(old, grouped, { name: "old plan", repeats: [split] }),
    next: view(next, alone, { name: "new plan", repeats: [] }),
  };
}

describe("compareScans", () => {
  it("reports transitions, rates, agreement, pairs and boundaries", async () => {
    const { old, next } = example();
    const data = await compareScans(old, next);
    expect(data).toMatchObject({
      accuracy_claim: false,
      same_transcripts: true,
      same_evidence_context: true,
      judge_settings_changed: ["name", "adapter", "model", "context"],
      sensitivity_to: null,
      judgments: { shared: 6, old_only: 0, new_only: 0 },
      transitions: {
        "PASS->PASS": 1,
        "PASS->UNCLEAR": 1,
        "FAIL->PASS": 1,
        "UNCLEAR->PASS": 1,
        "NOT_APPLICABLE->PASS": 1,
      },
      changed_verdicts: { numerator: 4, denominator: 5 },
      applicability_transitions: { became_applicable: 1, became_not_applicable: 0 },
      shared_not_judged: { old: 1, new: 0, either: 1 },
      answer_changes: {
        requests: 5,
        answers: 5,
        changed_bands: { numerator: 4, denominator: 5 },
        max_absolute_delta: 0.8,
        bands: { "no->open": 1, "open->no": 2, "yes->no": 1 },
      },
      old: {
        unclear_rate_all: { numerator: 1, denominator: 5, rate: 0.2 },
        unclear_rate_applicable: { numerator: 1, denominator: 4, rate: 0.25 },
        coverage: { numerator: 5, denominator: 6 },
        not_judged: 1,
      },
      expectation_agreement: {
        old: {
          labeled_judgments: 3,
          unlabeled_judgments: 3,
          labeled_checks: ["a.one"],
          mismatches: 0,
          agreed: { numerator: 2, denominator: 2 },
        },
        new: {
          mismatches: 3,
          false_pass: 1,
          false_fail: 0,
          applicability: 1,
          unresolved: 0,
          decided: 1,
          transitions: { "FAIL->PASS": 1, "UNCLEAR->PASS": 1, "NOT_APPLICABLE->PASS": 1 },
        },
      },
    });
    expect(data.studies.old[0]?.pairs_consistent).toEqual({ numerator: 1, denominator: 1 });
    expect(data.studies.new[0]?.pairs_consistent).toEqual({ numerator: 0, denominator: 1 });
    expect(data.studies.new[0]?.boundaries[0]).toMatchObject({
      boundary_id: "who",
      agreed: { numerator: 0, denominator: 2 },
    });
  });

  it("has null rates on empty denominators", async () => {
    const scan = plan(["hers"], ["a.one"]);
    const data = await compareScans(
      view(scan, [judgment(scan, 0, 0, null)]),
      view(scan, [judgment(scan, 0, 0, "NOT_APPLICABLE")]),
    );
    expect(data.old.unclear_rate_all).toEqual({ numerator: 0, denominator: 0, rate: null });
    expect(data.new.unclear_rate_applicable).toEqual({ numerator: 0, denominator: 0, rate: null });
    expect(data.expectations).toEqual({ source: "none", count: 0 });
  });

  it("meets conversations and checks that stand at other places, and lists what only one has", async () => {
    const old = plan(["hers", "his"], ["a.one", "a.two"]);
    const next = plan(["new", "his"], ["a.three", "a.two"]);
    const data = await compareScans(
      view(
        old,
        judged(old, [
          ["FAIL", "FAIL"],
          ["FAIL", "UNCLEAR"],
        ]),
      ),
      view(
        next,
        judged(next, [
          ["PASS", "PASS"],
          ["PASS", "PASS"],
        ]),
      ),
    );
    expect(data).toMatchObject({
      same_transcripts: false,
      conversations: { shared: 1, old_only: 1, new_only: 1 },
      judgments: { shared: 1, old_only: 3, new_only: 3 },
      transitions: { "UNCLEAR->PASS": 1 },
      checks: { shared: 1, old_only: ["a.one"], new_only: ["a.three"] },
    });
  });

  it("names changed definitions, and leaves labels of the other definition out, listed", async () => {
    const old = plan(["hers"], ["a.one"]);
    const next = plan(["hers"], ["a.one"]);
    next.checks[0]!.check_sha256 = sha("another definition");
    const data = await compareScans(
      view(old, judged(old, [["FAIL"]]), { labels: [LABELS[0]!] }),
      view(next, judged(next, [["PASS"]])),
    );
    expect(data.changed_checks).toMatchObject([{ check_id: "a.one", transitions: { "FAIL->PASS": 1 } }]);
    expect(data.expectation_agreement.new).toMatchObject({
      labeled_judgments: 0,
      unbound_expectations: [{ check_id: "a.one", differs: ["check_sha256"] }],
    });
  });

  it("says when evidence contexts differ though transcripts do not", async () => {
    const old = plan(["hers"], ["a.one"]);
    const next = plan(["hers"], ["a.one"]);
    next.conversations[0]!.evidence_context_sha256 = sha("more memory");
    const data = await compareScans(view(old, judged(old, [["FAIL"]])), view(next, judged(next, [["FAIL"]])));
    expect(data).toMatchObject({ same_transcripts: true, same_evidence_context: false });
  });

  it("refuses scans that share nothing, other bytes, and labels that are rejected, conflicting or unbound", async () => {
    const scan = plan(["hers"], ["a.one"]);
    const mine = (labels?: typeof LABELS) =>
      view(scan, judged(scan, [["FAIL"]]), labels === undefined ? {} : { labels });
    const stranger = plan(["nobody"], ["a.one"]);
    await expect(compareScans(mine(), view(stranger, judged(stranger, [["FAIL"]])))).rejects.toMatchObject({
      code: "no_shared_conversation",
    });
    const other = plan(["hers"], ["a.one"]);
    other.conversations[0]!.transcript.sha256 = sha("edited");
    await expect(compareScans(mine(), view(other, judged(other, [["FAIL"]])))).rejects.toMatchObject({
      code: "transcript_differs",
      details: { scenario_id: "hers" },
    });
    const broken = mine();
    broken.attachments[0] = { ...broken.attachments[0]!, status: "rejected", reason: "row 1: author" };
    await expect(compareScans(broken, mine())).rejects.toMatchObject({ code: "rejected_expectations" });
    expect((await compareScans(broken, mine(), { expectations: [LABELS[0]!] })).expectations.source).toBe("file");
    const conflicting = mine([{ ...LABELS[0]!, expected: "PASS" }]);
    await expect(compareScans(mine([LABELS[0]!]), conflicting)).rejects.toMatchObject({
      code: "conflicting_expectations",
    });
    await expect(compareScans(mine(), mine(), { expectations: [LABELS[1]!] })).rejects.toMatchObject({
      code: "unbound_expectation",
    });
  });

  it("counts answers, verdicts and labels by check and boundary", async () => {
    const { old, next } = example();
    const data = await compareScans(old, next);
    expect(data.by_check.map(({ check_id, same_definition }) => [check_id, same_definition])).toEqual([
      ["a.one", true],
      ["a.two", true],
    ]);
    expect(data.by_check[0]).toMatchObject({
      rates: {
        old: { unclear_rate_all: { numerator: 1, denominator: 3 } },
        new: { unclear_rate_all: { numerator: 0, denominator: 3 } },
      },
      changed_verdicts: { numerator: 3, denominator: 3 },
      answers: { identical_requests: { answers: 3, changed_bands: { numerator: 3, denominator: 3 } } },
      paired_correctness: { labels: 2, old_only_right: 2, new_only_right: 0 },
    });
    expect(data.by_check[1]).toMatchObject({
      changed_verdicts: { numerator: 1, denominator: 2 },
      answers: { identical_requests: { answers: 2 }, other_requests: { answers: 0, mean_absolute_delta: null } },
      paired_correctness: null,
    });
    expect(data.by_boundary).toMatchObject([
      { study_id: "small", boundary_id: "who", changed_verdicts: { numerator: 2, denominator: 2 } },
    ]);
  });

  it("tests paired correctness on the discordant labels, and gives no p where there are none", async () => {
    const cases = Array.from({ length: 8 }, (_, i) => `case-${i}`);
    const labels = cases.map((id) => label(id, "a.one", "FAIL"));
    const of = (name: string, wrong: (i: number) => boolean) => {
      const scan = plan(cases, ["a.one"]);
      return view(
        scan,
        judged(
          scan,
          cases.map((_, i) => [wrong(i) ? "PASS" : "FAIL"]),
        ),
        { labels, name },
      );
    };
    const [one, seven, none] = [of("one", (i) => i === 0), of("seven", (i) => i > 0), of("none", () => false)];
    // The published value of 1 and 7 discordant pairs.
    expect((await compareScans(one, seven)).paired_correctness).toEqual({
      labels: 8,
      both_right: 0,
      old_only_right: 7,
      new_only_right: 1,
      both_wrong: 0,
      mcnemar: {
        p: expect.closeTo(0.0703, 4) as number,
        mid_p: expect.closeTo(0.0391, 4) as number,
        reason: null,
      },
    });
    expect(
      (
        await compareScans(
          none,
          of("again", () => false),
        )
      ).paired_correctness,
    ).toMatchObject({
      both_right: 8,
      mcnemar: { p: null, mid_p: null, reason: "no discordant pairs" },
    });
    expect((await compareScans(none, none)).paired_correctness).toBeNull();
  });

  it("pairs labels only where both scans hold the same definition and context, and both judged", async () => {
    const { old, next } = strangers();
    const data = await compareScans(old, next, { expectations: LABELS.slice(0, 2) });
    expect(data.paired_correctness).toMatchObject({ labels: 1, both_right: 1 });
    expect(data.expectation_agreement.new.unbound_expectations).toMatchObject([
      { scenario_id: "hers", differs: ["evidence_context_sha256"] },
    ]);
  });

  it("partitions the judgments of both scans by where they have a verdict, and lists the rest", async () => {
    const { old, next } = strangers();
    const { coverage, judgments, ...data } = await compareScans(old, next);
    expect(judgments).toEqual({ shared: 4, old_only: 5, new_only: 5 });
    expect(coverage).toEqual({
      judged_in_both: 3,
      judged_in_old_only: 5,
      judged_in_new_only: 4,
      judged_in_neither: 2,
      conversations: {
        old_only: [{ model_id: "fixture/small", scenario_id: "before" }],
        new_only: [{ model_id: "fixture/small", scenario_id: "after" }],
      },
      not_judged: [{ model_id: "fixture/small", scenario_id: "his", check_id: "a.two", judged_in: "old" }],
    });
    const sum = [coverage.judged_in_both, coverage.judged_in_old_only, coverage.judged_in_new_only];
    expect([...sum, coverage.judged_in_neither].reduce((total, n) => total + n, 0)).toBe(4 + 5 + 5);
    expect(data.other_evidence_context).toEqual([{ model_id: "fixture/small", scenario_id: "hers" }]);
    expect(data.checks).toEqual({ shared: 2, old_only: ["a.old"], new_only: ["a.new"] });
  });

  it("measures a regrouped judge on the same questions, beside the noise of its repeats", async () => {
    const { old, next } = regrouped();
    const data = await compareScans(old, next);
    expect(data).toMatchObject({
      judge_settings_changed: ["grouping"],
      sensitivity_to: "grouping",
      changed_verdicts: { numerator: 2, denominator: 6 },
      answers: {
        identical_requests: { answers: 0 },
        other_requests: { answers: 6, changed_bands: { numerator: 2, denominator: 6 }, max_absolute_delta: 0.8 },
      },
      noise: {
        old: { changed_verdicts: { numerator: 1, denominator: 12 } },
        new: { changed_verdicts: { numerator: 0, denominator: 12 } },
      },
      flips: [
        { scenario_id: "hers", old: "FAIL", new: "PASS", split_repeats: { old: ["FAIL", "FAIL", "PASS"], new: null } },
        { scenario_id: "his", old: "PASS", new: "FAIL", split_repeats: { old: null, new: null } },
      ],
    });
    old.plan.judge = { ...old.plan.judge, context: "final_pair" };
    expect((await compareScans(old, next)).sensitivity_to).toBeNull();
  });

  it("counts the same whichever order the plans list conversations in", async () => {
    const verdicts = fc.array(fc.option(fc.constantFrom(...VERDICTS)), { minLength: 3, maxLength: 3 });
    await fc.assert(
      fc.asyncProperty(
        verdicts,
        verdicts,
        fc.shuffledSubarray([0, 1, 2], { minLength: 3 }),
        async (before, after, order) => {
          const old = plan(CASES, ["a.one"]);
          const straight = plan(CASES, ["a.one"]);
          const shuffled = plan(
            order.map((index) => CASES[index]!),
            ["a.one"],
          );
          const oldView = view(
            old,
            judged(
              old,
              before.map((verdict) => [verdict]),
            ),
          );
          const one = await compareScans(
            oldView,
            view(
              straight,
              judged(
                straight,
                after.map((verdict) => [verdict]),
              ),
            ),
          );
          const two = await compareScans(
            oldView,
            view(
              shuffled,
              judged(
                shuffled,
                order.map((index) => [after[index]!]),
              ),
            ),
          );
          expect(two.transitions).toEqual(one.transitions);
          const counted = Object.values(one.transitions).reduce((sum, n) => sum + n, 0);
          expect(counted + one.shared_not_judged.either).toBe(one.judgments.shared);
        },
      ),
      { numRuns: 50 },
    );
  });
});

describe("gates", () => {
  it("parses, and refuses what is not a count", () => {
    expect(parseGates("false_pass=0,unresolved=2")).toEqual([
      { name: "false_pass", most: 0 },
      { name: "unresolved", most: 2 },
    ]);
    for (const text of ["", "false_pass", "accuracy=1", "false_pass=-1", "false_pass=NaN"])
      expect(() => parseGates(text)).toThrowError(expect.objectContaining({ code: "bad_gate" }) as Error);
  });

  it("holds counts of the new scan against each", async () => {
    const { old, next } = example();
    const data = await compareScans(old, next);
    const gates = applyGates(parseGates("false_pass=0,decided=1,inconsistent_pairs=0,changed_verdicts=4"), data);
    expect(gates.map(({ observed, met }) => [observed, met])).toEqual([
      [1, false],
      [1, true],
      [1, false],
      [4, true],
    ]);
  });

  it("does not pass a gate on labels where there are none", async () => {
    const scan = plan(["hers"], ["a.one"]);
    const data = await compareScans(view(scan, judged(scan, [["FAIL"]])), view(scan, judged(scan, [["FAIL"]])));
    expect(() => applyGates(parseGates("false_pass=0"), data)).toThrowError(
      expect.objectContaining({ code: "gate_without_labels" }) as Error,
    );
  });
});

describe("printing", () => {
  const golden = join(packageRoot, "tests/golden/compare");
  const print = async (name: string, data: Comparison): Promise<string[]> => {
    const texts = [comparisonAsText(data), comparisonAsMarkdown(data), `${JSON.stringify(data, null, 2)}\n`];
    for (const [index, ending] of ["txt", "md", "json"].entries())
      await expect(texts[index]).toMatchFileSnapshot(join(golden, `${name}.${ending}`));
    return texts;
  };

  it("of two scans gives the golden reports, with no percentage", async () => {
    const { old, next } = example();
    const texts = await print("two-scans", await compareScans(old, next, { gates: parseGates("false_pass=0") }));
    expect(texts.join("")).not.toContain("%");
  });

  it("of one scan against its expectations says them once", async () => {
    const { old } = example();
    await print("one-scan", await compareScans(old, old));
  });

  it("of scans that differ in everything lists what is in one only", async () => {
    const { old, next } = strangers();
    await print("other-evidence", await compareScans(old, next, { expectations: LABELS.slice(0, 2) }));
  });

  it("of one judge asked in another grouping shows its noise beside every flip", async () => {
    const { old, next } = regrouped();
    await print("sensitivity", await compareScans(old, next));
  });

  it("shows every number of the tables in both forms", async () => {
    const { old, next } = example();
    const data = await compareScans(old, next);
    const numbers = (text: string): string[] => text.replace(/^#+ |[|\\`-]/gm, " ").match(/\d[\d./]*/g) ?? [];
    expect(numbers(comparisonAsMarkdown(data))).toEqual(numbers(comparisonAsText(data)));
  });
});
