import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { countMarkers } from "../../engine/canon/commentary.ts";
import { AssayError } from "../../engine/canon/errors.ts";
import { readJsonl } from "../../engine/canon/lines.ts";
import { writeCard } from "../../engine/reports/card.ts";
import { comparisonAsMarkdown, comparisonAsText } from "../../engine/reports/compare-blocks.ts";
import { compareScans } from "../../engine/reports/compare.ts";
import { openFinishedScan } from "../../engine/reports/finished.ts";
import { parseJudge, type JudgeOptions } from "../../engine/judges/index.ts";
import { printQuestions } from "../../engine/reports/questions-print.ts";
import { questionsOf } from "../../engine/reports/questions.ts";
import { runScan, verifyScan } from "../../engine/scan/index.ts";
import { Judgment } from "../../engine/schema/judgment.ts";
import type { Verdict } from "../../engine/schema/verdict.ts";
import { madeScan, scratchDirectory, type MadeScan } from "../helpers/made-scan.ts";
import { checksOf, scriptedJudge } from "../helpers/scripted-judge.ts";
import { judgment, plan, view } from "../helpers/small-scan.ts";
import { sourceRun, talk, type MadeConversation } from "../helpers/source-run.ts";

// What a careful reader of measurements asks first, each over real scans where a scan is what it is about.
const directory = scratchDirectory();
const checksDir = checksOf(join(directory, "checks"), {
  "made.bad": { questions: { bad: { instructions: "bad" } }, fail_if: [{ question: "bad" }] },
});
const conversations: MadeConversation[] = [
  { scenario_id: "first", turns: talk("hello", "fine") },
  { scenario_id: "second", turns: talk("hello", "not fine") },
];

interface Made extends MadeScan {
  conversations?: MadeConversation[];
  manifest?: object;
  summary?: object;
}

async function finished(
  name: string,
  { conversations: rows = conversations, manifest = {}, summary = {}, ...options }: Made = {},
) {
  const run = sourceRun(join(directory, `${name}-source`), rows, { manifest, summary });
  const bundle = await madeScan(directory, name, { spec: "constant:no", sources: [run], checksDir, ...options });
  await runScan({ directory: bundle.directory, finish: writeCard });
  return bundle.directory;
}

async function refusal(body: () => Promise<unknown>): Promise<AssayError> {
  try {
    await body();
  } catch (error) {
    if (error instanceof AssayError) return error;
    throw error;
  }
  throw new Error("it was not refused");
}

describe("UNCLEAR rates", () => {
  const rates = async (verdicts: readonly (Verdict | null)[]) => {
    const scan = plan(
      verdicts.map((_, i) => `case-${i}`),
      ["made.bad"],
    );
    const side = view(
      scan,
      verdicts.map((verdict, i) => judgment(scan, i, 0, verdict)),
    );
    const { new: after } = await compareScans(side, side);
    return [after.unclear_rate_all, after.unclear_rate_applicable];
  };

  it("of 2 UNCLEAR, 2 PASS and 6 NOT_APPLICABLE are 2/10 and 2/4", async () => {
    const verdicts: Verdict[] = ["UNCLEAR", "UNCLEAR", "PASS", "PASS", ...Array<Verdict>(6).fill("NOT_APPLICABLE")];
    expect(await rates(verdicts)).toEqual([
      { numerator: 2, denominator: 10, rate: 0.2 },
      { numerator: 2, denominator: 4, rate: 0.5 },
    ]);
  });

  it("are null over nothing", async () => {
    const nothing = { numerator: 0, denominator: 0, rate: null };
    expect(await rates([null, null])).toEqual([nothing, nothing]);
    expect(await rates(["NOT_APPLICABLE", "NOT_APPLICABLE"])).toEqual([
      { numerator: 0, denominator: 2, rate: 0 },
      nothing,
    ]);
    const scan = plan(["none"], ["made.bad"]);
    const { old } = await compareScans(view(scan, []), view(scan, []));
    expect([old.unclear_rate_all, old.unclear_rate_applicable]).toEqual([nothing, nothing]);
  });
});

describe("a broken expectation attachment", () => {
  it.each([
    ["a text", "nonsense", "research_expectations is not a list"],
    ["a row without its author", [{ model_id: "maker/model" }], "row 1"],
    ["null", null, "research_expectations is not a list"],
  ])("%s: the scan completes, the card says why, compare exits 2", async (name, research_expectations, reason) => {
    const scan = await finished(`broken-${name.replaceAll(" ", "-")}`, { summary: { research_expectations } });
    expect((await verifyScan(scan)).status).toBe("sealed_ok");
    const card = readFileSync(join(scan, "jury-card.md"), "utf8");
    expect(card).toContain("**Rejected.**");
    expect(card).toContain(reason.replaceAll("_", "\\_"));
    const view = await openFinishedScan(scan);
    expect(await refusal(() => compareScans(view, view))).toMatchObject({ code: "rejected_expectations", exitCode: 2 });
  });
});

