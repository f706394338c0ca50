import { existsSync, mkdtempSync, readFileSync, readdirSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { AssayError } from "../canon/errors.ts";
import { sha256 } from "../canon/json.ts";
import { packageRoot } from "../canon/root.ts";
import { loadSource } from "../scan/source.ts";
import { importSource } from "./index.ts";
import { transcriptPaths } from "./names.ts";

const real = join(packageRoot, "../shared/real/invisiblebench-v4");

const turns = [
  { turn: 1, role: "user", content: "Ça va? “Yes” 🙂\n", session_number: 1 },
  { turn: 1, role: "assistant", content: "Yes.", branch_id: "a" },
];
/** As Python's json.dumps writes a turn with ensure_ascii off. */
const lines = [
  '{"turn": 1, "role": "user", "content": "Ça va? “Yes” 🙂\\n", "session_number": 1}\n',
  '{"turn": 1, "role": "assistant", "content": "Yes.", "branch_id": "a"}\n',
].join("");
const transcript = { scenario_id: "../odd id", scenario: "Odd", category: "context", sha256: sha256(lines), turns };
const model = {
  schema: "invisiblebench-model-transcripts/v1",
  benchmark_version: "4.0.0",
  model: "Some Model",
  model_id: "org/some-model",
  source_runs: [
    {
      artifact_id: "r",
      manifest_run_id: "m",
      benchmark_version: "4.0.0",
      git_sha: "0",
      run_date: "2026-07-09T01:00:00+00:00",
      model_actual_cost_usd: 0.5,
      extra: 1,
    },
  ],
  transcript_count: 1,
  transcripts: [transcript],
  note: "left behind",
};

function files(...values: unknown[]): { directory: string; paths: string[] } {
  const directory = mkdtempSync(join(tmpdir(), "assay-import-"));
  const paths = values.map((value, i) => join(directory, `in-${i}.json`));
  paths.forEach((path, i) =>
    writeFileSync(path, typeof values[i] === "string" ? values[i] : JSON.stringify(values[i])),
  );
  return { directory, paths };
}

async function refusal(from: string, ...values: unknown[]): Promise<AssayError> {
  const { directory, paths } = files(...values);
  const error = await importSource(from, paths, join(directory, "out")).catch((thrown: unknown) => thrown);
  expect(readdirSync(directory).sort()).toEqual(paths.map((path) => path.slice(directory.length + 1)).sort());
  if (error instanceof AssayError) return error;
  throw error;
}

describe("importing invisiblebench transcripts", () => {
  it("rebuilds the bytes, keeps extra fields, lists what it drops, and makes a run that loads", async () => {
    const { directory, paths } = files(model);
    const output = join(directory, "out");
    const report = await importSource("invisiblebench", paths, output);
    expect(report).toMatchObject({
      conversations: 1,
      digests_checked: 1,
      turns: 2,
      assistant_turns: 1,
      suspect_turns: 0,
    });
    expect(report.dropped).toEqual([
      { file: "in-0.json", field: "note", count: 1 },
      { file: "in-0.json", field: "source_runs[].extra", count: 1 },
    ]);
    const source = loadSource(output);
    expect(source.manifest).toMatchObject({
      harness: "invisiblebench",
      mode: "imported",
      run_date: "2026-07-09T01:00:00+00:00",
    });
    expect(source.summary).toMatchObject({ actual_cost_usd: 0.5, elapsed_seconds: null });
    expect(source.conversations.map(({ entry }) => entry.scenario_id)).toEqual(["../odd id"]);
    const { path, sha256: digest } = source.conversations[0]!.transcript;
    expect(path).toBe("transcripts/org-some-model--odd-id.jsonl");
    expect(digest).toBe(transcript.sha256);
    expect(readFileSync(join(output, path), "utf8")).toBe(lines);
  });
  it("gives equal bytes for equal inputs, wherever they lie", async () => {
    const runs = await Promise.all(
      [files(model), files(model)].map(async ({ directory, paths }) => {
        await importSource("invisiblebench", paths, join(directory, "out"));
        return ["run_manifest.json", "transcript_run.json"].map((name) =>
          readFileSync(join(directory, "out", name), "utf8"),
        );
      }),
    );
    expect(runs[0]).toEqual(runs[1]);
    expect(runs[0]!.join()).not.toContain("assay-import-");
  });
  it("says that a cost is unknown where one file's is", async () => {
    const other = {
      ...model,
      model_id: "org/other",
      source_runs: [{ ...model.source_runs[0], model_actual_cost_usd: null }],
    };
    const { directory, paths } = files(model, other);
    await importSource("invisiblebench", paths, join(directory, "out"));
    expect(loadSource(join(directory, "out")).summary.actual_cost_usd).toBeNull();
  });
  const changed = { ...transcript, turns: [turns[0], { ...turns[1], content: "No." }] };
  const reordered = {
    ...transcript,
    turns: [turns[0], { role: "assistant", turn: 1, content: "Yes.", branch_id: "a" }],
  };
  const noReply = '{"turn": 1, "role": "user", "content": "?"}\n';
  it.each([
    ["a changed word", [{ ...model, transcripts: [changed] }], "digest_mismatch", /scenario \.\.\/odd id/],
    ["another order of fields", [{ ...model, transcripts: [reordered] }], "digest_mismatch", /odd id/],
    [
      "another schema",
      [{ ...model, schema: "invisiblebench-transcripts/v1" }],
      "bad_source",
      /invisiblebench-transcripts\/v1/,
    ],
    ["no schema", [[1]], "bad_source", /\(none\)/],
    ["a wrong count", [{ ...model, transcript_count: 2 }], "source_disagrees", /is 2, but 1/],
    [
      "the same scenario twice",
      [{ ...model, transcript_count: 2, transcripts: [transcript, transcript] }],
      "duplicate_conversation",
      /odd id/,
    ],
    ["one file twice", [model, model], "duplicate_file", /named twice/],
    [
      "a digest that is none",
      [{ ...model, transcripts: [{ ...transcript, sha256: "x" }] }],
      "bad_source",
      /transcripts\.0\.sha256/,
    ],
    [
      "no reply",
      [
        {
          ...model,
          transcripts: [{ ...transcript, sha256: sha256(noReply), turns: [{ turn: 1, role: "user", content: "?" }] }],
        },
      ],
      "no_assistant_turn",
      /odd id/,
    ],
    ["broken JSON", ["{"], "bad_json", /in-0\.json/],
  ])("refuses %s and leaves nothing", async (_name, values, code, message) => {
    const error = await refusal("invisiblebench", ...values);
    expect(error.code).toBe(code);
    expect(error.message).toMatch(message);
  });
  it("refuses a format it does not know, and an output that exists", async () => {
    expect((await refusal("markdown", model)).message).toMatch(
      /--from takes chat, inspect, csv, parquet, invisiblebench/,
    );
    const { directory, paths } = files(model);
    await expect(importSource("invisiblebench", paths, directory)).rejects.toThrow(/exists already/);
  });
});

describe("transcript paths", () => {
  it("are never the same, and never leave the folder", () => {
    const path = transcriptPaths();
    const made = [
      path("a/b", "x"),
      path("a-b", "x"),
      path("A/B", "X"),
      path("a", "b".repeat(300)),
      path("a", `${"b".repeat(300)}c`),
      path("..", "/"),
    ];
    expect(new Set(made).size).toBe(made.length);
    for (const one of made) expect(one).toMatch(/^transcripts\/[a-z0-9_-]+\.jsonl$/);
  });
});

describe.skipIf(!existsSync(real))("the real conversations (skipped where ../shared is absent)", () => {
  it("have 126 digests, all checked", async () => {
    const output = join(mkdtempSync(join(tmpdir(), "assay-import-")), "out");
    const paths = readdirSync(real)
      .filter((name) => name.endsWith(".transcripts.json"))
      .map((name) => join(real, name));
    const report = await importSource("invisiblebench", paths, output);
    expect(report).toMatchObject({ conversations: 126, digests_checked: 126, turns: 1428, assistant_turns: 714 });
    expect(loadSource(output).conversations).toHaveLength(126);
  });
});
