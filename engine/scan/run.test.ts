import { appendFileSync, existsSync, readdirSync, readFileSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, vi } from "vitest";
import { AssayError } from "../canon/errors.ts";
import { madeScan, plainCard, scratchDirectory, wrapped } from "../../tests/helpers/made-scan.ts";
import type { JournalEntry } from "../schema/journal.ts";
import type { Judgment } from "../schema/judgment.ts";
import { openAnswers } from "./answers.ts";
import { readJudgments, type Bundle } from "./bundle.ts";
import { closeScan } from "./close.ts";
import { runScan, type Progress } from "./run.ts";
import { statusOf } from "./status.ts";
import { verifyScan } from "./verify.ts";

const directory = scratchDirectory();
const read = (scan: Bundle, file: string): string => readFileSync(join(scan.directory, file), "utf8");
const journal = (scan: Bundle): JournalEntry[] =>
  read(scan, "answers.jsonl")
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line) as JournalEntry);
const run = (scan: Bundle, more: Partial<Parameters<typeof runScan>[0]> = {}) =>
  runScan({ directory: scan.directory, finish: plainCard, ...more });

async function refused(promise: Promise<unknown>): Promise<AssayError> {
  const error: unknown = await promise.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  if (error instanceof AssayError) return error;
  throw new Error("was accepted, or failed otherwise", { cause: error });
}

async function judgments(scan: Bundle): Promise<Judgment[]> {
  const all = [];
  for await (const judgment of readJudgments(scan.directory)) all.push(judgment);
  return all;
}

