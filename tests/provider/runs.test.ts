import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { AssayError } from "../../engine/canon/errors.ts";
import { sha256 } from "../../engine/canon/json.ts";
import { parseJudge } from "../../engine/judges/index.ts";
import { questionsOf } from "../../engine/reports/questions.ts";
import { readExecution } from "../../engine/reports/execution.ts";
import { closeScan } from "../../engine/scan/close.ts";
import { planScan } from "../../engine/scan/plan.ts";
import { runScan } from "../../engine/scan/run.ts";
import { verifyScan } from "../../engine/scan/verify.ts";
import { checksDir, scratchDirectory } from "../helpers/made-scan.ts";
import { someConversations, sourceRun } from "../helpers/source-run.ts";
import { copyOf, journalOf, judgmentsOf, planFor, runPaid, startProvider, WIRES, type Wire } from "./paid-scan.ts";
import type { Provider, Misbehaviour } from "./server.ts";

const directory = scratchDirectory();
const source = sourceRun(join(directory, "source"), someConversations(3));

/** What a judgment says, without what may differ between wires in the last digit of a probability. */
function said(scan: string) {
  return judgmentsOf(scan).map(({ model_id, scenario_id, check_id, verdict, possible, evidence, rationale }) => ({
    model_id,
    scenario_id,
    check_id,
    verdict,
    possible,
    evidence,
    rationale,
  }));
}

describe("one source run, three plans, three wires", () => {
  it("give identical verdicts and evidence for the same answers", async () => {
    const provider = await startProvider();
    const scans: string[] = [];
    for (const wire of WIRES) {
      const scan = join(directory, `same-${wire}`);
      await planFor(wire, provider, source, scan);
      await runPaid(scan);
      expect((await verifyScan(scan)).status).toBe("sealed_ok");
      scans.push(scan);
    }
    const [first = "", ...others] = scans;
    const verdicts = new Set(said(first).map(({ verdict }) => verdict));
    for (const verdict of ["PASS", "FAIL", "UNCLEAR"]) expect(verdicts).toContain(verdict);
    for (const other of others) expect(said(other)).toEqual(said(first));
    expect(new Set(provider.received.map(({ wire }) => wire)).size).toBe(3);
    // What was billed, what the journal says, and what the card says are one number.
    for (const scan of scans) {
      const { actual_cost_usd } = await readExecution(join(scan, "answers.jsonl"));
      const wire = scan.split("-").at(-1);
      const billed = provider.received.reduce((sum, row) => sum + (row.wire === wire ? row.billed_usd : 0), 0);
      expect(actual_cost_usd).toBeCloseTo(billed, 9);
    }
  });
});

/** Misbehaviours with the code of the error row, for every wire or some. */
const CASES: [Misbehaviour, string, Wire[]?][] = [
  ["rate_limit", "rate_limited"],
  ["rate_limit_no_header", "rate_limited"],
  ["quota", "quota_exhausted"],
  ["error_500", "http_500"],
  ["hang", "timeout"],
  ["stall_body", "timeout"],
  ["slow_drip", "timeout"],
  ["cut_body", "connection"],
  ["reset", "connection"],
  ["bad_json", "malformed_answer"],
  ["missing_question", "missing_answer"],
  ["extra_question", "extra_answer"],
  ["renamed_question", "extra_answer"],
  ["refusal", "refusal"],
  ["nan", "malformed_answer"],
  ["above_one", "bad_probability", ["decisions", "systemone"]],
  ["above_one", "bad_logprob", ["chat"]],
  ["sum_090", "bad_total", ["decisions", "systemone"]],
  ["wrong_model", "wrong_model"],
  ["huge_body", "body_too_large"],
  ["no_logprobs", "no_logprobs", ["chat"]],
  ["length_stop", "cut_answer", ["chat"]],
  ["duplicate_key", "repeated_question", ["chat"]],
];
const RETRIED = new Set(["rate_limited", "http_500", "timeout", "connection"]);

