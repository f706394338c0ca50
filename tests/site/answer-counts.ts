import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { BundleCounts } from "./counts.ts";

/*
 * Answers counted from `judgments.jsonl` and `answers.jsonl`: JSON and arithmetic only.
 */

const LOW = 0.35;
const HIGH = 0.65;

/** The question of an observation key: what is left of `<check>/<reference turn>/<question>/<place in a list>`. */
function questionOf(key: string): string {
  const parts = key.split("/").slice(1);
  const name = parts.find((part) => part !== "reply" && !/^\d+$/.test(part)) ?? "";
  return name.replace(/\[\d+\]$/, "");
}

export interface Family {
  unresolved: number;
  answers: number;
  yes: number;
  no: number;
}

/** Yes/no questions by `check question`, over the answers that the judgments list. */
export function questionFamilies({ judgments }: BundleCounts): Map<string, Family> {
  const families = new Map<string, Family>();
  for (const { check_id, observations } of judgments)
    for (const { key, value } of observations) {
      if (typeof value !== "number") continue;
      const name = `${check_id} ${questionOf(key)}`;
      const own = families.get(name) ?? { unresolved: 0, answers: 0, yes: 0, no: 0 };
      own.answers += 1;
      if (value >= HIGH) own.yes += 1;
      else if (value <= LOW) own.no += 1;
      else own.unresolved += 1;
      families.set(name, own);
    }
  return families;
}

/** UNCLEAR judgments by the verdicts still possible, joined by "|". */
export function stakes({ judgments }: BundleCounts): Map<string, number> {
  const counts = new Map<string, number>();
  for (const { verdict, possible } of judgments)
    if (verdict === "UNCLEAR") counts.set(possible.join("|"), (counts.get(possible.join("|")) ?? 0) + 1);
  return counts;
}

/** Observations by `check question` whose repeats are not read alike, of those with two or more; one question a request. */
export function otherBand({ path, judgments }: BundleCounts): Map<string, [other: number, observations: number]> {
  const given = new Map<string, number[]>();
  for (const line of readFileSync(join(path, "answers.jsonl"), "utf8").trimEnd().split("\n")) {
    const entry = JSON.parse(line) as { kind: string; input_sha256: string; answers?: { q1?: number } };
    if (entry.kind !== "answer" || entry.answers?.q1 === undefined) continue;
    given.set(entry.input_sha256, [...(given.get(entry.input_sha256) ?? []), entry.answers.q1]);
  }
  const band = (p: number): string => (p >= HIGH ? "yes" : p <= LOW ? "no" : "open");
  const counts = new Map<string, [number, number]>();
  for (const { check_id, observations } of judgments)
    for (const { key, input_sha256 } of observations) {
      const values = given.get(input_sha256) ?? [];
      if (values.length < 2) continue;
      const name = `${check_id} ${questionOf(key)}`;
      const [other, all] = counts.get(name) ?? [0, 0];
      counts.set(name, [other + (new Set(values.map(band)).size > 1 ? 1 : 0), all + 1]);
    }
  return counts;
}

/** [same, joined] by check: a scan's verdicts and another engine's over the same conversations, under a map. */
export function foreignAgreement(
  { judgments }: BundleCounts,
  directory: string,
  map: readonly { foreign_id: string; check_id: string }[],
): Map<string, [same: number, joined: number]> {
  const theirs = new Map<string, string>();
  for (const line of readFileSync(join(directory, "foreign_judgments.jsonl"), "utf8").trimEnd().split("\n")) {
    const row = JSON.parse(line) as Record<
      "model_id" | "scenario_id" | "foreign_id" | "transcript_sha256" | "verdict",
      string
    >;
    const check = map.find(({ foreign_id }) => foreign_id === row.foreign_id)?.check_id;
    if (check !== undefined)
      theirs.set(`${check} ${row.model_id}/${row.scenario_id} ${row.transcript_sha256}`, row.verdict);
  }
  const counts = new Map<string, [number, number]>();
  for (const { check_id, model_id, scenario_id, transcript_sha256, verdict } of judgments) {
    const other = theirs.get(`${check_id} ${model_id}/${scenario_id} ${transcript_sha256}`);
    if (other === undefined || verdict === null) continue;
    const [same, joined] = counts.get(check_id) ?? [0, 0];
    counts.set(check_id, [same + (other === verdict ? 1 : 0), joined + 1]);
  }
  return counts;
}
