import fc from "fast-check";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import type { Expectation } from "../schema/expectation.ts";
import { MISMATCH_KINDS } from "../schema/expectation.ts";
import { VERDICTS } from "../schema/verdict.ts";
import { judgment, label, plan, sha } from "../../tests/helpers/small-scan.ts";
import {
  applicableExpectations,
  bindExpectations,
  boundaryAgreement,
  boundaryPlaces,
  classify,
  countAgreement,
  embeddedExpectations,
  frozenExpectations,
  pairConsistency,
  parseExpectations,
  readExpectations,
  requireBound,
} from "./index.ts";

const directory = mkdtempSync(join(tmpdir(), "assay-validation-"));
afterAll(() => rmSync(directory, { recursive: true, force: true }));

describe("classify", () => {
  it("partitions the sixteen cells into agreement and the five kinds", () => {
    const cells = VERDICTS.flatMap((expected) => VERDICTS.map((observed) => ({ expected, observed })));
    const kinds = cells.map(({ expected, observed }) => classify(expected, observed));
    expect(kinds.filter((kind) => kind === null)).toHaveLength(4);
    expect(Object.fromEntries(MISMATCH_KINDS.map((kind) => [kind, kinds.filter((k) => k === kind).length]))).toEqual({
      false_pass: 1,
      false_fail: 1,
      applicability: 6,
      unresolved: 2,
      decided: 2,
    });
    expect(classify("FAIL", "PASS")).toBe("false_pass");
    expect(classify("PASS", "FAIL")).toBe("false_fail");
    expect(classify("UNCLEAR", "NOT_APPLICABLE")).toBe("applicability");
    expect(classify("NOT_APPLICABLE", "UNCLEAR")).toBe("applicability");
  });
});

describe("parseExpectations", () => {
  const good = label("hers", "a.one", "FAIL");

  it("takes a well-formed list, and nothing where there is none", () => {
    expect(parseExpectations([good])).toEqual({ accepted: [good] });
    expect(parseExpectations(undefined)).toEqual({ accepted: [] });
  });

  it.each([
    ["not a list", { rows: [] }, /not a list/],
    ["null", null, /not a list/],
    ["a missing field", [{ ...good, author: undefined }], /row 1: author/],
    ["an unknown verdict", [good, { ...label("x", "a.one", "PASS"), expected: "MAYBE" }], /row 2: expected/],
    ["an unknown field", [{ ...good, extra: 1 }], /row 1/],
    ["a duplicate", [good, { ...good, expected: "PASS" }], /row 2 repeats row 1/],
    ["a lone surrogate", [{ ...good, reason: "\ud800" }], /lone surrogate/],
  ])("rejects %s whole, with the reason", (_, attachment, reason) => {
    const parsed = parseExpectations(attachment);
    expect("rejected" in parsed && parsed.rejected).toMatch(reason);
  });

  it("never throws", () => {
    fc.assert(
      fc.property(
        fc.oneof(fc.jsonValue(), fc.array(fc.constantFrom<unknown>(good, 1, null, { ...good, reason: "" }))),
        (value) => {
          const parsed = parseExpectations(value);
          return "accepted" in parsed || parsed.rejected.length > 0;
        },
      ),
    );
  });
});

describe("readExpectations", () => {
  const write = (name: string, lines: unknown[]): string => {
    const file = join(directory, name);
    writeFileSync(file, lines.map((line) => (typeof line === "string" ? line : JSON.stringify(line)) + "\n").join(""));
    return file;
  };
  const good = label("hers", "a.one", "FAIL");

  it("reads one object a line", async () => {
    expect(await readExpectations(write("good.jsonl", [good]))).toEqual([good]);
  });

  it.each([
    ["bad_record", [good, { ...good, expected: "MAYBE" }], 2],
    ["bad_json", ["{"], 1],
    ["blank_line", [good, ""], 2],
    ["duplicate_expectation", [good, label("x", "a.one", "PASS"), good], 3],
    ["no_expectations", [], undefined],
  ])("refuses with %s and the line", async (code, lines, line) => {
    const reading = readExpectations(write(`${code}.jsonl`, lines));
    await expect(reading).rejects.toMatchObject({ code, details: line === undefined ? {} : { line } });
  });
});

