// What judging costs beside the provider's own time: `npm run overhead`. Prints measured numbers against the limits
// this project sets itself, and, where it can be fetched, promptfoo's on the same server. Exit 1 where a limit is missed.
import { spawn, spawnSync, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { packageRoot } from "../../engine/canon/root.ts";
import { parseJudge } from "../../engine/judges/index.ts";
import { highestCeiling } from "../../engine/scan/ceiling.ts";
import { planScan } from "../../engine/scan/plan.ts";
import { someConversations, sourceRun } from "../helpers/source-run.ts";

const REQUESTS = 5000;
const CONCURRENCY = 16;
const LIMIT_MS = 2;
const LIMIT_MB = 200;
const LATENCY_MS = 50;
const LIMIT_SHARE = 0.9;
const PROMPTFOO = "promptfoo@0.121.20";

const work = mkdtempSync(join(tmpdir(), "assay-overhead-"));
const say = (text: string): unknown => process.stdout.write(`${text}\n`);

async function withServer<T>(latencyMs: number, use: (port: number) => Promise<T>): Promise<T> {
  const args = ["--import", "tsx", join(packageRoot, "tests/bench/server.ts"), String(latencyMs)];
  const child = spawn(process.execPath, args, { cwd: packageRoot, stdio: ["ignore", "pipe", "inherit"] });
  try {
    const [line] = (await once(child.stdout, "data")) as [Buffer];
    return await use(Number(line.toString()));
  } finally {
    child.kill();
  }
}

interface Took {
  code: number | null;
  ms: number;
  mb: number;
  output: string;
}

/** Wall time from the start of the process to its end, and the most memory it held (one process, not its children). */
async function measure(program: string, args: readonly string[], env: NodeJS.ProcessEnv = process.env): Promise<Took> {
  const start = performance.now();
  const child = spawn(program, args, { cwd: work, env, stdio: ["ignore", "pipe", "pipe"] });
  let output = "";
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (chunk: Buffer) => (output += chunk.toString()));
  let mb = 0;
  const poll = setInterval(() => (mb = Math.max(mb, peakOf(child))), 20);
  await once(child, "close");
  clearInterval(poll);
  return { code: child.exitCode, ms: performance.now() - start, mb, output };
}

function peakOf({ pid }: ChildProcess): number {
  try {
    const [, kb] = /VmHWM:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, "latin1")) ?? [];
    return Number(kb ?? 0) / 1024;
  } catch {
    return 0;
  }
}

async function assay(name: string, port: number): Promise<Took & { requests: number }> {
  const source = sourceRun(join(work, `${name}-source`), someConversations(60));
  const judge = parseJudge("decisions:made", {
    baseUrl: `http://127.0.0.1:${port}/v1`,
    priceInput: 0.1,
    priceOutput: 0,
    grouping: "one",
  });
  const output = join(work, name);
  const conversations = await fewest(source, judge);
  const { plan } = await planScan({
    sources: [source],
    output,
    judge,
    checksDir: join(packageRoot, "checks"),
    limit: conversations,
  });
  const args = [
    "scan",
    "run",
    "--plan",
    output,
    "--max-cost-usd",
    String(highestCeiling(plan)),
    "--concurrency",
    String(CONCURRENCY),
  ];
  const took = await measure(process.execPath, [join(packageRoot, "build/bench.js"), ...args]);
  if (took.code !== 0) throw new Error(took.output);
  return { ...took, requests: plan.requests.distinct };
}

/** How many conversations give at least REQUESTS requests. */
async function fewest(source: string, judge: ReturnType<typeof parseJudge>): Promise<number> {
  const probe = join(work, `probe-${Math.random()}`);
  const { plan } = await planScan({
    sources: [source],
    output: probe,
    judge,
    checksDir: join(packageRoot, "checks"),
    limit: 10,
  });
  rmSync(probe, { recursive: true });
  return Math.ceil((10 * REQUESTS) / plan.requests.distinct);
}

