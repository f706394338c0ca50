import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";

/*
 * An independent reading of the bundles: JSON and arithmetic only, nothing of the engine, the tables or the pages.
 */

export const VERDICTS = ["PASS", "FAIL", "UNCLEAR", "NOT_APPLICABLE"] as const;

/** Just what is counted, stated here again. */
const Plan = z.object({
  claim: z.string(),
  judge: z.object({ name: z.string(), context: z.string() }),
  sources: z.array(
    z.object({
      run_id: z.string(),
      summary: z.object({ path: z.string() }),
      study: z.object({ path: z.string() }).optional(),
    }),
  ),
});
const Summary = z.object({
  research_expectations: z
    .array(z.object({ scenario_id: z.string(), check_id: z.string(), expected: z.string() }))
    .default([]),
});
const Rendered = z.object({
  study: z.object({
    id: z.string(),
    pairs: z.array(z.object({ check: z.string(), cases: z.tuple([z.string(), z.string()]) })),
  }),
});

interface Judgment {
  model_id: string;
  scenario_id: string;
  check_id: string;
  check_sha256: string;
  transcript_sha256: string;
  evidence_context_sha256: string;
  verdict: string | null;
  asked: number;
  possible: string[];
  observations: { role: string; turn: number; key: string; input_sha256: string; value: number | null | object }[];
  evidence: { role: string; turn: number; start: number; end: number; quote: string }[];
}

export interface BundleCounts {
  scan: string;
  path: string;
  claim: string;
  /** The study, or the source run where there is none. */
  collection: string;
  judge: string;
  context: string;
  judgments: Judgment[];
  /** `scenario|check` -> expected, from the labels frozen with the sources. */
  expected: Map<string, string>;
  /** The pairs of the frozen study: check, then the two cases. */
  pairs: [check: string, before: string, after: string][];
}

/** Bundles below these roots by scan id, only those the site says it shows. */
export function readBundles(roots: readonly string[], dist: string): BundleCounts[] {
  const build = JSON.parse(readFileSync(join(dist, "data", "build.json"), "utf8")) as {
    scans: { scan_id: string; plan_sha256?: string }[];
  };
  const shown = new Set(build.scans.map(({ scan_id }) => scan_id));
  const found = roots
    .flatMap((root) => readdirSync(root).map((name) => join(root, name)))
    .filter((path) => existsSync(join(path, "judgments.jsonl")));
  const bundles = found.map((path) => readBundle(path));
  return [...shown].map((scan) => {
    const bundle = bundles.find((candidate) => candidate.scan === scan);
    if (bundle === undefined) throw new Error(`no bundle of ${scan}`);
    return bundle;
  });
}

function readBundle(path: string): BundleCounts {
  const bytes = readFileSync(join(path, "scan_plan.json"));
  const plan = Plan.parse(JSON.parse(bytes.toString("utf8")));
  const judgments = readFileSync(join(path, "judgments.jsonl"), "utf8")
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line) as Judgment);
  const expected = new Map<string, string>();
  const pairs: BundleCounts["pairs"] = [];
  let study = "";
  for (const source of plan.sources) {
    const summary = Summary.parse(JSON.parse(readFileSync(join(path, source.summary.path), "utf8")));
    for (const label of summary.research_expectations)
      expected.set(`${label.scenario_id}|${label.check_id}`, label.expected);
    if (source.study !== undefined) {
      const rendered = Rendered.parse(JSON.parse(readFileSync(join(path, source.study.path), "utf8")));
      study = rendered.study.id;
      for (const pair of rendered.study.pairs) pairs.push([pair.check, pair.cases[0], pair.cases[1]]);
    }
  }
  const name = `${study === "" ? plan.sources[0]?.run_id : study}-${plan.judge.name}-${plan.judge.context}`
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, "-");
  const scan = `${name}-${sha8(bytes)}`;
  return {
    scan,
    path,
    collection: study === "" ? (plan.sources[0]?.run_id ?? "") : study,
    claim: plan.claim,
    judge: plan.judge.name,
    context: plan.judge.context,
    judgments,
    expected,
    pairs,
  };
}

function sha8(bytes: Uint8Array): string {
  return createHash("sha256").update(bytes).digest("hex").slice(0, 8);
}

export function verdictCounts(judgments: readonly Judgment[]): number[] {
  return VERDICTS.map((verdict) => judgments.filter((judgment) => judgment.verdict === verdict).length);
}

/** Expected by observed, as a 4 x 4 in the order of VERDICTS. */
export function confusion({ judgments, expected }: BundleCounts): number[][] {
  const cell = (row: string, column: string): number =>
    judgments.filter(
      (judgment) => judgment.verdict === column && expected.get(`${judgment.scenario_id}|${judgment.check_id}`) === row,
    ).length;
  return VERDICTS.map((row) => VERDICTS.map((column) => cell(row, column)));
}

/** [met, counted]: labels that expect PASS, FAIL or NOT_APPLICABLE, and those of them that were given. */
export function met(bundle: BundleCounts): [number, number] {
  const cells = confusion(bundle);
  const counted = [0, 1, 3];
  return [
    counted.reduce((sum, i) => sum + (cells[i]?.[i] ?? 0), 0),
    counted.reduce((sum, i) => sum + (cells[i] ?? []).reduce((a, b) => a + b, 0), 0),
  ];
}

/** [consistent, counted]: pairs whose two labels both count, and those of them with both verdicts as expected. */
export function consistentPairs({ judgments, expected, pairs }: BundleCounts): [number, number] {
  const of = (scenario: string, check: string): [string | undefined, string | null | undefined] => [
    expected.get(`${scenario}|${check}`),
    judgments.find((judgment) => judgment.scenario_id === scenario && judgment.check_id === check)?.verdict,
  ];
  const counted = pairs
    .map(([check, before, after]) => [of(before, check), of(after, check)] as const)
    .filter((sides) => sides.every(([label]) => label !== undefined && label !== "UNCLEAR"));
  return [counted.filter((sides) => sides.every(([label, verdict]) => label === verdict)).length, counted.length];
}

/** [same, shared]: judgments two bundles share byte for byte, and those with the same verdict. */
export function agreement(a: BundleCounts, b: BundleCounts): [number, number] {
  const key = (judgment: Judgment): string =>
    `${judgment.model_id}|${judgment.scenario_id}|${judgment.check_id}|${judgment.check_sha256}|${judgment.evidence_context_sha256}`;
  const other = new Map(b.judgments.map((judgment) => [key(judgment), judgment.verdict]));
  const shared = a.judgments.filter(
    (judgment) => judgment.verdict !== null && (other.get(key(judgment)) ?? null) !== null,
  );
  return [shared.filter((judgment) => other.get(key(judgment)) === judgment.verdict).length, shared.length];
}