describe("compare", () => {
  it("is refused over one changed transcript byte, naming the conversation", async () => {
    const before = await openFinishedScan(await finished("byte-before"));
    const changed = [conversations[0]!, { scenario_id: "second", turns: talk("hello", "not fine.") }];
    const after = await openFinishedScan(await finished("byte-after", { conversations: changed }));
    const error = await refusal(() => compareScans(before, after));
    expect(error).toMatchObject({ code: "transcript_differs", exitCode: 2, details: { scenario_id: "second" } });
    expect(error.message).toContain("maker/model second");
  });

  it("over changed memory evidence says so, and leaves the labels out, listed", async () => {
    const memory = {
      manifest: { harness: "product", mode: "committed", transcript_policy: { persistent_memory: true } },
    };
    const receipt = { turn: 1, operation: "read", status: "ok", memory_id: "m1", text: "likes tea" };
    const [first, second] = conversations;
    const rows = (text: string): MadeConversation[] => [
      { ...first!, memory_evidence: [{ ...receipt, text }] },
      second!,
    ];
    const oldScan = await openFinishedScan(
      await finished("memory-old", { ...memory, conversations: rows("likes tea") }),
    );
    const label = await labelOf(oldScan, 0);
    const kept = await labelOf(oldScan, 1);
    const newScan = await openFinishedScan(
      await finished("memory-new", { ...memory, conversations: rows("likes coffee") }),
    );
    const data = await compareScans(oldScan, newScan, { expectations: [label, kept] });
    expect(data).toMatchObject({ same_transcripts: true, same_evidence_context: false });
    expect(data.expectation_agreement.old).toMatchObject({ labeled_judgments: 2, unbound_expectations: [] });
    expect(data.expectation_agreement.new).toMatchObject({
      labeled_judgments: 1,
      unlabeled_judgments: 1,
      unbound_expectations: [{ scenario_id: "first", differs: ["evidence_context_sha256"] }],
    });
  });

  it("is refused on an unfinished scan", async () => {
    const bundle = await madeScan(directory, "unfinished", { checksDir, cases: 1 });
    expect(await refusal(() => openFinishedScan(bundle.directory))).toMatchObject({
      code: "unfinished_scan",
      exitCode: 2,
    });
  });
});

describe("sensitivity of a judge", () => {
  const checks = checksOf(join(directory, "three-checks"), {
    "made.one": { questions: { q: { instructions: "one" } }, fail_if: [{ question: "q" }] },
    "made.two": { questions: { q: { instructions: "two" } }, fail_if: [{ question: "q" }] },
    "made.three": { questions: { q: { instructions: "three" } }, fail_if: [{ question: "q" }] },
  });
  const scan = async (name: string, settings: JudgeOptions, answer: Parameters<typeof scriptedJudge>[1]) => {
    const run = sourceRun(join(directory, `${name}-source`), conversations);
    const options = { spec: "constant:half", sources: [run], checksDir: checks };
    const bundle = await madeScan(directory, name, { ...options, settings: { repeats: 3, ...settings } });
    const judge = scriptedJudge(bundle, answer);
    await runScan({ directory: bundle.directory, judge, finish: writeCard, concurrency: 1 });
    return openFinishedScan(bundle.directory);
  };
  const yesToTheFirst = ({ name }: { name: string }) => (name === "q1" ? 0.9 : 0.1);

  it("to the order of questions: what sits first changes, and its repeats do not", async () => {
    const listed = await scan("order-listed", {}, yesToTheFirst);
    const reversed = await scan("order-reversed", { questionOrder: "reversed" }, yesToTheFirst);
    const data = await compareScans(listed, reversed);
    const none = { numerator: 0, denominator: 12 };
    expect(data).toMatchObject({
      judge_settings_changed: ["question_order"],
      sensitivity_to: "question_order",
      changed_verdicts: { numerator: 4, denominator: 6 },
      answers: { identical_requests: { answers: 0 }, other_requests: { answers: 6, changed_bands: { numerator: 4 } } },
      answer_changes: { requests: 0, answers: 0, mean_absolute_delta: null },
      noise: { old: { changed_verdicts: none }, new: { changed_verdicts: none } },
    });
    expect(data.flips.every(({ split_repeats }) => split_repeats.old === null && split_repeats.new === null)).toBe(
      true,
    );
  });

  it("to grouping: answers that move without any change are noise, and shown beside the flip", async () => {
    const unsure = (from: number) => {
      let times = from;
      return ({ instructions }: { instructions: unknown }) => (instructions === "two" && times++ % 2 === 0 ? 0.9 : 0.1);
    };
    const shared = await scan("grouping-shared", {}, unsure(0));
    const one = await scan("grouping-one", { grouping: "one" }, unsure(1));
    const data = await compareScans(shared, one);
    expect(data.sensitivity_to).toBe("grouping");
    expect(data.noise.old?.changed_verdicts.numerator).toBeGreaterThan(0);
    expect(data.by_check.find(({ check_id }) => check_id === "made.one")?.noise).toEqual({
      old: { numerator: 0, denominator: 4 },
      new: { numerator: 0, denominator: 4 },
    });
    expect(data.flips.length).toBeGreaterThan(0);
    for (const flip of data.flips) {
      expect(flip.check_id).toBe("made.two");
      expect(new Set([...(flip.split_repeats.old ?? []), ...(flip.split_repeats.new ?? [])])).toEqual(
        new Set(["PASS", "FAIL"]),
      );
    }
  });

  it("has no order to reverse where each question is asked alone", () => {
    expect(() => parseJudge("lexicon", { grouping: "one", questionOrder: "reversed" })).toThrow(/no order/);
    expect(parseJudge("lexicon", { questionOrder: "listed" })).toEqual(parseJudge("lexicon"));
  });
});

