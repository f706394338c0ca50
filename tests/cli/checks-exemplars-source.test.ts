import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { packageRoot } from "../../engine/canon/root.ts";
import { bench, envelope, refusal, scratch } from "./bench.ts";

const directory = scratch();
const shared = join(packageRoot, "../shared");
const peer = join(shared, "peer");
const real = join(shared, "real/invisiblebench-v4");

function data(args: string[], code = 0): Record<string, unknown> {
  const ran = bench([...args, "--json"]);
  const { status, ...rest } = envelope(ran);
  expect([status, ran.code]).toEqual(["ok", code]);
  return "data" in rest ? (rest.data as Record<string, unknown>) : {};
}

const definition = `id: crisis.sample
name: sample
severity: S1
summary: A sample.
basis: fixture
pass_meaning: Nothing.
questions: {q: {instructions: "Is it?"}, unread: {instructions: "And this?"}}
fail_if: [{question: q}]
`;

/** A checks directory of one definition. */
function checks(name: string, yaml = definition, file = "crisis.sample.yaml"): string {
  const root = join(directory, name);
  mkdirSync(join(root, "safety/crisis"), { recursive: true });
  writeFileSync(join(root, "safety/crisis", file), yaml);
  return root;
}

describe("bench checks", () => {
  it("lists and shows the shipped definitions", () => {
    const { checks: rows } = data(["checks", "list"]) as { checks: { id: string; check_sha256: string }[] };
    expect(rows.length).toBeGreaterThanOrEqual(12);
    const shown = data(["checks", "show", rows[0]!.id]);
    expect(shown["check_sha256"]).toBe(rows[0]!.check_sha256);
    expect(bench(["checks", "show", rows[0]!.id]).stdout).toContain(`id: ${rows[0]!.id}`);
    expect(data(["checks", "lint"])).toEqual({ checks: rows.length, findings: [] });
  });
  it("lint exits 1 with what it found", () => {
    const { findings } = data(["checks", "lint", "--checks", checks("unread")], 1) as { findings: object[] };
    expect(findings).toEqual([
      expect.objectContaining({ check_id: "crisis.sample", message: "nothing reads the question unread" }),
    ]);
  });
  it.each([
    ["a file under another name", definition, "crisis.other.yaml", /crisis\.other\.yaml.*name it crisis\.sample\.yaml/],
    [
      "a misspelt field",
      definition.replace("fail_if", "fial_if"),
      "crisis.sample.yaml",
      /:8:1: .*did you mean fail_if\?/,
    ],
    ["a tab", `${definition}\tx: 1\n`, "crisis.sample.yaml", /crisis\.sample\.yaml:9:\d+: /],
  ])("refuses %s", (name, yaml, file, message) => {
    expect(refusal(bench(["checks", "lint", "--checks", checks(name, yaml, file)]))).toMatch(message);
  });
  it("names the nearest id", () => {
    expect(refusal(bench(["checks", "show", "crisis.follow-thru"]))).toMatch(/did you mean crisis\.follow-through\?/);
  });
});

describe("bench exemplars verify", () => {
  it.skipIf(!existsSync(peer))("reproduces another engine's rows (skipped where ../shared is absent)", () => {
    const files = readdirSync(join(peer, "exemplars")).map((name) => join(peer, "exemplars", name));
    expect(data(["exemplars", "verify", "--checks", join(peer, "checks"), ...files])).toMatchObject({
      total: 146,
      reproduced: 146,
      failed: [],
    });
    expect(data(["exemplars", "verify", join(peer, "vectors.jsonl")])).toMatchObject({
      total: 50,
      reproduced: 50,
      failed: [],
    });
  });
  it("exits 1 and shows what a row came to, and 2 where an answer is missing", () => {
    const row = {
      id: "r",
      check_id: "crisis.sample",
      expected: "PASS",
      transcript: [{ role: "assistant", turn: 1, content: "Hello." }],
      answers: { "assistant:1": { "crisis.sample/q": 0.65 } },
    };
    const root = checks("exemplars");
    const file = join(root, "safety/crisis/crisis.exemplars.jsonl");
    writeFileSync(file, `${JSON.stringify(row)}\n`);
    expect(data(["exemplars", "verify", "--checks", root], 1)).toEqual({
      total: 1,
      reproduced: 0,
      failed: [{ id: "r", expected: "PASS", observed: "FAIL", possible: ["FAIL"] }],
      claim: "development_exemplars",
      accuracy_claim: false,
    });
    writeFileSync(file, `${JSON.stringify({ ...row, answers: {} })}\n`);
    expect(refusal(bench(["exemplars", "verify", "--checks", root]))).toMatch(/assistant:1.*crisis\.sample\/q/);
    expect(refusal(bench(["exemplars", "verify", join(directory, "none.jsonl")]))).toMatch(
      /none\.jsonl.*does not exist/,
    );
  });
});

describe("bench source import", () => {
  it.skipIf(!existsSync(real))("checks 126 digests of real conversations (skipped where ../shared is absent)", () => {
    const files = readdirSync(real)
      .filter((name) => name.endsWith(".transcripts.json"))
      .map((name) => join(real, name));
    const output = join(directory, "imported");
    const imported = data(["source", "import", "--from", "invisiblebench", ...files, "--output", output]);
    expect(imported).toMatchObject({
      conversations: 126,
      digests_checked: 126,
      claim: "target_model_conversations",
      accuracy_claim: false,
    });
    expect(readdirSync(join(output, "transcripts"))).toHaveLength(126);
  });
  it.skipIf(!existsSync(real))("refuses a changed word, naming the scenario, and leaves nothing", () => {
    const name = readdirSync(real).find((file) => file.endsWith(".transcripts.json"))!;
    const text = readFileSync(join(real, name), "utf8");
    const changed = join(directory, "changed.json");
    writeFileSync(changed, text.replace("Finding him unconscious", "Finding him asleep"));
    const output = join(directory, "never");
    const line = refusal(bench(["source", "import", "--from", "invisiblebench", changed, "--output", output]));
    expect(line).toMatch(/changed\.json: scenario context_cultural_sud_enabling_001/);
    expect(existsSync(output)).toBe(false);
  });
  it("refuses a file of another kind", () => {
    const file = join(directory, "other.json");
    writeFileSync(file, "{}");
    const line = refusal(
      bench(["source", "import", "--from", "invisiblebench", file, "--output", join(directory, "x")]),
    );
    expect(line).toMatch(/other\.json: has the schema \(none\)/);
  });
});
