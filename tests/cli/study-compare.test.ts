import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { z } from "zod";
import { bench, envelope, refusal, scratch } from "./bench.ts";

// A study frozen, judged and compared through the command, as a reader of the documentation would.
const directory = scratch();
const full = join(directory, "full");
const pair = join(directory, "pair");

beforeAll(() => {
  for (const [output, context] of [
    [full, "full"],
    [pair, "final_pair"],
  ] as const) {
    const planned = bench([
      "study",
      "plan",
      "caregiver-boundaries",
      "--output",
      output,
      "--context",
      context,
      "--json",
    ]);
    expect(envelope(planned)).toMatchObject({ status: "ok", data: { estimated_cost_usd: 0, context } });
    expect(bench(["scan", "run", "--plan", join(output, "scan_plan.json")]).code).toBe(0);
  }
});

const Data = z.looseObject({
  transitions: z.record(z.string(), z.number()),
  judgments: z.looseObject({ shared: z.number() }),
});

describe("bench study", () => {
  it("lists, lints and shows the shipped study", () => {
    expect(bench(["study", "list"]).stdout).toMatch(/^caregiver-boundaries\b/m);
    const lint = bench(["study", "lint", "caregiver-boundaries", "--json"]);
    expect(lint.code).toBe(0);
    expect(envelope(lint)).toMatchObject({ data: { findings: [] } });
    expect(bench(["study", "show", "caregiver-boundaries"]).stdout).toContain("identical_final_pair");
  });

  it("says what to do next, and refuses a directory that exists", () => {
    const again = bench(["study", "plan", "caregiver-boundaries", "--output", join(directory, "again")]);
    expect(again.stdout).toContain(`bench scan run --plan ${join(directory, "again")}/scan_plan.json`);
    expect(readFileSync(join(directory, "again/scan_plan.json"))).toEqual(readFileSync(join(full, "scan_plan.json")));
    expect(refusal(bench(["study", "plan", "caregiver-boundaries", "--output", full]))).toMatch(/exists already/);
    expect(refusal(bench(["study", "plan", "nothing", "--output", join(directory, "no")]))).toMatch(
      /no study named nothing/,
    );
    expect(existsSync(join(directory, "no"))).toBe(false);
  });

  it("names the place in a broken study, and exits 1 on findings", () => {
    const broken = join(directory, "study.yaml");
    writeFileSync(broken, "schema: assay-study/1\nid: [\n");
    expect(refusal(bench(["study", "lint", broken]))).toMatch(/study\.yaml:\d+:\d+: /);
  });
});

describe("bench compare", () => {
  it("shows that history mattered, with counts only", () => {
    const ran = bench(["compare", "--old", full, "--new", pair]);
    expect(ran.code).toBe(0);
    expect(ran.stdout).toContain("Old verdict (rows) by new verdict (columns)");
    expect(ran.stdout).not.toContain("%");
  });

  it("answers --json with the documented names", () => {
    const answer = envelope(bench(["compare", "--old", full, "--new", pair, "--json"]));
    expect(answer).toMatchObject({
      data: {
        accuracy_claim: false,
        same_transcripts: true,
        same_evidence_context: true,
        old: { unclear_rate_all: { denominator: 208 }, unclear_rate_applicable: {} },
        expectation_agreement: {
          new: { labeled_judgments: 208, unlabeled_judgments: 0, false_pass: expect.any(Number) as number },
        },
      },
    });
    const data = Data.parse(answer.status === "ok" ? answer.data : null);
    expect(Object.values(data.transitions).reduce((sum, n) => sum + n, 0)).toBe(data.judgments.shared);
  });

  it("turns a gate into exit 1", () => {
    expect(bench(["compare", "--old", pair, "--new", full, "--gate", "false_pass=208"]).code).toBe(0);
    const unmet = bench(["compare", "--old", full, "--new", pair, "--gate", "mismatches=0"]);
    expect(unmet.code).toBe(1);
    expect(unmet.stdout).toContain("NOT MET");
    expect(refusal(bench(["compare", "--old", full, "--new", pair, "--gate", "accuracy=1"]))).toMatch(/false_pass/);
  });

  it("refuses what it cannot compare, in one line", () => {
    const file = join(directory, "labels.jsonl");
    writeFileSync(file, "{}\n");
    expect(refusal(bench(["compare", "--old", full, "--new", full, "--expectations", file]))).toMatch(
      /labels\.jsonl:1: /,
    );
    expect(refusal(bench(["compare", "--old", full, "--new", join(directory, "again")]))).toMatch(/not finished/);
    expect(refusal(bench(["compare", "--old", full, "--new", join(directory, "absent")]))).toMatch(/absent/);
  });
});

describe("bench card", () => {
  it("writes the card again from the same evidence", () => {
    const card = join(full, "jury-card.md");
    const before = readFileSync(card, "utf8");
    rmSync(card);
    expect(bench(["card", full]).code).toBe(0);
    expect(readFileSync(card, "utf8")).toBe(before);
    expect(bench(["scan", "verify", full]).code).toBe(0);
  });
});