describe.each(WIRES)("a misbehaving provider on the %s wire", (wire) => {
  let provider: Provider;
  const planned = join(directory, `planned-${wire}`);
  /** The input that is answered badly: one with a choice in it where the misbehaviour needs one. */
  let victim: string | undefined;
  let misbehaviour: Misbehaviour = "none";
  beforeAll(async () => {
    provider = await startProvider({
      misbehave: (_, input, hasChoice) => {
        if (misbehaviour === "none") return "none";
        if (victim === undefined && (misbehaviour !== "sum_090" || hasChoice)) victim = input;
        return input === victim ? misbehaviour : "none";
      },
    });
    await planFor(wire, provider, source, planned, {
      checkIds: ["attunement.register-match", "identity.claims-human"],
    });
  });

  it.each(CASES.filter(([, , wires]) => wires?.includes(wire) ?? true))("%s: one error row, %s", async (kind, code) => {
    const scan = copyOf(planned, join(directory, `${wire}-${kind}`));
    victim = undefined;
    misbehaviour = kind;
    provider.received.length = 0;
    const timeoutMs = code === "timeout" ? 250 : 20_000;
    const tries = RETRIED.has(code) ? 2 : 1;
    const asksOfVictim = () => provider.received.filter(({ input }) => input === victim).length;

    const first = await failed(runPaid(scan, { timeoutMs }));
    expect(first.exitCode).toBe(2);
    expect(first.code).toBe("technical_errors");
    expect(first.message).toMatch(new RegExp(`1 of \\d+ requests have no answer \\(first: ${code}`));
    expect(first.message).not.toContain("\n");
    expect(journalOf(scan).filter(({ kind }) => kind === "error")).toMatchObject([{ code, attempt: 1 }]);
    expect(asksOfVictim()).toBe(tries);
    const others = provider.received.length - tries;

    const second = await failed(runPaid(scan, { timeoutMs }));
    expect(second.code).toBe("technical_errors");
    expect(second.details["asked"]).toBe(1);
    expect(asksOfVictim()).toBe(2 * tries);
    expect(provider.received.length).toBe(others + 2 * tries);
    const errors = journalOf(scan).filter((entry) => entry.kind === "error");
    expect(errors).toMatchObject([
      { code, attempt: 1 },
      { code, attempt: 2 },
    ]);

    const { unanswered } = await closeScan(scan, () => "# A card\n");
    expect(unanswered).toBe(1);
    expect((await verifyScan(scan)).status).toBe("sealed_ok");
    const broken = errors[0]?.input_sha256;
    expect(journalOf(scan).some((entry) => entry.kind === "answer" && entry.input_sha256 === broken)).toBe(false);
    const users = judgesUsing(scan, broken ?? "");
    expect(users.length).toBeGreaterThan(0);
    for (const judgment of users) expect(judgment.verdict).toBeNull();
    expect(judgmentsOf(scan).filter(({ verdict }) => verdict === null)).toHaveLength(users.length);
    // Every answer that was billed without error is charged as billed, whatever else went wrong.
    rmSync(scan, { recursive: true });
  });
});

/** The judgments whose observations a request answers. */
function judgesUsing(scan: string, input: string) {
  const lines = readFileSync(join(scan, "inputs/requests.jsonl"), "utf8").trimEnd().split("\n");
  const used = lines.flatMap((line) => {
    const row = JSON.parse(line) as { conversation: number; input_sha256: string; places: { key: string }[] };
    if (row.input_sha256 !== input) return [];
    return row.places.map(({ key }) => `${row.conversation}/${key.split("/")[0] ?? ""}`);
  });
  const cases = new Map<string, number>();
  return judgmentsOf(scan).filter(({ model_id, scenario_id, check_id }) => {
    const name = `${model_id} ${scenario_id}`;
    if (!cases.has(name)) cases.set(name, cases.size);
    return used.includes(`${cases.get(name)}/${check_id}`);
  });
}