async function promptfoo(port: number): Promise<(Took & { requests: number }) | string> {
  const prefix = join(work, "promptfoo");
  say(`fetching ${PROMPTFOO} into a temporary directory ...`);
  const fetched = spawnSync("npm", ["install", "--prefix", prefix, "--no-audit", "--no-fund", "--no-save", PROMPTFOO], {
    encoding: "utf8",
    timeout: 900_000,
    env: { ...process.env, npm_config_cache: join(work, "npm-cache") },
  });
  if (fetched.status !== 0)
    return (fetched.error?.message ?? fetched.stderr.trim().split("\n").slice(-3).join(" ")) || "npm failed";
  const tests = Array.from({ length: REQUESTS }, (_, i) => ({ vars: { text: `Message ${i}: is this a reply?` } }));
  const config = {
    prompts: ["{{text}}"],
    providers: [
      {
        id: "openai:chat:made",
        config: { apiBaseUrl: `http://127.0.0.1:${port}/v1`, apiKey: "none", temperature: 0, max_tokens: 5 },
      },
    ],
    defaultTest: { assert: [{ type: "equals", value: "yes" }] },
    tests,
  };
  const file = join(work, "promptfooconfig.json");
  writeFileSync(file, JSON.stringify(config));
  const env = {
    ...process.env,
    HOME: work,
    PROMPTFOO_CONFIG_DIR: join(work, "promptfoo-home"),
    PROMPTFOO_DISABLE_TELEMETRY: "1",
    PROMPTFOO_DISABLE_UPDATE: "1",
  };
  const args = [
    "eval",
    "-c",
    file,
    "-j",
    String(CONCURRENCY),
    "--no-cache",
    "--no-progress-bar",
    "--no-table",
    "-o",
    join(work, "promptfoo.json"),
  ];
  const took = await measure(process.execPath, [join(prefix, "node_modules/promptfoo/dist/src/main.js"), ...args], env);
  if (took.code !== 0) return `it exited with ${took.code}: ${took.output.trim().split("\n").slice(-3).join(" ")}`;
  return { ...took, requests: REQUESTS };
}

function line(who: string, { ms, mb, requests }: Took & { requests: number }): void {
  say(
    `${who}: ${requests} requests in ${(ms / 1000).toFixed(2)} s, ${(ms / requests).toFixed(2)} ms a request, ${mb.toFixed(0)} MB`,
  );
}

let missed = 0;
function limit(what: string, measured: number, holds: boolean, unit: string): void {
  if (!holds) missed++;
  say(`${holds ? "holds " : "MISSED"} ${what}: ${measured.toFixed(2)} ${unit}`);
}

try {
  spawnSync(process.execPath, [join(packageRoot, "engine/build.mjs")], { stdio: "inherit" });
  say(`concurrency ${CONCURRENCY}, answers synced to the disk, start-up, judgments, card and seal included`);
  const fast = await withServer(0, (port) => assay("fast", port));
  line("assay, 0 ms server", fast);
  limit(`at most ${LIMIT_MS} ms a request`, fast.ms / fast.requests, fast.ms / fast.requests <= LIMIT_MS, "ms");
  limit(`under ${LIMIT_MB} MB`, fast.mb, fast.mb < LIMIT_MB, "MB");
  const slow = await withServer(LATENCY_MS, (port) => assay("slow", port));
  line(`assay, ${LATENCY_MS} ms server`, slow);
  const share = (slow.requests * LATENCY_MS) / CONCURRENCY / slow.ms;
  limit(`at least ${LIMIT_SHARE * 100} % of the ideal throughput`, share * 100, share >= LIMIT_SHARE, "%");
  if (process.argv.includes("--alone")) say("promptfoo: skipped, --alone was given");
  else {
    const other = await withServer(0, promptfoo);
    if (typeof other === "string") say(`promptfoo: skipped, ${other}`);
    else {
      line(`${PROMPTFOO}, 0 ms server`, other);
      const ratio = other.ms / other.requests / (fast.ms / fast.requests);
      say(`ratio: ${ratio.toFixed(1)} x the time a request, ${(other.mb / fast.mb).toFixed(1)} x the memory`);
    }
  }
} finally {
  rmSync(work, { recursive: true, force: true, maxRetries: 5 });
}
process.exitCode = missed === 0 ? 0 : 1;