describe("binding", () => {
  const scan = plan(["hers", "his"], ["a.one", "a.two"]);

  it("binds by exact transcript, context and check bytes, and says what differs", () => {
    const { bound, unbound } = bindExpectations(
      [
        label("his", "a.one", "PASS"),
        label("nobody", "a.none", "PASS"),
        { ...label("hers", "a.two", "PASS"), transcript_sha256: sha("other"), evidence_context_sha256: sha("other") },
        { ...label("hers", "a.one", "PASS"), check_sha256: sha("other") },
        { ...label("hers", "a.one", "PASS"), evidence_context_sha256: sha("memory changed") },
      ],
      scan,
    );
    expect(bound.map((row) => row.conversation)).toEqual([1]);
    expect(unbound.map((row) => row.differs)).toEqual([
      ["conversation", "check"],
      ["transcript_sha256", "evidence_context_sha256"],
      ["check_sha256"],
      ["evidence_context_sha256"],
    ]);
  });

  it("refuses a label that binds to neither scan, and takes one that binds to one", () => {
    const strayed = { ...label("hers", "a.one", "PASS"), check_sha256: sha("other") };
    const fine = label("hers", "a.two", "PASS");
    const smaller = bindExpectations([fine], plan(["his"], ["a.one", "a.two"]));
    expect(() => requireBound(bindExpectations([fine], scan), smaller)).not.toThrow();
    const both = bindExpectations([fine, strayed], scan);
    expect(() => requireBound(both, both)).toThrowError(
      expect.objectContaining({ code: "unbound_expectation" }) as Error,
    );
  });
});

describe("precedence", () => {
  const a = label("hers", "a.one", "FAIL");
  const b = label("his", "a.one", "PASS");

  it("prefers an explicit file, else the union", () => {
    expect(applicableExpectations([b], [a], [a])).toEqual({ source: "file", expectations: [b] });
    expect(applicableExpectations(undefined, [a], [a, b])).toEqual({ source: "frozen", expectations: [a, b] });
    expect(applicableExpectations(undefined, [], [])).toEqual({ source: "none", expectations: [] });
  });

  it("refuses labels that conflict", () => {
    expect(() => applicableExpectations(undefined, [a], [{ ...a, expected: "PASS" }])).toThrowError(
      expect.objectContaining({ code: "conflicting_expectations" }) as Error,
    );
  });
});

describe("embedded labels", () => {
  const write = (name: string, value: unknown): ReturnType<typeof plan> => {
    writeFileSync(join(directory, name), JSON.stringify(value));
    const scan = plan(["hers"], ["a.one"]);
    scan.sources[0]!.summary.path = name;
    return scan;
  };
  const transcripts = ["hers", "his"].map((scenario_id) => ({ model_id: "fixture/small", scenario_id }));

  it("leaves out what the plan did not select, and keeps what does not bind", () => {
    const scan = write("selected.json", {
      transcripts,
      research_expectations: [
        label("hers", "a.one", "FAIL"),
        label("his", "a.one", "FAIL"),
        label("hers", "a.two", "FAIL"),
        label("nobody", "a.one", "PASS"),
      ],
    });
    const [attachment] = embeddedExpectations(directory, scan);
    expect(attachment).toMatchObject({ status: "accepted", not_selected: 2 });
    expect(attachment?.accepted.map((row) => row.scenario_id)).toEqual(["hers", "nobody"]);
  });

  it("reports a malformed attachment as rejected, and an absent one as absent", () => {
    const broken = embeddedExpectations(directory, write("broken.json", { transcripts, research_expectations: 3 }));
    expect(broken[0]).toMatchObject({ status: "rejected", accepted: [] });
    expect(frozenExpectations(broken).rejected).toHaveLength(1);
    expect(embeddedExpectations(directory, write("none.json", { transcripts }))[0]).toMatchObject({ status: "absent" });
  });
});

