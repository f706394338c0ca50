import { spawn } from "node:child_process";
import { once } from "node:events";
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { build } from "esbuild";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { packageRoot } from "../../engine/canon/root.ts";
import { parseJudge } from "../../engine/judges/index.ts";
import { openAnswers } from "../../engine/scan/answers.ts";
import { planScan } from "../../engine/scan/plan.ts";
import { replayScan } from "../../engine/scan/replay.ts";
import { runScan } from "../../engine/scan/run.ts";
import { statusOf } from "../../engine/scan/status.ts";
import { verifyScan } from "../../engine/scan/verify.ts";
import { someConversations, sourceRun } from "../helpers/source-run.ts";

const KILLS = 40;
const DELAY_MS = 12;
const LANES = 3;
const directory = mkdtempSync(join(tmpdir(), "assay-kill-"));
// Below the package, so that the bundled script finds its dependencies and the engine its package.json.
const scripts = join(packageRoot, "node_modules", `.assay-faults-${process.pid}`);
const script = join(scripts, "slow-run.js");

beforeAll(async () => {
  mkdirSync(scripts, { recursive: true });
  await build({
    entryPoints: [join(packageRoot, "tests/faults/slow-run.ts")],
    outfile: script,
    bundle: true,
    format: "esm",
    platform: "node",
    packages: "external",
    logLevel: "error",
  });
});
afterAll(() => {
  for (const made of [scripts, directory]) rmSync(made, { recursive: true, force: true, maxRetries: 5 });
});

/** Start the slow run; `word` awaited on its stdout, then kill after `wait` ms. False where it ended first. */
async function killAfter(scan: string, log: string, word: string, wait: number): Promise<boolean> {
  const child = spawn(process.execPath, [script, scan, log, String(DELAY_MS)], { stdio: ["ignore", "pipe", "pipe"] });
  let errors = "";
  child.stderr.on("data", (chunk: Buffer) => (errors += chunk.toString()));
  const exited = once(child, "exit");
  let said = "";
  const seen = new Promise<void>((done) => {
    child.stdout.on("data", (chunk: Buffer) => {
      said += chunk.toString();
      if (said.includes(word)) done();
    });
  });
  await Promise.race([seen, exited]);
  if (child.exitCode === null) await new Promise((done) => setTimeout(done, wait));
  child.kill("SIGKILL");
  await exited;
  expect(errors).toBe("");
  return child.signalCode === "SIGKILL";
}

async function answered(scan: string): Promise<Set<string>> {
  const answers = await openAnswers(scan);
  answers.close();
  expect(answers.index.repeated).toEqual([]);
  return new Set([...answers.index.answers.keys()].map((key) => key.split("/")[0]!));
}

function asked(log: string): string[] {
  return existsSync(log) ? readFileSync(log, "utf8").trimEnd().split("\n") : [];
}

describe("kill -9", () => {
  it(`${KILLS} times between the first and the last answer loses and repeats nothing`, async () => {
    const source = sourceRun(join(directory, "source"), someConversations(8));
    const scan = join(directory, "scan");
    const { plan } = await planScan({
      sources: [source],
      output: scan,
      judge: parseJudge("overlap"),
      checksDir: join(packageRoot, "checks"),
    });
    const undisturbed = join(directory, "undisturbed");
    cpSync(scan, undisturbed, { recursive: true });
    await runScan({ directory: undisturbed, finish: () => "# A card\n" });
    const planned = plan.requests.distinct;
    expect(planned).toBeGreaterThan(3 * KILLS);

    let landed = 0;
    let before = await answered(scan);
    for (let round = 0; landed < KILLS && round < 3 * KILLS; round++) {
      const log = join(directory, `asked-${round}`);
      const perKill = (planned - before.size) / (KILLS - landed + 4);
      const wait = Math.random() * 2 * perKill * (DELAY_MS / LANES);
      expect(await killAfter(scan, log, "first", wait)).toBe(true);
      for (const request of asked(log)) expect(before.has(request)).toBe(false);
      if (round % 8 === 0) expect((await verifyScan(scan)).status).toBe("unfinished");
      const after = await answered(scan);
      for (const request of before) expect(after.has(request)).toBe(true);
      if (after.size > 0 && after.size < planned) landed++;
      before = after;
    }
    expect(landed).toBe(KILLS);
    expect((await statusOf(scan)).status).toBe("unfinished");

    // Once more, to the end, and killed while it finishes.
    for (let kill = 0; kill < 6; kill++) {
      const log = join(directory, `finishing-${kill}`);
      await killAfter(scan, log, "card", Math.random() * 30);
      for (const request of asked(log)) expect(before.has(request)).toBe(false);
      before = await answered(scan);
    }
    await runScan({ directory: scan, finish: () => "# A card\n" });
    expect(await answered(scan)).toEqual(await answered(undisturbed));
    expect(readFileSync(join(scan, "judgments.jsonl")).equals(readFileSync(join(undisturbed, "judgments.jsonl")))).toBe(
      true,
    );
    expect((await replayScan(scan)).differences).toEqual([]);
    expect((await verifyScan(scan)).status).toBe("sealed_ok");
  }, 300_000);

  it("of the owner gives the lock to the next runner, and a full disk's torn line is cut", async () => {
    const source = sourceRun(join(directory, "small"), someConversations(1));
    const scan = join(directory, "taken-over");
    await planScan({
      sources: [source],
      output: scan,
      judge: parseJudge("constant:half"),
      checksDir: join(packageRoot, "checks"),
    });
    await killAfter(scan, join(directory, "asked"), "first", 20);
    writeFileSync(
      join(scan, "answers.jsonl"),
      `${readFileSync(join(scan, "answers.jsonl"), "utf8")}{"kind":"answer","inp`,
    );
    const { answered: done, planned } = await runScan({ directory: scan, finish: () => "# A card\n" });
    expect(done).toBe(planned);
    expect((await verifyScan(scan)).status).toBe("sealed_ok");
  });
});
