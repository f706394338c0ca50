import { z } from "zod";
import { AssayError } from "../canon/errors.ts";
import { parseWith } from "../canon/json.ts";
import { Count } from "../schema/common.ts";
import { Verdict } from "../schema/verdict.ts";
import type { ForeignFile } from "./given.ts";

export const INVISIBLEBENCH_SCORES = "invisiblebench-model-score-evidence/v1";

const ModeResult = z.object({
  mode_id: z.string().min(1),
  verdict: Verdict,
  scorer_type: z.string().default(""),
  scorer_version: z.string().default(""),
  prompt_hash: z.string().nullable().default(null),
  evidence: z
    .array(z.object({ role: z.string().min(1), turn: z.number().int().min(1), quote: z.string() }))
    .default([]),
  extra: z.object({ all_verdicts: z.array(Verdict).default([]) }).default({ all_verdicts: [] }),
});

const Scores = z.object({
  schema: z.literal(INVISIBLEBENCH_SCORES),
  benchmark_version: z.string(),
  judge_model: z.string().min(1),
  model_id: z.string().min(1),
  row_count: Count,
  mode_result_count: Count,
  rows: z
    .array(
      z.object({
        model_id: z.string().min(1),
        scenario_id: z.string().min(1),
        engine_version: z.string().default(""),
        mode_results: z.array(ModeResult),
      }),
    )
    .min(1),
});

/**
 * One `<model>.scores.json`: a row per scenario, a verdict per mode. `extra.all_verdicts` are the repeats that its
 * verdict is made of. Throws `bad_record`, `source_disagrees` where its own counts do not hold.
 */
export function readInvisibleBenchScores(value: unknown, file: string): Omit<ForeignFile, "name" | "sha256"> {
  const scores = parseWith(Scores, value, { file }, "bad_record");
  const results = scores.rows.reduce((sum, { mode_results }) => sum + mode_results.length, 0);
  if (scores.rows.length !== scores.row_count || results !== scores.mode_result_count)
    throw new AssayError(
      "source_disagrees",
      `counts ${scores.row_count} rows and ${scores.mode_result_count} results, but holds ${scores.rows.length} and ${results}`,
      { file, fix: "get the whole file" },
    );
  const versions = [...new Set(scores.rows.map(({ engine_version }) => engine_version))].filter((text) => text !== "");
  return {
    format: INVISIBLEBENCH_SCORES,
    judge: scores.judge_model,
    engine: ["invisiblebench", scores.benchmark_version, ...versions].join(" "),
    judgments: scores.rows.flatMap(({ model_id, scenario_id, mode_results }) =>
      mode_results.map((result) => ({
        model_id,
        scenario_id,
        foreign_id: result.mode_id,
        verdict: result.verdict,
        repeats: result.extra.all_verdicts,
        scorer: [result.scorer_type, result.scorer_version, result.prompt_hash ?? ""]
          .filter((text) => text !== "")
          .join(" "),
        quotes: result.evidence,
      })),
    ),
    dropped: droppedFields(value, scores, ""),
  };
}

/** Fields that the schema above leaves behind, by path, with how often each occurs. */
function droppedFields(
  given: unknown,
  kept: unknown,
  path: string,
  counts = new Map<string, number>(),
): Map<string, number> {
  if (Array.isArray(given) && Array.isArray(kept))
    given.forEach((item, i) => droppedFields(item, kept[i], `${path}[]`, counts));
  else if (isRecord(given) && isRecord(kept))
    for (const [name, member] of Object.entries(given)) {
      const field = path === "" ? name : `${path}.${name}`;
      if (Object.hasOwn(kept, name)) droppedFields(member, kept[name], field, counts);
      else counts.set(field, (counts.get(field) ?? 0) + 1);
    }
  return counts;
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
