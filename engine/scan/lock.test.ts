import { spawn } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { once } from "node:events";
import { hostname } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { AssayError } from "../canon/errors.ts";
import { scratchDirectory } from "../../tests/helpers/made-scan.ts";
import { isLockFile, lockScan, runnerOf } from "./lock.ts";

const scratch = scratchDirectory();
const scan = (): string => mkdtempSync(join(scratch, "scan-"));

function startOf(pid: number): string {
  const stat = readFileSync(`/proc/${pid}/stat`, "latin1");
  return stat.slice(stat.lastIndexOf(")") + 2).split(" ")[19]!;
}

function lockOf(directory: string, pid: number, start: string, host = hostname()): void {
  writeFileSync(join(directory, `.run-${pid}-${start}.lock`), JSON.stringify({ pid, start, host }));
}

function refused(directory: string): AssayError {
  try {
    lockScan(directory)();
  } catch (error) {
    if (error instanceof AssayError) return error;
    throw error;
  }
  throw new Error("the lock was given");
}

describe.skipIf(process.platform !== "linux")("the run lock", () => {
  it("is one runner's, and leaves nothing behind", () => {
    const directory = scan();
    const release = lockScan(directory);
    expect(readdirSync(directory).every(isLockFile)).toBe(true);
    expect(runnerOf(directory)).toBe(process.pid);
    expect(refused(directory)).toMatchObject({ code: "locked", details: { pid: process.pid } });
    release();
    expect(readdirSync(directory)).toEqual([]);
    lockScan(directory)();
  });

  it("is refused while its owner lives and taken over when it is dead", async () => {
    const directory = scan();
    const owner = spawn(process.execPath, ["-e", "setInterval(() => {}, 1000)"], { stdio: "ignore" });
    await once(owner, "spawn");
    const { pid } = owner;
    lockOf(directory, pid!, startOf(pid!));
    expect(refused(directory).details["pid"]).toBe(pid);
    expect(readdirSync(directory)).toHaveLength(1);
    owner.kill("SIGKILL");
    await once(owner, "exit");
    expect(runnerOf(directory)).toBeUndefined();
    const release = lockScan(directory);
    expect(readdirSync(directory)).toHaveLength(1);
    release();
  });

  it("is taken over where the process id is another process's by now", () => {
    const directory = scan();
    lockOf(directory, process.ppid, "1");
    lockScan(directory)();
    expect(readdirSync(directory)).toEqual([]);
  });

  it("is taken over where a crash left it empty", () => {
    const directory = scan();
    writeFileSync(join(directory, ".run-999999999-5.lock"), "");
    lockScan(directory)();
  });

  it("of another machine cannot be judged from here", () => {
    const directory = scan();
    lockOf(directory, 1, "1", "another-host");
    expect(refused(directory).message).toMatch(/another-host.*remove this file/);
  });
});
