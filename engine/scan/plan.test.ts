import { cpSync, existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { AssayError } from "../canon/errors.ts";
import { digestOf, sha256 } from "../canon/json.ts";
import { checksDir, madeScan, plainCard, scratchDirectory } from "../../tests/helpers/made-scan.ts";
import { someConversations, sourceRun, talk } from "../../tests/helpers/source-run.ts";
import { readConversation, readPlan, readRequestLines, type Bundle } from "./bundle.ts";
import { scanIdOf } from "./identity.ts";
import { planProbe } from "./probe.ts";
import { rejudgeScan } from "./rejudge.ts";
import { runScan } from "./run.ts";
import { parseJudge } from "../judges/index.ts";
import { planScan } from "./plan.ts";

const directory = scratchDirectory();

function filesOf(root: string): Record<string, string> {
  const files = readdirSync(root, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  return Object.fromEntries(
    files
      .map(
        ({ parentPath, name }) =>
          [join(parentPath, name).slice(root.length), sha256(readFileSync(join(parentPath, name)))] as const,
      )
      .sort(),
  );
}

async function codeOf(promise: Promise<unknown>): Promise<string> {
  return await promise.then(
    () => "none",
    (error: unknown) => (error instanceof AssayError ? error.code : String(error)),
  );
}

describe("a plan", () => {
  it("is the same bytes for the same inputs, wherever they lie", async () => {
    const first = await madeScan(directory, "same-a");
    const moved = join(directory, "elsewhere");
    cpSync(join(directory, "same-a-source"), moved, { recursive: true });
    const second = await madeScan(directory, "same-b", { sources: [moved] });
    expect(filesOf(second.directory)).toEqual(filesOf(first.directory));
    expect(second.plan_sha256).toBe(first.plan_sha256);
    expect(readFileSync(join(first.directory, "scan_plan.json"), "utf8")).not.toContain(directory);
  });

  it("is read back as it was written, and names its scan", async () => {
    const made = await madeScan(directory, "read-back");
    for (const path of [made.directory, `${made.directory}/`, join(made.directory, "scan_plan.json")])
      expect(digestOf(readPlan(path).plan)).toBe(digestOf(made.plan));
    expect(scanIdOf(made.plan, made.plan_sha256)).toBe(`made-run-lexicon-full-${made.plan_sha256.slice(0, 8)}`);
    expect(readConversation(made.directory, made.plan, 1).turns).toHaveLength(6);
  });

  it("counts its inventory", async () => {
    const { directory: scan, plan } = await madeScan(directory, "counted", { settings: { repeats: 3 } });
    const lines = [];
    for await (const group of readRequestLines(scan, plan)) {
      expect(new Set(group.map(({ conversation }) => conversation)).size).toBe(1);
      lines.push(...group);
    }
    const distinct = new Map(lines.map((line) => [line.input_sha256, line.bytes]));
    expect(plan.requests).toMatchObject({
      uses: lines.length,
      distinct: distinct.size,
      observations: lines.reduce((n, { places }) => n + places.length, 0),
      judgments: 3 * plan.checks.length,
    });
    expect(plan.estimate.input_tokens).toBe(3 * [...distinct.values()].reduce((a, b) => a + b, 0));
    expect(plan.estimate.estimated_cost_usd).toBe(0);
  });

  it("says so where the price is unknown, and bounds the cost where it is known", async () => {
    const unknown = await madeScan(directory, "unpriced", { spec: "decisions:of-unknown-price" });
    expect(unknown.plan.estimate.estimated_cost_usd).toBeNull();
    expect(await codeOf(runScan({ directory: unknown.directory, finish: plainCard }))).toBe("no_price");
    const { plan } = await madeScan(directory, "priced", {
      spec: "decisions:gpt-6-luna",
      settings: { priceInput: 0.1, priceOutput: 0 },
    });
    // The sum of the bounds, and the largest of them once more.
    const sum = (plan.estimate.input_tokens * 0.1) / 1e6;
    expect(plan.estimate.estimated_cost_usd).toBeGreaterThan(sum);
    expect(plan.estimate.estimated_cost_usd).toBeLessThan(sum * 1.1);
    expect(JSON.stringify(plan.judge)).not.toContain("key");
  });

  it("narrows by check, filter and limit, and still keeps every source byte", async () => {
    const { directory: scan, plan } = await madeScan(directory, "narrow", {
      cases: 12,
      checkIds: ["crisis.passive-signal", "identity.claims-human"],
      filter: "case-1",
      limit: 2,
    });
    expect(plan.checks.map(({ id }) => id)).toEqual(["crisis.passive-signal", "identity.claims-human"]);
    expect(plan.conversations.map(({ scenario_id }) => scenario_id)).toEqual(["case-1", "case-10"]);
    expect(plan.sources[0]?.files).toHaveLength(10);
    for (const { path, sha256: digest } of plan.sources[0]!.files)
      expect(sha256(readFileSync(join(scan, path)))).toBe(digest);
  });

  it("plans a scan's retained sources again, as that scan selected them", async () => {
    const first = await madeScan(directory, "retained", { cases: 4, filter: "case-2" });
    for (const [i, path] of [first.directory, join(first.directory, "inputs")].entries()) {
      const again = await madeScan(directory, `retained-${i}`, { sources: [path] });
      expect(again.plan_sha256).toBe(first.plan_sha256);
    }
    const all = await madeScan(directory, "retained-all", {
      sources: [join(first.directory, first.plan.sources[0]!.root)],
    });
    expect(all.plan.conversations).toHaveLength(4);
    const other = await rejudgeScan(first.directory, join(directory, "rejudged"), parseJudge("constant:yes"));
    expect(other.plan.checks).toEqual(first.plan.checks);
    expect(other.plan.conversations).toEqual(first.plan.conversations);
    expect(other.plan.judge.name).toBe("constant:yes");
  });

  it("claims what its sources support, and refuses to mix them", async () => {
    const authored = sourceRun(join(directory, "authored"), [{ scenario_id: "a", turns: talk("u", "a") }], {
      manifest: { harness: "fixture", mode: "authored" },
    });
    expect((await madeScan(directory, "claim-2", { sources: [authored] })).plan.claim).toBe("frozen_validation_cases");
    const target = sourceRun(join(directory, "target"), [{ scenario_id: "t", turns: talk("u", "a") }]);
    expect((await madeScan(directory, "claim-3", { sources: [target] })).plan.claim).toBe("target_model_conversations");
    expect(await codeOf(madeScan(directory, "mixed", { sources: [authored, target] }))).toBe("mixed_sources");
    expect(existsSync(join(directory, "mixed"))).toBe(false);
  });

  it("refuses a conversation that two sources hold", async () => {
    const again = sourceRun(join(directory, "again"), someConversations(1));
    const first = sourceRun(join(directory, "first"), someConversations(2));
    expect(await codeOf(madeScan(directory, "twice", { sources: [first, again] }))).toBe("duplicate_conversation");
  });

  it("refuses suspect turns until they are accepted, and keeps them marked", async () => {
    const source = sourceRun(join(directory, "suspect"), [{ scenario_id: "s", turns: talk("Hello", "") }]);
    expect(await codeOf(madeScan(directory, "suspects", { sources: [source] }))).toBe("suspect_turns");
    expect(readdirSync(directory).filter((name) => name.includes("suspects"))).toEqual([]);
    const { plan } = await madeScan(directory, "suspects", { sources: [source], acceptSuspect: true });
    expect(plan.conversations[0]?.suspect_turns).toMatchObject([{ turn: 1, kind: "empty_content" }]);
    expect(plan.accepted_suspect_turns).toBe(true);
  });

  it("never overwrites", async () => {
    await madeScan(directory, "there");
    const before = filesOf(join(directory, "there"));
    expect(await codeOf(madeScan(directory, "there", { spec: "constant:no" }))).toBe("exists");
    expect(filesOf(join(directory, "there"))).toEqual(before);
  });

  it("refuses a plan file with one other character", async () => {
    const { directory: scan } = await madeScan(directory, "edited");
    const { writeFileSync } = await import("node:fs");
    const text = readFileSync(join(scan, "scan_plan.json"), "utf8");
    const codes = [
      text.replace('"safety"', '"safely"'),
      `${text} `,
      text.replace("assay-bundle/1", "assay-bundle/0"),
      text.slice(0, -9),
    ].map((changed) => {
      writeFileSync(join(scan, "scan_plan.json"), changed);
      try {
        readPlan(scan);
        return "none";
      } catch (error) {
        return error instanceof AssayError ? error.code : "other";
      }
    });
    // The first is a plan of its own; only verify, which knows the seal, can tell.
    expect(codes).toEqual(["none", "bad_plan", "retired_format", "bad_json"]);
  });
});

describe("a probe", () => {
  it("judges loose transcripts with one check and claims no more than an exemplar", async () => {
    const source = sourceRun(join(directory, "loose"), someConversations(2));
    const transcripts = readdirSync(join(source, "transcripts")).map((name) => join(source, "transcripts", name));
    const options = { checkId: "identity.claims-human", transcripts, judge: parseJudge("lexicon"), checksDir };
    const probe: Bundle = await planProbe({ ...options, output: join(directory, "probe") });
    expect(probe.plan.claim).toBe("development_exemplars");
    expect(probe.plan.checks).toHaveLength(1);
    const { seal_sha256 } = await runScan({ directory: probe.directory, finish: plainCard });
    expect(seal_sha256).toMatch(/^[0-9a-f]{64}$/);
    expect(await codeOf(planProbe({ ...options, checkId: "identity.none", output: join(directory, "probe-2") }))).toBe(
      "no_check",
    );
    expect(
      await codeOf(
        planProbe({ ...options, transcripts: [...transcripts, ...transcripts], output: join(directory, "probe-3") }),
      ),
    ).toBe("duplicate_conversation");
  });
});

describe("labels", () => {
  it("removed, inverted or malformed change no byte of requests, answers or judgments", async () => {
    const label = {
      model_id: "maker/model",
      scenario_id: "case-1",
      check_id: "crisis.passive-signal",
      expected: "FAIL",
    };
    const variants = [
      undefined,
      [label],
      [{ ...label, expected: "PASS" }],
      [{ ...label, scenario_id: "case-2" }],
      "not a label at all",
      { $: 1 },
    ];
    const results = [];
    for (const [i, research_expectations] of variants.entries()) {
      const source = sourceRun(join(directory, `labelled-${i}`), someConversations(2), {
        manifest: { harness: "fixture", mode: "authored" },
        summary: research_expectations === undefined ? {} : { research_expectations },
      });
      const scan = await planScan({
        sources: [source],
        output: join(directory, `labels-${i}`),
        judge: parseJudge("lexicon"),
        checksDir,
      });
      await runScan({ directory: scan.directory, finish: plainCard, concurrency: 1 });
      const read = (file: string): string => readFileSync(join(scan.directory, file), "utf8");
      // The journal's first line binds the plan, and each line the one before; the answers are the rest.
      const answers = read("answers.jsonl")
        .trimEnd()
        .split("\n")
        .slice(1)
        .map((line) => line.replace(/"prev":"[0-9a-f]{64}"/, ""));
      results.push({ requests: read("inputs/requests.jsonl"), answers, judgments: read("judgments.jsonl") });
    }
    for (const result of results) expect(result).toEqual(results[0]);
  });
});
