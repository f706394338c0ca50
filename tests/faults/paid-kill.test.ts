import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { digestOf } from "../../engine/canon/json.ts";
import { toNano } from "../../engine/canon/money.ts";
import { bodyOf } from "../../engine/judges/wire/bodies.ts";
import { readPlan } from "../../engine/scan/bundle.ts";
import { highestCeiling } from "../../engine/scan/ceiling.ts";
import { frozenRequests } from "../../engine/scan/requests.ts";
import { replayScan } from "../../engine/scan/replay.ts";
import { statusOf } from "../../engine/scan/status.ts";
import { verifyScan } from "../../engine/scan/verify.ts";
import { command } from "../cli/bench.ts";
import { scratchDirectory } from "../helpers/made-scan.ts";
import { someConversations, sourceRun } from "../helpers/source-run.ts";
import { copyOf, journalOf, planFor, runPaid, startProvider, WIRES, type Wire } from "../provider/paid-scan.ts";
import type { Provider } from "../provider/server.ts";

/** The long form kills 50 times: ASSAY_KILLS=50. */
const KILLS = Number(process.env["ASSAY_KILLS"] ?? 6);
const WIDTH = 32;
const LATENCY_MS = 25;
const directory = scratchDirectory();

async function killedAfter(
  scan: string,
  ceiling: number,
  provider: Provider,
  wait: number,
): Promise<{ killed: boolean; stderr: string }> {
  const before = provider.received.length;
  const args = ["scan", "run", "--plan", scan, "--max-cost-usd", String(ceiling), "--concurrency", String(WIDTH)];
  const child = spawn(process.execPath, [command, ...args], { stdio: ["ignore", "ignore", "pipe"] });
  let stderr = "";
  child.stderr.on("data", (chunk: Buffer) => (stderr += chunk.toString()));
  const exited = once(child, "exit");
  while (provider.received.length === before && child.exitCode === null)
    await new Promise((done) => setTimeout(done, 2));
  await new Promise((done) => setTimeout(done, wait));
  child.kill("SIGKILL");
  await exited;
  // What was on its way when the process died still arrives, and is billed.
  await new Promise((done) => setTimeout(done, 20));
  return { killed: child.signalCode === "SIGKILL", stderr };
}

/** What a journal says was settled, and what was reserved and never settled, in nano-dollars. */
function settledOf(scan: string) {
  const answered = new Set<string>();
  const open = new Map<string, number>();
  let lost = 0;
  let billed = 0;
  const entries = existsSync(join(scan, "answers.jsonl")) ? journalOf(scan) : [];
  for (const entry of entries) {
    if (entry.kind === "run") {
      for (const nano of open.values()) lost += nano;
      open.clear();
    } else if (entry.kind === "reserve") open.set(entry.input_sha256, toNano(entry.reserved_usd));
    else if (entry.kind === "answer") {
      expect(answered.has(entry.input_sha256)).toBe(false);
      answered.add(entry.input_sha256);
      open.delete(entry.input_sha256);
      billed += toNano(entry.cost_usd);
    }
  }
  for (const nano of open.values()) lost += nano;
  return { answered, lost, billed };
}

it.each(WIRES)(
  `kill -9 %s: ${KILLS} times with ${WIDTH} requests in flight sends nothing settled again, loses nothing, keeps every reservation charged`,
  async (wire: Wire) => {
    const kills = wire === "decisions" ? KILLS : Math.ceil(KILLS / 3);
    const provider = await startProvider({ latencyMs: () => LATENCY_MS * (0.4 + 1.2 * Math.random()) });
    const source = sourceRun(join(directory, `source-${wire}`), someConversations(Math.ceil(1 + kills / 2)));
    const scan = join(directory, `scan-${wire}`);
    await planFor(wire, provider, source, scan, { grouping: "one" });
    const undisturbed = copyOf(scan, join(directory, `undisturbed-${wire}`));
    const ceiling = highestCeiling(readPlan(scan).plan);
    await runPaid(undisturbed, { concurrency: WIDTH, maxCostUsd: ceiling });
    provider.received.length = 0;
    provider.billed_usd = 0;

    const bundle = readPlan(scan);
    const planned = bundle.plan.requests.distinct;
    const inputOf = new Map<string, string>();
    for await (const { request: planned } of frozenRequests(bundle)) {
      const { input_sha256, request } = planned;
      inputOf.set(digestOf(bodyOf(bundle.plan.judge, request)), input_sha256);
    }

    let landed = 0;
    let resent = 0;
    let before = settledOf(scan);
    for (let round = 0; landed < kills && round < 3 * kills; round++) {
      const from = provider.received.length;
      const perKill = (planned - before.answered.size) / (kills - landed + 1);
      const { killed, stderr } = await killedAfter(
        scan,
        ceiling,
        provider,
        Math.random() * 2 * perKill * (LATENCY_MS / WIDTH),
      );
      expect(stderr).toBe("");
      const sent = provider.received.slice(from).map(({ body }) => inputOf.get(body) ?? "unplanned");
      expect(new Set(sent).size).toBe(sent.length);
      for (const input of sent) expect(before.answered.has(input)).toBe(false);
      const after = settledOf(scan);
      for (const input of before.answered) expect(after.answered.has(input)).toBe(true);
      // At most those in flight were sent and not settled, and what they reserved stays charged.
      const inFlight = sent.filter((input) => !after.answered.has(input)).length;
      expect(inFlight).toBeLessThanOrEqual(WIDTH);
      resent += inFlight;
      if (inFlight > 0) expect(after.lost).toBeGreaterThan(before.lost);
      const status = await statusOf(scan);
      expect(toNano(status.spent_usd)).toBe(after.billed + after.lost);
      expect(provider.billed_usd).toBeLessThanOrEqual(status.spent_usd + 1e-9);
      if (killed && after.answered.size < planned) landed++;
      before = after;
    }
    expect(landed).toBe(kills);
    expect(resent).toBeGreaterThan(0);
    const from = provider.received.length;
    const { answered, spent_usd } = await runPaid(scan, { concurrency: WIDTH, maxCostUsd: ceiling });
    expect(answered).toBe(planned);
    for (const { body } of provider.received.slice(from))
      expect(before.answered.has(inputOf.get(body) ?? "")).toBe(false);
    // Every send beyond the first of a request is one that was in flight at a kill.
    expect(provider.received.length).toBe(planned + resent);
    expect(provider.billed_usd).toBeLessThanOrEqual(spent_usd);
    expect(spent_usd).toBeLessThanOrEqual(ceiling);
    const judgments = (of: string): string => readFileSync(join(of, "judgments.jsonl"), "utf8");
    expect(judgments(scan)).toBe(judgments(undisturbed));
    expect((await replayScan(scan)).differences).toEqual([]);
    expect((await verifyScan(scan)).status).toBe("sealed_ok");
  },
  600_000,
);
