import { copyFileSync, cpSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { packageRoot } from "../../engine/canon/root.ts";
import { loadChecks } from "../../engine/checks/index.ts";
import { parseJudge } from "../../engine/judges/index.ts";
import { rewriteCard } from "../../engine/reports/card-file.ts";
import { writeCard } from "../../engine/reports/card.ts";
import { compareScans } from "../../engine/reports/compare.ts";
import { openFinishedScan } from "../../engine/reports/finished.ts";
import { planScan, runScan, verifyScan } from "../../engine/scan/index.ts";
import { JournalEntry } from "../../engine/schema/journal.ts";
import { VERDICTS } from "../../engine/schema/verdict.ts";
import { findStudy, renderStudy, studyExpectations, writeSourceRun } from "../../engine/studies/index.ts";

// Labels stay outside inference: the same scan with other labels, end to end over the shipped study.
const root = mkdtempSync(join(tmpdir(), "assay-labels-"));
afterAll(() => rmSync(root, { recursive: true, force: true }));
const checksDir = join(packageRoot, "checks");
const study = findStudy("caregiver-boundaries", packageRoot);
const rendering = renderStudy(study, loadChecks(checksDir));
const labels = studyExpectations(rendering);

const inverted = labels.map((row) => ({ ...row, expected: row.expected === "FAIL" ? "PASS" : "FAIL" }));
const permuted = labels
  .map((row, index) => ({ ...row, expected: VERDICTS[index % VERDICTS.length]!, reason: `reason ${index}` }))
  .reverse();
const attachments: Record<string, unknown> = {
  kept: labels,
  removed: undefined,
  inverted,
  permuted,
  malformed: [{ ...labels[0], author: 7 }, "nonsense"],
};

const scans = Object.fromEntries(Object.keys(attachments).map((name) => [name, join(root, name)]));
beforeAll(async () => {
  for (const [name, attachment] of Object.entries(attachments)) {
    const source = mkdtempSync(join(root, "source-"));
    writeSourceRun(source, rendering);
    const file = join(source, "transcript_run.json");
    const summary = { ...(JSON.parse(readFileSync(file, "utf8")) as object), research_expectations: attachment };
    writeFileSync(file, JSON.stringify(summary));
    await planScan({
      sources: [source],
      output: scans[name]!,
      judge: parseJudge("lexicon", {}),
      checksDir,
      checkIds: study.study.checks,
    });
    await runScan({ directory: scans[name]!, finish: writeCard });
  }
}, 120_000);

function answers(directory: string): unknown[] {
  return readFileSync(join(directory, "answers.jsonl"), "utf8")
    .trimEnd()
    .split("\n")
    .map((line) => JournalEntry.parse(JSON.parse(line)))
    .filter((entry) => entry.kind === "answer")
    .map(({ prev: _, ...entry }) => entry);
}

describe("labels", () => {
  it.each(["removed", "inverted", "permuted", "malformed"])(
    "change nothing of request, answer or judgment when %s",
    (name) => {
      for (const file of ["inputs/requests.jsonl", "judgments.jsonl"])
        expect(readFileSync(join(scans[name]!, file)).equals(readFileSync(join(scans["kept"]!, file))), file).toBe(
          true,
        );
      expect(answers(scans[name]!)).toEqual(answers(scans["kept"]!));
      expect(answers(scans[name]!).length).toBeGreaterThan(100);
    },
  );

  it("show in reports, and only there", async () => {
    const kept = await openFinishedScan(scans["kept"]!);
    const data = await compareScans(kept, kept);
    expect(data.expectation_agreement.new.labeled_judgments).toBe(labels.length);
    const other = await openFinishedScan(scans["inverted"]!);
    const swapped = (await compareScans(other, other)).expectation_agreement.new;
    expect(swapped.mismatches).toBeGreaterThan(data.expectation_agreement.new.mismatches);
    await expect(compareScans(kept, other)).rejects.toMatchObject({ code: "conflicting_expectations" });
  });
});

describe("a malformed attachment", () => {
  it("neither blocks a scan nor passes for agreement", async () => {
    const directory = scans["malformed"]!;
    expect((await verifyScan(directory)).status).toBe("sealed_ok");
    const card = readFileSync(join(directory, "jury-card.md"), "utf8");
    expect(card).toContain("**Rejected.**");
    expect(card).toContain("row 1: author");
    const scan = await openFinishedScan(directory);
    await expect(compareScans(scan, scan)).rejects.toMatchObject({ code: "rejected_expectations" });
    const explicit = await compareScans(scan, scan, { expectations: labels });
    expect(explicit.expectation_agreement.new.labeled_judgments).toBe(labels.length);
  });
});

describe("what is compared", () => {
  const copy = (name: string): string => {
    const directory = join(root, name);
    cpSync(scans["kept"]!, directory, { recursive: true });
    return directory;
  };

  it("is finished", async () => {
    const directory = copy("unsealed");
    rmSync(join(directory, "seal.json"));
    await expect(openFinishedScan(directory)).rejects.toMatchObject({ code: "unfinished_scan" });
    await expect(rewriteCard(directory)).rejects.toMatchObject({ code: "unfinished_scan" });
  });

  it("is verified", async () => {
    const directory = copy("tampered");
    const file = join(directory, "judgments.jsonl");
    writeFileSync(file, readFileSync(file, "utf8").replace('"FAIL"', '"PASS"'));
    await expect(openFinishedScan(directory)).rejects.toMatchObject({
      code: "failed_verification",
      message: expect.stringContaining("judgments.jsonl") as string,
    });
  });
});

describe("rewriting a card", () => {
  it("keeps the commentary and the seal, and repairs what was damaged above it", async () => {
    const directory = join(root, "card");
    cpSync(scans["kept"]!, directory, { recursive: true });
    const file = join(directory, "jury-card.md");
    expect(await rewriteCard(directory)).toMatchObject({ changed: false });
    const fresh = readFileSync(file, "utf8");
    writeFileSync(file, `${fresh}\nA reader's remark.\n`);
    expect((await verifyScan(directory)).status).toBe("sealed_ok");
    expect(await rewriteCard(directory)).toMatchObject({ changed: false });
    expect(readFileSync(file, "utf8")).toContain("A reader's remark.");
    writeFileSync(file, readFileSync(file, "utf8").replace("## Judge", "## Jugde"));
    expect((await verifyScan(directory)).status).toBe("failed");
    expect(await rewriteCard(directory)).toMatchObject({ changed: true });
    expect(readFileSync(file, "utf8")).toBe(`${fresh}\nA reader's remark.\n`);
    rmSync(file);
    await rewriteCard(directory);
    expect(readFileSync(file, "utf8")).toBe(fresh);
    expect(existsSync(file) && (await verifyScan(directory)).status).toBe("sealed_ok");
  });

  it("refuses where other evidence was sealed", async () => {
    const directory = join(root, "other");
    cpSync(scans["kept"]!, directory, { recursive: true });
    copyFileSync(join(scans["inverted"]!, "answers.jsonl"), join(directory, "answers.jsonl"));
    await expect(rewriteCard(directory)).rejects.toMatchObject({ code: "failed_verification" });
  });
});
