import { spawnSync } from "node:child_process";
import { mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect } from "vitest";
import { z } from "zod";
import { packageRoot } from "../../engine/canon/root.ts";

export const command = join(packageRoot, "build/bench.js");

export interface Ran {
  code: number | null;
  stdout: string;
  stderr: string;
  ms: number;
}

/** Run the built command with a minimal environment. */
export function bench(
  args: readonly string[],
  { cwd = packageRoot, env = {} }: { cwd?: string; env?: NodeJS.ProcessEnv } = {},
): Ran {
  const start = performance.now();
  const { status, stdout, stderr } = spawnSync(process.execPath, [command, ...args], {
    cwd,
    env: { PATH: process.env["PATH"], HOME: process.env["HOME"], ...env },
    encoding: "utf8",
    maxBuffer: 1 << 28,
  });
  return { code: status, stdout, stderr, ms: performance.now() - start };
}

const Envelope = z.union([
  z.strictObject({ status: z.literal("ok"), command: z.string(), data: z.unknown() }),
  z.strictObject({
    status: z.literal("error"),
    command: z.string(),
    error: z.looseObject({ code: z.string(), message: z.string() }),
  }),
]);
export type Envelope = z.infer<typeof Envelope>;

/** The one JSON object on stdout, and nothing else there. */
export function envelope(ran: Ran): Envelope {
  expect(ran.stdout.endsWith("\n")).toBe(true);
  expect(ran.stdout.trimEnd().split("\n")).toHaveLength(1);
  return Envelope.parse(JSON.parse(ran.stdout));
}

/** Exit 2, nothing on stdout, one line on stderr without a stack; returns that line. */
export function refusal(ran: Ran): string {
  expect(ran.stdout).toBe("");
  const lines = ran.stderr.split("\n").filter((line) => line !== "");
  expect(lines, ran.stderr).toHaveLength(1);
  expect(lines[0]).toMatch(/^bench/);
  expect(lines[0]).not.toMatch(/internal error|\n\s+at /);
  expect(ran.code).toBe(2);
  return lines[0] ?? "";
}

/** A directory of one test file's own, removed when it is done. */
export function scratch(): string {
  const directory = realpathSync(mkdtempSync(join(tmpdir(), "assay-cli-")));
  afterAll(() => rmSync(directory, { recursive: true, force: true }));
  return directory;
}
