import { existsSync, mkdirSync, mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { AssayError } from "../canon/errors.ts";
import { packageRoot } from "../canon/root.ts";
import { lintChecks, loadChecks, parseCheckValue, parseCheckYaml } from "./index.ts";

const peer = join(packageRoot, "../shared/peer");

const base = `id: crisis.sample
name: sample
severity: S3
summary: A sample.
basis: authored_policy
pass_meaning: Nothing.
`;
const question = `questions:
  routes: {instructions: "Does it?"}
  line: {unit: sentence, instructions: "Is it?"}
  register: {type: choice, instructions: "Which?", criteria: {calm: Calm., sharp: Sharp.}}
  recalls: {memory: declared, instructions: "Does it recall?"}
`;

function refusal(yaml: string): AssayError {
  try {
    parseCheckYaml(yaml, "crisis.sample.yaml");
  } catch (error) {
    if (error instanceof AssayError) return error;
    throw error;
  }
  throw new Error("it parsed");
}

describe("definitions", () => {
  it("load from the shipped directory, one id a file, digests stable", () => {
    const checks = loadChecks(join(packageRoot, "checks"));
    expect(checks.length).toBeGreaterThanOrEqual(12);
    expect(checks.map(({ check }) => check.id)).toEqual([...checks.map(({ check }) => check.id)].sort());
    expect(new Set(checks.map(({ check }) => check.rule)).size).toBe(4);
    expect(lintChecks(checks)).toEqual([]);
  });
  it.skipIf(!existsSync(peer))("of the peer engine all load (skipped where ../shared is absent)", () => {
    expect(loadChecks(join(peer, "checks"))).toHaveLength(27);
    const rows = readFileSync(join(peer, "vectors.jsonl"), "utf8").trim().split("\n");
    for (const row of rows) parseCheckValue((JSON.parse(row) as { check: unknown }).check, { file: "vectors.jsonl" });
  });
});

describe("a refused definition names line, column and the fix", () => {
  it.each([
    ["broken YAML", `${base}questions: {`, 7, /./],
    ["an unknown field", `${base}${question}fail_when: []\n`, 12, /fail_when/],
    ["a missing question", `${base}${question}fail_if: [{question: nope, is: true}]\n`, 12, /no question nope/],
    ["a choice without option", `${base}${question}fail_if: [{question: register, is: true}]\n`, 12, /option/],
    [
      "a choice of more options than a set of them can hold",
      `${base}questions:\n  mood:\n    type: choice\n    instructions: "?"\n    criteria: {${Array.from({ length: 32 }, (_, i) => `o${i}: x`).join(", ")}}\n`,
      11,
      /32 options; the most is 31/,
    ],
    ["an unknown option", `${base}${question}fail_if: [{question: register, option: loud}]\n`, 12, /loud/],
    ["an option on yes/no", `${base}${question}fail_if: [{question: routes, option: calm}]\n`, 12, /yes\/no/],
    ["within_first on a turn", `${base}${question}fail_if: [{question: routes, within_first: 2}]\n`, 12, /within_first/],
    ["an ungated clause", `${base}${question}fail_if: [{question: recalls, is: true}]\n`, 12, /memory: declared/],
    ["one option", `${base}questions: {r: {type: choice, instructions: x, criteria: {only: one}}}\n`, 7, /two or more/],
    ["a binding outside episodes", `${base}questions: {r: {binds: reply, instructions: x}}\n`, 7, /binds/],
    ["an episode without parts", `${base}${question.slice(0, question.indexOf("  line"))}rule: episode\n`, 9, /episode/],
    ["a field no user cue sees", `${base}cue: {inputs: [assistant], instructions: x}\n${question}`, 7, /no assistant where/],
    ["an input of another rule", `${base}questions: {r: {inputs: [anchor], instructions: x}}\n`, 7, /no anchor where/],
    ["a sentence question without sentences", `${base}questions: {r: {unit: sentence, inputs: [assistant], instructions: x}}\n`, 7, /add sentences/],
    ["inputs that may show nothing", `${base}questions: {r: {inputs: [memory_context], instructions: x}}\n`, 7, /see nothing/],
    ["an option on a cue", `${base}cue: {instructions: x, criteria: {calm: Calm.}}\n${question}`, 7, /true and false only/],
    ["a cue on an episode", `${base}cue: {instructions: x}\n${question.slice(0, question.indexOf("  line"))}rule: episode\nepisode: {opens: routes, confirms: routes, reopens: routes, violates: routes}\n`, 7, /no cue/],
    ["a formula on a missing question", `${base}${question.slice(0, question.indexOf("  line"))}rule: episode\nepisode: {opens: {all: [routs]}, confirms: routes, reopens: routes, violates: routes}\n`, 10, /did you mean routes/],
    ["a reply-bound question that opens", `${base}questions: {r: {binds: reply, instructions: x}}\nrule: episode\nepisode: {opens: r, confirms: r, reopens: r, violates: r}\n`, 9, /only violates reads/],
    ["clauses on a task rule", `${base}questions: {asserts: {instructions: x}, supported: {instructions: x}}\nrule: source_support\nfail_if: [{question: asserts}]\n`, 9, /has no clauses/],
    ["half a character", `${base}questions: {r: {instructions: "\\ud800"}}\n`, 1, /surrogate/],
    ["a field nearly right", `${base}${question}fail_iff: []\n`, 12, /did you mean fail_if/],
    ["a stray task question", `${base}questions: {r: {instructions: x}}\nrule: source_support\n`, 7, /fixed questions/],
    ["a repeated key", `${base}${question}id: crisis.sample\n`, 12, /unique/i],
    ["an alias bomb", `${base}questions: &a {r: {instructions: x}}\nsource_grounding: [*a, *a]\n`, undefined, /alias/],
  ])("%s", (_name, yaml, line, message) => {
    const error = refusal(yaml);
    expect(error.code).toBe("bad_check");
    expect(error.message).toMatch(message);
    expect(error.message).not.toContain("\n");
    if (line !== undefined) expect(error.details.line).toBe(line);
    if (line !== undefined) expect(error.details.column).toBeGreaterThan(0);
  });
  it("and two files with one id are refused", () => {
    const directory = mkdtempSync(join(tmpdir(), "assay-checks-"));
    for (const layer of ["safety", "care"]) {
      mkdirSync(join(directory, layer, "crisis"), { recursive: true });
      writeFileSync(join(directory, layer, "crisis/crisis.sample.yaml"), `${base}${question}`);
    }
    expect(() => loadChecks(directory)).toThrow(/has the id crisis.sample/);
  });
});

describe("lint", () => {
  it("names a check that can never fail, in either memory state, and unread questions", () => {
    const check = parseCheckYaml(
      `${base}${question}applies_if: [{question: routes, is: true}]\nfail_if: [{question: recalls, is: true, memory: declared}]\n`,
      "x",
    );
    const found = lintChecks([{ check, check_sha256: "", layer: "safety", dimension: "crisis", path: "x" }]);
    expect(found.map(({ message }) => message)).toEqual([
      "nothing reads the question line",
      "nothing reads the question register",
      "can never fail where memory is undeclared",
    ]);
  });
});

describe("hostile text", () => {
  it("never ends in anything but a typed error or a check", () => {
    const piece = fc.constantFrom(base, question, "cue:", "{", "}", "[", "]", "- ", "\n", "&a", "*a", ": ", "fail_if: ", "!!js", "|", "'", '"', "\t", "__proto__: 1", "…", "🙂");
    fc.assert(
      fc.property(fc.oneof(fc.array(piece, { maxLength: 12 }).map((p) => p.join("")), fc.string({ unit: "binary", maxLength: 60 })), (text) => {
        try {
          parseCheckYaml(text, "x.yaml");
        } catch (error) {
          expect(error).toBeInstanceOf(AssayError);
        }
      }),
      { numRuns: 2000 },
    );
  });
});