describe("a run", () => {
  it("asks every distinct request once a repeat, judges, and seals", async () => {
    const scan = await madeScan(directory, "whole", { settings: { repeats: 2 } });
    const shown: Progress[] = [];
    const result = await run(scan, { progress: (progress) => shown.push(progress) });
    expect(result.asked).toBe(scan.plan.requests.distinct * 2);
    expect(shown.at(-1)).toMatchObject({ done: result.planned, planned: result.planned, errors: 0, spent_usd: 0 });
    expect(await judgments(scan)).toHaveLength(scan.plan.requests.judgments);
    expect(readdirSync(scan.directory).sort()).toEqual([
      "answers.jsonl",
      "inputs",
      "judgments.jsonl",
      "jury-card.md",
      "scan_plan.json",
      "seal.json",
    ]);
    expect(await verifyScan(scan.directory)).toEqual({
      status: "sealed_ok",
      findings: [],
      seal_sha256: result.seal_sha256,
    });
    const again = await run(scan);
    expect(again).toMatchObject({ asked: 0, seal_sha256: result.seal_sha256 });
    expect(await statusOf(scan.directory)).toMatchObject({ status: "sealed", answered: result.planned, errors: 0 });
  });

  it("gives the same judgments at any width", async () => {
    const results = [];
    for (const concurrency of [1, 7, 512]) {
      const scan = await madeScan(directory, `width-${concurrency}`);
      await run(scan, { concurrency });
      results.push(read(scan, "judgments.jsonl"));
    }
    expect(new Set(results).size).toBe(1);
  });

  it.each([-1, NaN, Infinity])("under the ceiling %s writes nothing", async (maxCostUsd) => {
    const scan = await madeScan(directory, `ceiling${maxCostUsd}`);
    const before = readdirSync(scan.directory);
    expect((await refused(run(scan, { maxCostUsd }))).code).toBe("bad_ceiling");
    expect(readdirSync(scan.directory)).toEqual(before);
  });

  it("refuses frozen bytes that changed, before it writes", async () => {
    const scan = await madeScan(directory, "changed");
    appendFileSync(join(scan.directory, scan.plan.conversations[2]!.transcript.path), "\n");
    const before = readdirSync(scan.directory);
    expect((await refused(run(scan))).code).toBe("digest_mismatch");
    expect(readdirSync(scan.directory)).toEqual(before);
  });

  it("saves technical errors, goes on, and retries each failed request once a run", async () => {
    const scan = await madeScan(directory, "errors", { cases: 2 });
    const planned = scan.plan.requests.distinct;
    const broken = wrapped(scan, (call, answer) => {
      if (call % 10 === 3) throw new AssayError("refused", "the judge refused\nwith a newline");
      if (call % 10 === 5) return { ...answer, model: "another" };
      if (call % 10 === 7) return { ...answer, answers: {} };
      return call % 10 === 9 ? { ...answer, input_tokens: NaN } : answer;
    });
    const error = await refused(run(scan, { judge: broken }));
    expect(error).toMatchObject({ code: "technical_errors", exitCode: 2 });
    expect(error.message).not.toContain("\n");
    expect(broken.calls).toBe(planned);
    const failed = journal(scan).filter(({ kind }) => kind === "error");
    expect(new Set(failed.map((entry) => entry.kind === "error" && entry.code))).toEqual(
      new Set(["refused", "wrong_model", "missing_answer", "bad_answer"]),
    );
    expect(existsSync(join(scan.directory, "judgments.jsonl"))).toBe(false);
    expect(await verifyScan(scan.directory)).toMatchObject({ status: "unfinished", findings: [] });

    const sound = wrapped(scan, (_call, answer) => answer);
    await run(scan, { judge: sound });
    expect(sound.calls).toBe(failed.length);
    const second = journal(scan).filter((entry) => entry.kind === "answer" && entry.attempt === 2);
    expect(second).toHaveLength(failed.length);
    const clean = await madeScan(directory, "errors-clean", { cases: 2 });
    await run(clean);
    expect(read(scan, "judgments.jsonl")).toBe(read(clean, "judgments.jsonl"));
    expect((await verifyScan(scan.directory)).status).toBe("sealed_ok");
  });

  it("is closed without what failed: not judged, never UNCLEAR", async () => {
    const scan = await madeScan(directory, "closed", { cases: 2 });
    expect((await refused(closeScan(scan.directory, plainCard))).code).toBe("not_run");
    const broken = wrapped(scan, (call, answer) => {
      if (call === 4) throw new AssayError("refused", "no");
      return answer;
    });
    await refused(run(scan, { judge: broken }));
    const closed = await closeScan(scan.directory, plainCard);
    expect(closed.unanswered).toBe(1);
    const all = await judgments(scan);
    const without = all.filter(({ verdict }) => verdict === null);
    expect(without.length).toBeGreaterThan(0);
    for (const judgment of without) {
      expect(judgment.possible).toEqual([]);
      expect(judgment.observations.some(({ value }) => value === null)).toBe(true);
    }
    for (const { verdict, observations } of all)
      if (verdict !== null) expect(observations.every(({ value }) => value !== null)).toBe(true);
    expect(await verifyScan(scan.directory)).toMatchObject({ status: "sealed_ok" });
    expect((await refused(closeScan(scan.directory, plainCard))).code).toBe("sealed");
    expect(await statusOf(scan.directory)).toMatchObject({ closed: true, errors: 1 });
    expect((await run(scan)).asked).toBe(0);
  });

  it("drains when interrupted and goes on later", async () => {
    const scan = await madeScan(directory, "interrupted");
    const stop = new AbortController();
    const slow = wrapped(scan, async (call, answer) => {
      if (call === 9) stop.abort();
      await new Promise((done) => setTimeout(done, 2));
      return answer;
    });
    const error = await refused(run(scan, { judge: slow, signal: stop.signal, concurrency: 4 }));
    expect(error).toMatchObject({ code: "interrupted", exitCode: 130 });
    const saved = journal(scan).filter(({ kind }) => kind === "answer").length;
    expect(saved).toBe(slow.calls);
    expect(saved).toBeLessThan(scan.plan.requests.distinct);
    const rest = await run(scan);
    expect(rest.asked).toBe(scan.plan.requests.distinct - saved);
  });

  it("is one at a time", async () => {
    const scan = await madeScan(directory, "locked");
    const slow = wrapped(scan, async (_call, answer) => {
      await new Promise((done) => setTimeout(done, 1));
      return answer;
    });
    const first = run(scan, { judge: slow, concurrency: 2 });
    await vi.waitFor(
      async () => {
        expect((await statusOf(scan.directory)).status).toBe("running");
      },
      { timeout: 20_000, interval: 5 },
    );
    expect((await refused(run(scan))).code).toBe("locked");
    await first;
    expect((await verifyScan(scan.directory)).status).toBe("sealed_ok");
  });

  it("finishes the same from wherever finishing broke off", async () => {
    const scan = await madeScan(directory, "finishing");
    const { seal_sha256 } = await run(scan);
    const files = ["judgments.jsonl", "jury-card.md", "seal.json"];
    const sealed = files.map((file) => read(scan, file));
    for (let kept = 0; kept < files.length; kept++) {
      for (const file of files.slice(kept)) rmSync(join(scan.directory, file));
      writeFileSync(join(scan.directory, `.${files[kept]}.4242.tmp`), "half");
      appendFileSync(join(scan.directory, "answers.jsonl"), kept === 1 ? '{"kind":"answer"' : "");
      expect(await run(scan)).toMatchObject({ asked: 0, seal_sha256 });
      expect(files.map((file) => read(scan, file))).toEqual(sealed);
      expect(readdirSync(scan.directory)).toHaveLength(6);
    }
  });

  it("asks again only what a torn end lost", async () => {
    const scan = await madeScan(directory, "torn");
    await run(scan, { concurrency: 1 });
    const sealed = read(scan, "judgments.jsonl");
    for (const file of ["judgments.jsonl", "jury-card.md", "seal.json"]) rmSync(join(scan.directory, file));
    const size = read(scan, "answers.jsonl").length;
    truncateSync(join(scan.directory, "answers.jsonl"), size - 10);
    expect(await run(scan)).toMatchObject({ asked: 1 });
    expect(read(scan, "judgments.jsonl")).toBe(sealed);
    const { index } = await openAnswers(scan.directory);
    expect(index.repeated).toEqual([]);
  });

  it("keeps a card's commentary when the card is written again", async () => {
    const scan = await madeScan(directory, "commentary", { cases: 1 });
    const { seal_sha256 } = await run(scan);
    appendFileSync(join(scan.directory, "jury-card.md"), "What we think of it.\n");
    expect((await verifyScan(scan.directory)).status).toBe("sealed_ok");
    rmSync(join(scan.directory, "seal.json"));
    expect((await run(scan)).seal_sha256).toBe(seal_sha256);
    expect(read(scan, "jury-card.md")).toMatch(/<!-- commentary -->\nWhat we think of it\.\n$/);
  });

  it("refuses a card that transcripts could cut short", async () => {
    const scan = await madeScan(directory, "injected", { cases: 1 });
    const finish = (): string => "quoted:\n<!-- commentary -->\nthe rest\n<!-- commentary -->\n";
    expect((await refused(run(scan, { finish }))).code).toBe("bad_card");
    expect(existsSync(join(scan.directory, "seal.json"))).toBe(false);
  });

  it("judges the last pair alone under final_pair, and says what was not asked", async () => {
    const scan = await madeScan(directory, "final-pair", { settings: { context: "final_pair" } });
    await run(scan);
    const all = await judgments(scan);
    const unasked = all.filter(({ asked }) => asked === 0);
    expect(unasked.length).toBeGreaterThan(0);
    for (const { observations } of all) for (const { turn } of observations) expect(turn).toBe(3);
  });
});
