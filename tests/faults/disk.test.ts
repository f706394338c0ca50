import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, readFileSync, rmSync, truncateSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { verifyScan } from "../../engine/scan/verify.ts";
import { command } from "../cli/bench.ts";
import { scratchDirectory } from "../helpers/made-scan.ts";
import { someConversations, sourceRun } from "../helpers/source-run.ts";
import { copyOf, journalOf, planFor, runPaid, startProvider } from "../provider/paid-scan.ts";
import type { Provider } from "../provider/server.ts";

const directory = scratchDirectory();
const disk = join(directory, "disk");
const planned = join(directory, "planned");
let provider: Provider;
let canMount = false;

function mount(...options: string[]): void {
  execFileSync("mount", options, { stdio: "ignore" });
}

beforeAll(async () => {
  provider = await startProvider({ latencyMs: 5 });
  await planFor("decisions", provider, sourceRun(join(directory, "source"), someConversations(3)), planned, {
    grouping: "one",
  });
  mkdirSync(disk);
  try {
    mount("-t", "tmpfs", "-o", "size=32m", "tmpfs", disk);
    canMount = true;
  } catch {
    process.stderr.write("no right to mount a file system here: full and read-only disks are not tried\n");
  }
});
afterAll(() => {
  if (canMount) execFileSync("umount", ["-l", disk]);
});

async function run(
  scan: string,
  during?: () => void,
): Promise<{ code: number | null; stdout: string; lines: string[] }> {
  const args = ["scan", "run", "--plan", scan, "--max-cost-usd", "1", "--concurrency", "4"];
  const child = spawn(process.execPath, [command, ...args]);
  let stdout = "";
  let stderr = "";
  child.stdout.on("data", (chunk: Buffer) => (stdout += chunk.toString()));
  child.stderr.on("data", (chunk: Buffer) => (stderr += chunk.toString()));
  const before = provider.received.length;
  const closed = once(child, "close");
  if (during !== undefined) {
    while (provider.received.length < before + 3 && child.exitCode === null)
      await new Promise((done) => setTimeout(done, 2));
    during();
  }
  await closed;
  return { code: child.exitCode, stdout, lines: stderr.split("\n").filter((line) => line !== "") };
}

function oneLine({ code, stdout, lines }: Awaited<ReturnType<typeof run>>): string {
  expect(code).toBe(2);
  expect(stdout).toBe("");
  expect(lines, lines.join("\n")).toHaveLength(1);
  expect(lines[0]).toMatch(/^bench scan run: /);
  expect(lines[0]).not.toMatch(/internal error/);
  return lines[0] ?? "";
}

describe("a disk that fails under a paid run", () => {
  it("full: ends with one line, and goes on when there is room", async ({ skip }) => {
    skip(!canMount, "no right to mount a file system");
    const scan = copyOf(planned, join(disk, "full"));
    const filler = join(disk, "filler");
    const free = Number(
      execFileSync("df", ["--output=avail", "-B1", disk], { encoding: "utf8" }).trim().split("\n")[1],
    );
    execFileSync("dd", ["if=/dev/zero", `of=${filler}`, "bs=4096", `count=${Math.floor(free / 4096) - 3}`], {
      stdio: "ignore",
    });
    expect(oneLine(await run(scan))).toMatch(/answers\.jsonl: could not be written: no space is left/);
    // One byte more is not there either, so nothing but room can help.
    expect(oneLine(await run(scan))).toMatch(/no space is left/);
    rmSync(filler);
    const settled = journalOf(scan).filter(({ kind }) => kind === "answer").length;
    expect(settled).toBeGreaterThan(0);
    const before = provider.received.length;
    const { answered, planned: all } = await runPaid(scan);
    expect(answered).toBe(all);
    expect(provider.received.length - before).toBe(all - settled);
    expect((await verifyScan(scan)).status).toBe("sealed_ok");
    rmSync(scan, { recursive: true });
  }, 60_000);

  it("read-only: ends with one line before anything is sent", async ({ skip }) => {
    skip(!canMount, "no right to mount a file system");
    const scan = copyOf(planned, join(disk, "read-only"));
    const before = provider.received.length;
    mount("-o", "remount,ro", disk);
    try {
      expect(oneLine(await run(scan))).toMatch(/read-only/i);
    } finally {
      mount("-o", "remount,rw", disk);
    }
    expect(provider.received.length).toBe(before);
  }, 60_000);

  it("vanished: ends with one line", async () => {
    const scan = copyOf(planned, join(directory, "vanished"));
    const line = oneLine(await run(scan, () => rmSync(scan, { recursive: true })));
    expect(line).toMatch(/answers\.jsonl: could not be written: does not exist|: does not exist/);
    expect(existsSync(scan)).toBe(false);
    expect(oneLine(await run(scan))).toMatch(/is not a scan/);
  }, 60_000);

  it("a journal cut short under a run stays what it says", async () => {
    const scan = copyOf(planned, join(directory, "cut"));
    await run(scan, () => undefined);
    const journal = join(scan, "answers.jsonl");
    truncateSync(journal, readFileSync(journal).length - 7);
    expect((await verifyScan(scan)).status).toBe("failed");
  }, 60_000);
});