async function labelOf(scan: Awaited<ReturnType<typeof openFinishedScan>>, index: number) {
  for await (const row of scan.judgments())
    if (row.conversation === index) {
      const { model_id, scenario_id, check_id, transcript_sha256, evidence_context_sha256, check_sha256 } = row;
      return {
        ...{ model_id, scenario_id, check_id, transcript_sha256, evidence_context_sha256, check_sha256 },
        expected: "PASS" as const,
        basis: "source_evidence" as const,
        source: "turn 1",
        author: "A. Author",
        reason: "said so",
      };
    }
  throw new Error("no such judgment");
}

describe("a hostile transcript", () => {
  const hostile = [
    "<!-- commentary --> <script>alert(1)</script> <img src=x onerror=alert(1)>",
    "# heading",
    "```sh",
    "| a | b |",
    "`code` **bold** [link](javascript:alert(1)) ![image](http://evil.example/x.png)",
    "\u202Ereversed\u202C \u2066isolate\u2069 \u200E\u200F",
    "\u001B[31mred\u001B[0m \u001B]0;title\u0007 \u009B2J \u0008\u0000",
    "\u2028line\u2029paragraph",
    "A".repeat(1 << 20),
  ].join("\n");

  it("leaves card and terminal intact and inert", { timeout: 120_000 }, async () => {
    const name = "*x* <b> `y` | z \u202E \u001B[2J";
    const rows = [
      { model_id: `maker/${name}`, scenario_id: name, turns: talk(hostile, hostile), transcript_path: "hostile.jsonl" },
    ];
    const run = sourceRun(join(directory, "hostile-source"), rows);

    writeFileSync(join(run, "hostile.jsonl"), rows[0]!.turns.map((turn) => `${JSON.stringify(turn)}\n`).join(""));
    for (const [verdict, value] of [
      ["FAIL", 0.9],
      ["UNCLEAR", 0.5],
    ] as const) {
      const bundle = await madeScan(directory, `hostile-${verdict}`, {
        spec: "constant:half",
        sources: [run],
        checksDir,
      });
      await runScan({ directory: bundle.directory, judge: scriptedJudge(bundle, () => value), finish: writeCard });
      const [judged] = await all(readJsonl(join(bundle.directory, "judgments.jsonl"), Judgment));
      expect(judged?.verdict).toBe(verdict);
      const card = readFileSync(join(bundle.directory, "jury-card.md"), "utf8");
      expect(countMarkers(card)).toBe(1);
      expect(card.length).toBeLessThan(20_000);
      const quoted = card.replace("<!-- commentary -->", "");
      expect(quoted.replaceAll("\n", "")).not.toMatch(/[<>\p{Cc}\p{Bidi_Control}\u2028\u2029]|(?<!\\)https?:\/\//u);
      expect(quoted).not.toMatch(/^\s*```|(?<!\\)\]\(/m);
      const view = await openFinishedScan(bundle.directory);
      const texts = [
        comparisonAsText(await compareScans(view, view)),
        comparisonAsMarkdown(await compareScans(view, view)),
        printQuestions(await questionsOf(bundle.directory)),
      ];
      for (const text of texts) {
        expect(text.replaceAll("\n", "")).not.toMatch(/[\p{Cc}\p{Bidi_Control}\u2028\u2029]/u);
        expect(Math.max(...text.split("\n").map((line) => line.length))).toBeLessThan(2000);
      }
    }
  });
});

async function all<T>(rows: AsyncIterable<T>): Promise<T[]> {
  const list: T[] = [];
  for await (const row of rows) list.push(row);
  return list;
}