describe("agreement", () => {
  const verdict = fc.constantFrom(...VERDICTS);

  it("counts every judgment once: labelled or not, agreed or one of five kinds, or not judged", () => {
    fc.assert(
      fc.property(
        fc.array(fc.tuple(fc.option(verdict), fc.option(verdict)), { minLength: 1, maxLength: 20 }),
        (cells) => {
          const ids = cells.map((_, index) => `case-${index}`);
          const scan = plan(ids, ["a.one"]);
          const labels: Expectation[] = cells.flatMap(([expected], index) =>
            expected === null ? [] : [label(ids[index]!, "a.one", expected)],
          );
          const counter = countAgreement(bindExpectations(labels, scan));
          cells.forEach(([, observed], index) => counter.add(judgment(scan, index, 0, observed)));
          const result = counter.result();
          expect(result.labeled_judgments + result.unlabeled_judgments).toBe(cells.length);
          const right = cells.filter(([e, o]) => e !== null && e === o).length;
          expect(right + result.mismatches + result.not_judged).toBe(result.labeled_judgments);
          const judged = Object.values(result.confusion).flatMap((row) => Object.values(row));
          expect(judged.reduce((sum, n) => sum + n, 0)).toBe(result.labeled_judgments - result.not_judged);
          expect(result.agreed.denominator).toBe(labels.filter((row) => row.expected !== "UNCLEAR").length);
          expect(result.checks.reduce((sum, check) => sum + check.mismatches, 0)).toBe(result.mismatches);
        },
      ),
    );
  });
});

describe("pairs and boundaries", () => {
  const study = {
    boundaries: [
      { id: "who", change: "-", expected_effect: "-", prohibited: "hers", legitimate: "his" },
      { id: "odd", change: "-", expected_effect: "-", prohibited: "hers", legitimate: "his" },
    ],
    pairs: [
      { id: "who-1", boundary: "who", check: "a.one", cases: ["hers", "his"] as [string, string], invariants: [] },
      { id: "odd-1", boundary: "odd", check: "a.one", cases: ["hers", "odd"] as [string, string], invariants: [] },
    ],
  };
  const scan = plan(["hers", "his", "odd"], ["a.one"]);
  const labels = [
    label("hers", "a.one", "FAIL"),
    label("his", "a.one", "NOT_APPLICABLE"),
    label("odd", "a.one", "UNCLEAR"),
  ];

  const results = (observed: readonly ["FAIL" | "PASS", "FAIL" | "NOT_APPLICABLE"]) => {
    const counter = countAgreement(bindExpectations(labels, scan));
    counter.add(judgment(scan, 0, 0, observed[0]));
    counter.add(judgment(scan, 1, 0, observed[1]));
    counter.add(judgment(scan, 2, 0, "UNCLEAR"));
    const { rows } = counter.result();
    return { pairs: pairConsistency(study, rows), boundaries: boundaryAgreement(study, rows) };
  };

  it("needs both members right, and leaves a pair with an expected UNCLEAR out", () => {
    expect(results(["FAIL", "NOT_APPLICABLE"]).pairs.map((pair) => pair.consistent)).toEqual([true, null]);
    expect(results(["FAIL", "FAIL"]).pairs.map((pair) => pair.consistent)).toEqual([false, null]);
  });

  it("counts a boundary over its own places", () => {
    expect(boundaryPlaces(study).map((row) => `${row.boundary_id} ${row.case_id}`)).toEqual([
      "who hers",
      "who his",
      "odd hers",
      "odd odd",
      "odd his",
    ]);
    expect(
      results(["PASS", "NOT_APPLICABLE"]).boundaries.map((row) => [row.agreed, row.false_pass, row.pairs_consistent]),
    ).toEqual([
      [{ numerator: 1, denominator: 2 }, 1, { numerator: 0, denominator: 1 }],
      [{ numerator: 1, denominator: 2 }, 1, { numerator: 0, denominator: 0 }],
    ]);
  });
});
