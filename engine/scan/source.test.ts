import { mkdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { AssayError } from "../canon/errors.ts";
import { sha256 } from "../canon/json.ts";
import { scratchDirectory } from "../../tests/helpers/made-scan.ts";
import { sourceRun, talk, type MadeConversation } from "../../tests/helpers/source-run.ts";
import { loadSource } from "./source.ts";

const directory = scratchDirectory();
const one: MadeConversation = { scenario_id: "one", turns: talk("Hello", "Hi") };
const two: MadeConversation = { scenario_id: "two", turns: talk("Hello", "Hi again") };
let made = 0;
const run = (...args: [readonly MadeConversation[], { manifest?: object; summary?: object }?]): string =>
  sourceRun(join(directory, `run-${++made}`), ...args);

function refusal(source: string): AssayError {
  try {
    loadSource(source);
  } catch (error) {
    if (error instanceof AssayError) return error;
    throw error;
  }
  throw new Error("was accepted");
}

const memory = { transcript_policy: { persistent_memory: true }, harness: "product", mode: "committed" };
const receipt = { turn: 1, operation: "write", status: "ok", memory_id: "m1", text: "x" };

describe("a source run", () => {
  it("is read with the digest of every file", () => {
    const { manifest, conversations, summaryFile } = loadSource(run([one, two]));
    expect(manifest.run_id).toBe("made-run");
    expect(summaryFile.path).toBe("transcript_run.json");
    expect(conversations.map(({ transcript }) => transcript.sha256)).toEqual(
      [one, two].map(({ turns }) => sha256(turns.map((turn) => `${JSON.stringify(turn)}\n`).join(""))),
    );
  });

  it("may declare memory where a product committed it", () => {
    const source = run([{ ...one, memory_evidence: [receipt] }], { manifest: memory });
    expect(loadSource(source).conversations[0]?.entry.memory_evidence).toEqual([receipt]);
  });

  it.each<[string, string, () => string]>([
    ["another run_id in the summary", "source_disagrees", () => run([one], { summary: { run_id: "x" } })],
    ["a wrong count", "source_disagrees", () => run([one], { summary: { transcript_count: 3 } })],
    ["a model that is not listed", "source_disagrees", () => run([one], { manifest: { model_ids: ["y"] } })],
    [
      "a scenario without a transcript",
      "source_disagrees",
      () => run([one], { manifest: { scenario_ids: ["one", "two"] } }),
    ],
    ["a conversation twice", "duplicate_conversation", () => run([one, one])],
    [
      "one file for two conversations",
      "duplicate_path",
      () =>
        run([
          { ...one, transcript_path: "t.jsonl" },
          { ...two, transcript_path: "t.jsonl" },
        ]),
    ],
    ["a fixture that is not authored", "bad_harness", () => run([one], { manifest: { harness: "fixture" } })],
    ["authored text under a harness", "bad_harness", () => run([one], { manifest: { mode: "authored" } })],
    [
      "memory of a fixture",
      "memory_undeclared",
      () => run([one], { manifest: { ...memory, harness: "fixture", mode: "authored" } }),
    ],
    [
      "memory_evidence without declared memory",
      "memory_undeclared",
      () => run([{ ...one, memory_evidence: [receipt] }]),
    ],
    [
      "memory_evidence on a turn that is not there",
      "memory_turn",
      () => run([{ ...one, memory_evidence: [{ ...receipt, turn: 2 }] }], { manifest: memory }),
    ],
    [
      "a study file that is another",
      "digest_mismatch",
      () => {
        const source = run([one], {
          manifest: { harness: "fixture", mode: "authored", study: { path: "study.json", sha256: sha256("a") } },
        });
        writeFileSync(join(source, "study.json"), "b");
        return source;
      },
    ],
    ["a format of another version", "bad_manifest", () => run([one], { manifest: { schema: "assay-run-manifest/0" } })],
    ["a path above it", "bad_summary", () => run([{ ...one, transcript_path: "../t.jsonl" }])],
    ["an absolute path", "bad_summary", () => run([{ ...one, transcript_path: "/etc/hostname" }])],
    ["a backslash in a path", "bad_summary", () => run([{ ...one, transcript_path: "transcripts\\t.jsonl" }])],
    [
      "a linked transcript",
      "symlink",
      () => {
        const source = run([{ ...one, transcript_path: "t.jsonl" }]);
        symlinkSync("run_manifest.json", join(source, "t.jsonl"));
        return source;
      },
    ],
    [
      "a linked folder",
      "symlink",
      () => {
        const source = run([{ ...one, transcript_path: "linked/t.jsonl" }]);
        mkdirSync(join(directory, "outside"), { recursive: true });
        symlinkSync(join(directory, "outside"), join(source, "linked"));
        return source;
      },
    ],
    [
      "a linked manifest",
      "symlink",
      () => {
        const source = run([one]);
        rmSync(join(source, "run_manifest.json"));
        symlinkSync("transcript_run.json", join(source, "run_manifest.json"));
        return source;
      },
    ],
    ["a transcript that is missing", "no_file", () => run([{ ...one, transcript_path: "gone.jsonl" }])],
    ["no directory", "no_source", () => join(directory, "nowhere")],
  ])("is refused with %s", (_name, code, make) => {
    const error = refusal(make());
    expect(error.message).not.toContain("\n");
    expect(error.code).toBe(code);
    expect(error.details.file).toBeDefined();
  });
});
