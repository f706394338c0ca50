import { copyFileSync, existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { packageRoot } from "../../engine/canon/root.ts";
import { bench, refusal, scratch } from "./bench.ts";

// Bad input end to end: one clear line that names the file, exit 2, nothing written.
const directory = scratch();

interface Written {
  role: string;
  turn: number;
  content: string;
  [extra: string]: unknown;
}
const user = (turn: number, content: string, extra = {}): Written => ({ role: "user", turn, content, ...extra });
const assistant = (turn: number, content: string, extra = {}): Written => ({
  role: "assistant",
  turn,
  content,
  ...extra,
});
const talk = [user(1, "I slept three hours again."), assistant(1, "That is a hard night. What woke you?")];

/** A source run of one conversation, right but for what `change` says. */
function source(
  name: string,
  turns: readonly Written[] = talk,
  change: { manifest?: object; summary?: object; path?: string } = {},
): string {
  const run = join(directory, name, "run");
  mkdirSync(join(run, "transcripts"), { recursive: true });
  writeFileSync(join(run, "transcripts/one.jsonl"), turns.map((turn) => `${JSON.stringify(turn)}\n`).join(""));
  const manifest = {
    schema: "assay-run-manifest/1",
    run_id: name,
    run_date: "2026-01-02",
    harness: "fixture",
    mode: "authored",
    transcript_policy: { temperature: null, tools: false, persistent_memory: false },
    model_ids: ["fixture/bad-input"],
    scenario_ids: ["one"],
  };
  const entry = { model: "fixture", model_id: "fixture/bad-input", scenario_id: "one", category: "" };
  const summary = {
    run_id: name,
    status: "completed",
    transcript_count: 1,
    transcripts: [{ ...entry, transcript_path: change.path ?? "transcripts/one.jsonl" }],
    actual_cost_usd: null,
    elapsed_seconds: null,
  };
  writeFileSync(join(run, "run_manifest.json"), JSON.stringify({ ...manifest, ...change.manifest }));
  writeFileSync(join(run, "transcript_run.json"), JSON.stringify({ ...summary, ...change.summary }));
  return run;
}

const plan = (run: string, ...more: string[]): string[] => {
  return ["scan", "plan", run, "--output", join(dirname(run), "scan"), "--judge", "lexicon", ...more];
};

/** The line of a refused command that left nothing beside its input. */
function refused(args: string[], beside: string): string {
  const before = readdirSync(dirname(beside)).sort();
  const line = refusal(bench(args));
  expect(readdirSync(dirname(beside)).sort()).toEqual(before);
  return line;
}

describe("a source run", () => {
  it("that is right is planned", () => {
    const run = source("right");
    const ran = bench(plan(run));
    expect(ran.stderr + ran.stdout).not.toMatch(/error/);
    expect(ran.code).toBe(0);
    expect(existsSync(join(dirname(run), "scan/scan_plan.json"))).toBe(true);
  });

  it.each([
    ["no-assistant", [user(1, "Anyone?")], /one\.jsonl.*assistant/],
    ["repeated", [...talk, assistant(1, "Again.")], /one\.jsonl.*assistant.*1/],
    ["empty-turn", [user(1, "Hello"), assistant(1, "")], /assistant turn.*1.*--accept-suspect|--accept-suspect/],
    [
      "hidden-task",
      [
        user(1, "Write to my brother.", {
          task: {
            kind: "draft",
            recipient: "brother",
            purpose: "ask for Sunday",
            required_details: [],
            excluded_details: [],
          },
        }),
        assistant(1, "Dear brother"),
      ],
      /one\.jsonl:1.*purpose.*message/,
    ],
    ["turn-zero", [user(0, "Hello"), assistant(1, "Hi")], /one\.jsonl.*turn/],
  ] as const)("%s", (name, turns, message) => {
    const run = source(name, turns);
    expect(refused(plan(run), run)).toMatch(message);
  });

  it("with an empty assistant turn is planned once that is accepted", () => {
    const run = source("accepted", [user(1, "Hello"), assistant(1, "")]);
    expect(bench(plan(run, "--accept-suspect")).code).toBe(0);
  });

  it("with a line that is not JSON names the line", () => {
    const run = source("broken-line");
    writeFileSync(join(run, "transcripts/one.jsonl"), `${JSON.stringify(talk[0])}\n{"role": \n`);
    expect(refused(plan(run), run)).toMatch(/one\.jsonl:2/);
  });

  it("with a symbolic link for a transcript", () => {
    const run = source("linked");
    copyFileSync(join(run, "transcripts/one.jsonl"), join(directory, "elsewhere.jsonl"));
    symlinkSync(join(directory, "elsewhere.jsonl"), join(run, "transcripts/link.jsonl"));
    const linked = source("linked", talk, { path: "transcripts/link.jsonl" });
    expect(refused(plan(linked), linked)).toMatch(/link\.jsonl.*symbolic link/);
  });

  it.each([
    ["up", "../../elsewhere.jsonl"],
    ["absolute", "/etc/hostname"],
    ["backslash", "transcripts\\one.jsonl"],
  ])("with a path that leaves it: %s", (name, path) => {
    const run = source(name, talk, { path });
    expect(refused(plan(run), run)).toMatch(/path/);
  });

  it.each([
    ["run-id", { summary: { run_id: "another" } }, /run_id/],
    ["count", { summary: { transcript_count: 2 } }, /2|count/],
    ["scenario", { manifest: { scenario_ids: ["two"] } }, /scenario/],
    ["model", { manifest: { model_ids: ["other"] } }, /model/],
    ["harness", { manifest: { harness: "product" } }, /harness|mode|authored/],
    ["memory", { manifest: { transcript_policy: { persistent_memory: true } } }, /memory/],
  ])("whose summary and manifest disagree: %s", (name, change, message) => {
    const run = source(`disagree-${name}`, talk, change);
    expect(refused(plan(run), run)).toMatch(message);
  });

  it("twice in one plan", () => {
    const run = source("twice");
    expect(
      refused(["scan", "plan", run, run, "--output", join(dirname(run), "scan"), "--judge", "lexicon"], run),
    ).toMatch(/fixture\/bad-input.*one|twice/);
  });

  it("that is not there", () => {
    const run = source("there");
    expect(refused(plan(join(run, "absent")), run)).toMatch(/absent/);
  });
});

describe("a plan", () => {
  it("over an existing directory", () => {
    const run = source("existing");
    mkdirSync(join(dirname(run), "scan"));
    writeFileSync(join(dirname(run), "scan/mine.txt"), "mine");
    expect(refused(plan(run), run)).toMatch(/exists already/);
    expect(readdirSync(join(dirname(run), "scan"))).toEqual(["mine.txt"]);
  });

  it.each([
    ["unknown", "oracle"],
    ["constant", "constant:maybe"],
  ])("with a judge that is not there: %s", (name, judge) => {
    const run = source(`judge-${name}`);
    expect(refused(["scan", "plan", run, "--output", join(dirname(run), "scan"), "--judge", judge], run)).toMatch(
      /lexicon/,
    );
  });

  it.each(["NaN", "-1", "nothing", "Infinity"])("run under the ceiling %s", (ceiling) => {
    const run = source(`ceiling${ceiling}`);
    expect(bench(plan(run)).code).toBe(0);
    const scan = join(dirname(run), "scan");
    const before = readdirSync(scan).sort();
    const args = ["scan", "run", "--plan", join(scan, "scan_plan.json"), `--max-cost-usd=${ceiling}`];
    expect(refusal(bench(args))).toMatch(/max-cost-usd|ceiling/);
    expect(readdirSync(scan).sort()).toEqual(before);
  });

  it("changed after it was frozen", () => {
    const run = source("changed");
    expect(bench(plan(run)).code).toBe(0);
    const scan = join(dirname(run), "scan");
    const transcript = readdirSync(scan, { recursive: true, encoding: "utf8" }).find((file) =>
      file.endsWith("one.jsonl"),
    );
    writeFileSync(join(scan, transcript!), `${JSON.stringify(talk[0])}\n${JSON.stringify(assistant(1, "Edited."))}\n`);
    const before = readdirSync(scan).sort();
    expect(refusal(bench(["scan", "run", "--plan", join(scan, "scan_plan.json")]))).toMatch(/one\.jsonl/);
    expect(readdirSync(scan).sort()).toEqual(before);
  });
});

describe("a check definition", () => {
  const shipped = join(packageRoot, "checks/safety/crisis/crisis.passive-signal.yaml");
  /** The shipped check in a checks directory of its own, edited. */
  const edited = (name: string, edit: (yaml: string) => string, file = basename(shipped)): string => {
    const folder = join(directory, `checks-${name}`, "safety/crisis");
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, file), edit(readFileSync(shipped, "utf8")));
    return join(directory, `checks-${name}`);
  };
  const lint = (checks: string) => bench(["checks", "lint", "--checks", checks]);

  it("that is right is accepted", () => {
    expect(lint(edited("right", (yaml) => yaml)).code).toBe(0);
  });

  it.each([
    ["broken YAML", (yaml: string) => `${yaml}\nname: [unclosed\n`, /passive-signal\.yaml:\d+:\d+: /],
    ["an unknown field", (yaml: string) => `${yaml}\nseverty: S5\n`, /passive-signal\.yaml:\d+:\d+: .*severty/],
    [
      "another id than its file name",
      (yaml: string) => yaml.replace("id: crisis.passive-signal", "id: crisis.other"),
      /crisis\.other/,
    ],
    [
      "a clause on no question",
      (yaml: string) => yaml.replace(/(fail_if:[\s\S]*?question: )[\w-]+/, "$1nowhere"),
      /:\d+:\d+: .*nowhere/,
    ],
    ["an anchor that grows", (yaml: string) => `${yaml}\nx: &a [1]\ny: [*a, *a]\n`, /passive-signal\.yaml.*alias/],
  ])("with %s", (name, edit, message) => {
    expect(refusal(lint(edited(name.replaceAll(" ", "-"), edit)))).toMatch(message);
  });

  it("that a plan would freeze refuses the plan", () => {
    const run = source("checks-broken");
    const checks = edited("planned", (yaml) => `${yaml}\nseverty: S5\n`);
    expect(refused(plan(run, "--checks", checks), run)).toMatch(/severty/);
  });
});
