import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { packageRoot } from "../../engine/canon/root.ts";
import { command } from "../cli/bench.ts";
import { scratchDirectory } from "../helpers/made-scan.ts";
import { someConversations, sourceRun } from "../helpers/source-run.ts";
import { filesWith, journalOf, judgmentsOf, startProvider, WIRES } from "./paid-scan.ts";
import type { Misbehaviour } from "./server.ts";

const CANARIES = { OPENAI_API_KEY: "sk-canary-openai-77aa01", TYPESAFE_API_KEY: "ts-canary-typesafe-77aa02" };
const URL_CANARY = "url-canary-77aa03";
const directory = scratchDirectory();
const source = sourceRun(join(directory, "source"), someConversations(2));
/** All that any command of this file printed. */
const printed: string[] = [];

interface Ran {
  code: number | null;
  stdout: string;
  stderr: string;
}

function start(args: readonly string[]): { child: ChildProcess; ended: Promise<Ran> } {
  const child = spawn(process.execPath, [command, ...args], {
    cwd: packageRoot,
    env: { PATH: process.env["PATH"], HOME: directory, ...CANARIES },
  });
  const ran: Ran = { code: null, stdout: "", stderr: "" };
  child.stdout.on("data", (chunk: Buffer) => (ran.stdout += chunk.toString()));
  child.stderr.on("data", (chunk: Buffer) => (ran.stderr += chunk.toString()));
  const ended = once(child, "close").then(() => {
    printed.push(ran.stdout, ran.stderr);
    return { ...ran, code: child.exitCode };
  });
  return { child, ended };
}

const bench = (...args: string[]): Promise<Ran> => start(args).ended;
const plan = (wire: string, url: string, output: string, ...more: string[]): Promise<Ran> =>
  bench(
    ...["scan", "plan", source, "--output", output, "--judge", `${wire}:pinned-1`, "--base-url", url],
    ...["--price-input", "1", "--price-output", "2", ...more],
  );
const run = (scan: string, ...more: string[]): Promise<Ran> =>
  bench("scan", "run", "--plan", join(scan, "scan_plan.json"), "--max-cost-usd", "1", ...more);

describe("the command line, against a provider", () => {
  it.each(WIRES)(
    "plans, runs, retries, closes on the %s wire, and the key is only ever sent",
    async (wire) => {
      let misbehaviour: Misbehaviour = "echo_key";
      let victim: string | undefined;
      const provider = await startProvider({
        misbehave: (_, input) => {
          victim ??= input;
          return input === victim ? misbehaviour : "none";
        },
      });
      const scan = join(directory, wire);
      const more = ["--grouping", "shared", "--repeats", "1", ...(wire === "chat" ? ["--method", "logprobs"] : [])];
      const planned = await plan(wire, provider.url, scan, ...more, "--check", "identity.claims-human");
      expect(planned.stderr).toBe("");
      expect(planned.stdout).toMatch(/cost: at most 0\.\d+ USD/);
      expect((await bench("scan", "run", "--plan", scan)).stderr).toMatch(/bad_ceiling|needs a ceiling/);

      for (const kind of ["echo_key", "bad_json", "wrong_model", "refusal"] as const) {
        misbehaviour = kind;
        const ran = await run(scan, "--timeout", "20");
        expect(ran.code).toBe(2);
        expect(ran.stdout).toBe("");
        const lines = ran.stderr
          .trimEnd()
          .split("\n")
          .filter((line) => !line.includes("on record"));
        expect(lines).toHaveLength(1);
        expect(lines[0]).toMatch(
          /^bench scan run: .*1 of \d+ requests have no answer \(first: [a-z0-9_]+, .*run again/,
        );
      }
      expect(journalOf(scan).filter(({ kind }) => kind === "error")).toHaveLength(4);
      expect((await bench("scan", "status", scan)).stdout).toMatch(/1 in error/);
      const closed = await bench("scan", "close", scan);
      expect(closed.stderr).toBe("");
      expect(closed.stdout).toMatch(/cost: 0\.\d+ USD \(estimate: at most 0\.\d+\)/);
      expect(judgmentsOf(scan).some(({ verdict }) => verdict === null)).toBe(true);
      expect((await bench("scan", "verify", scan)).code).toBe(0);
      const sent = provider.received.map(({ authorization }) => authorization ?? "");
      expect(sent.every((header) => header.includes("canary"))).toBe(true);
    },
    120_000,
  );

  it("refuses a base URL with credentials, without repeating them", async () => {
    for (const url of [
      `http://user:${URL_CANARY}@127.0.0.1:9/v1`,
      `https://${URL_CANARY}@api.openai.com/v1`,
      `http://127.0.0.1:9/v1?key=${URL_CANARY}`,
      `ht!tp://user:${URL_CANARY}@x`,
    ])
      for (const json of [[], ["--json"]]) {
        const { code, stderr, stdout } = await plan("decisions", url, join(directory, "never"), ...json);
        expect(code).toBe(2);
        expect(stderr + stdout).toMatch(/base URL/);
      }
  });

  it("asks for a key that is not there, and says which", async () => {
    const scan = join(directory, "keyless");
    await plan("systemone", "https://api.example.invalid", scan, "--check", "identity.claims-human");
    const child = spawn(process.execPath, [command, "scan", "run", "--plan", scan, "--max-cost-usd", "1"], {
      cwd: packageRoot,
      env: { PATH: process.env["PATH"] },
    });
    let stderr = "";
    child.stderr.on("data", (chunk: Buffer) => (stderr += chunk.toString()));
    await once(child, "close");
    expect(child.exitCode).toBe(2);
    expect(stderr).toMatch(/needs a key.*TYPESAFE_API_KEY/);
  });

  it("drains on an interrupt, exits 130, and goes on where it stopped", async () => {
    const provider = await startProvider({ latencyMs: 150 });
    const scan = join(directory, "interrupted");
    await plan("decisions", provider.url, scan, "--grouping", "one");
    const { child, ended } = start(["scan", "run", "--plan", scan, "--max-cost-usd", "1", "--concurrency", "4"]);
    while (provider.received.length < 6) await new Promise((done) => setTimeout(done, 5));
    child.kill("SIGINT");
    const { code, stderr, stdout } = await ended;
    expect(code).toBe(130);
    expect(stdout).toBe("");
    expect(stderr).toMatch(/requests in flight are saved first/);
    expect(stderr).toMatch(/stopped; \d+ of \d+ requests are answered and saved; run the same command again/);
    const answers = journalOf(scan).filter(({ kind }) => kind === "answer");
    // Everything that was sent is on the disk: nothing was cut off, nothing new was started.
    expect(answers).toHaveLength(provider.received.length);
    const json = await run(scan, "--json", "--concurrency", "64");
    expect(json.code).toBe(0);
    const result = JSON.parse(json.stdout) as { data: { answered: number; planned: number } };
    expect(result.data.answered).toBe(result.data.planned);
    expect(provider.received).toHaveLength(result.data.planned);
  }, 60_000);

  it("leaves no key and no credential in any file or output", () => {
    for (const canary of [...Object.values(CANARIES), URL_CANARY]) {
      expect(filesWith(directory, canary)).toEqual([]);
      expect(printed.filter((text) => text.includes(canary))).toEqual([]);
    }
    expect(filesWith(directory, "pinned-1").length).toBeGreaterThan(5);
  });
});
