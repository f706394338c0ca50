import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { packageRoot } from "../canon/root.ts";
import type { Judgment } from "../schema/judgment.ts";
import { VERDICTS, type Verdict } from "../schema/verdict.ts";
import { judgment, label, plan, sha, smallStudy, view } from "../../tests/helpers/small-scan.ts";
import { printComparison } from "./compare-print.ts";
import { compareScans } from "./compare.ts";
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

describe("compareScans", () => {
  it("reports transitions, rates, agreement, pairs and boundaries", async () => {
    const { old, next } = example();
    const data = await compareScans(old, next);
    expect(data).toMatchObject({
      accuracy_claim: false,
      same_transcripts: true,
      same_evidence_context: true,
      judge_settings_changed: ["name", "adapter", "model", "context"],
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
        shared_requests: 5,
        changed_bands: 4,
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

describe("printComparison", () => {
  const golden = join(packageRoot, "tests/golden/compare");

  it("prints two scans as the golden report, with no percentage", async () => {
    const { old, next } = example();
    const data = await compareScans(old, next);
    const text = printComparison(data, applyGates(parseGates("false_pass=0"), data));
    await expect(text).toMatchFileSnapshot(join(golden, "two-scans.txt"));
    await expect(`${JSON.stringify(data, null, 2)}\n`).toMatchFileSnapshot(join(golden, "two-scans.json"));
    expect(text).not.toContain("%");
  });

  it("prints one scan against its expectations once", async () => {
    const { old } = example();
    await expect(printComparison(await compareScans(old, old))).toMatchFileSnapshot(join(golden, "one-scan.txt"));
  });
});