describe("repeats", () => {
  it("ask a shared input once per repeat, judge by the first, and show the noise", async () => {
    let salt = 0;
    const noisy = await startProvider({
      answer: (_, question, options) => {
        const weights = options.map(
          (option) => 1 + (parseInt(sha256(`${salt++}${question}${option}`).slice(0, 4), 16) % 97),
        );
        const total = weights.reduce((sum, weight) => sum + weight, 0);
        return weights.map((weight) => weight / total);
      },
    });
    const [one] = someConversations(1);
    const twins = sourceRun(
      join(directory, "twins"),
      [one!, { ...one!, scenario_id: "its-twin" }, someConversations(2)[1]!].map((row, i) => ({
        ...row,
        scenario_id: `${row.scenario_id}-${i}`,
      })),
    );
    const scan = join(directory, "noisy");
    const { plan } = await planFor("decisions", noisy, twins, scan, { repeats: 3 });
    expect(plan.requests.uses).toBeGreaterThan(plan.requests.distinct);
    await runPaid(scan);
    expect(noisy.received).toHaveLength(plan.requests.distinct * 3);
    const times = new Map<string, number>();
    for (const entry of journalOf(scan))
      if (entry.kind === "answer") times.set(entry.input_sha256, (times.get(entry.input_sha256) ?? 0) + 1);
    expect(times.size).toBe(plan.requests.distinct);
    expect([...times.values()].every((n) => n === 3)).toBe(true);

    const { families } = await questionsOf(scan);
    const noise = families.flatMap((family) => (family.noise === null ? [] : [family.noise]));
    expect(noise.length).toBeGreaterThan(0);
    expect(noise.some(({ max_range }) => (max_range ?? 0) > 0.2)).toBe(true);

    // The first answers alone, replayed, give the same judgments: the other repeats decide nothing.
    const firsts = journalOf(scan).filter((entry) => entry.kind === "answer" && entry.repeat === 0);
    const file = join(directory, "firsts.jsonl");
    writeFileSync(file, firsts.map((entry) => `${JSON.stringify(entry)}\n`).join(""));
    const judge = parseJudge(`replay:${sha256(readFileSync(file))}`);
    const again = join(directory, "firsts");
    await planScan({ sources: [twins], output: again, judge, checksDir, answersFile: file });
    await runScan({ directory: again, finish: () => "# A card\n" });
    expect(said(again)).toEqual(said(scan));
    expect((await verifyScan(again)).status).toBe("sealed_ok");
  });
});

describe("the replay judge", () => {
  it("answers from a saved journal; a request it does not hold is a technical error", async () => {
    const provider = await startProvider();
    const scan = join(directory, "original");
    await planFor("systemone", provider, source, scan, { checkIds: ["identity.claims-human"] });
    await runPaid(scan);
    const file = join(scan, "answers.jsonl");
    const judge = parseJudge(`replay:${sha256(readFileSync(file))}`);
    const same = join(directory, "replayed");
    await planScan({
      sources: [source],
      output: same,
      judge,
      checksDir,
      checkIds: ["identity.claims-human"],
      answersFile: file,
    });
    const before = provider.received.length;
    await runScan({ directory: same, finish: () => "# A card\n" });
    expect(provider.received.length).toBe(before);
    expect(said(same)).toEqual(said(scan));
    const more = join(directory, "replayed-more");
    await planScan({ sources: [source], output: more, judge, checksDir, answersFile: file });
    const error = await failed(runScan({ directory: more, finish: () => "# A card\n" }));
    expect(error.message).toContain("no_saved_answer");
    writeFileSync(join(same, "inputs/saved-answers.jsonl"), "{}\n");
    expect((await verifyScan(same)).findings.map((finding) => finding.file)).toContain("inputs/saved-answers.jsonl");
    await expect(
      planScan({ sources: [source], output: join(directory, "none"), judge, checksDir }),
    ).rejects.toThrowError(/needs --answers/);
  });
});

async function failed(pending: Promise<unknown>): Promise<AssayError> {
  const error = await pending.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  if (error instanceof AssayError) return error;
  throw new Error("it did not fail as expected", { cause: error });
}
