import { AssayError } from "../canon/errors.ts";
import { readCheckMap } from "../foreign/index.ts";
import type { CheckMapEntry } from "../schema/foreign.ts";
import { CLAIM_TEXT, VERDICTS, type Verdict } from "../schema/verdict.ts";
import { gwetAC1Raters, krippendorffAlpha } from "../stats/index.ts";
import { emptyMatrix, type Matrix } from "../validation/index.ts";
import { openSide, type Side } from "./agreement-sides.ts";
import { pairAgreement, type Coefficient, type PairAgreement } from "./pair-agreement.ts";
import type { SelfAgreement } from "./self-agreement.ts";

export const NOT_CORRECTNESS =
  "Agreement is not correctness: two judges can agree and both be wrong, and a constant one agrees often. No label says which is right.";

export interface JudgeSide extends Pick<Side, "id" | "kind" | "judge" | "under" | "judgments"> {
  conversations: number;
  unmapped: { foreign_id: string; judgments: number }[];
}

export interface Disagreement {
  check_id: string;
  model_id: string;
  scenario_id: string;
  transcript_sha256: string;
  verdict_a: Verdict;
  verdict_b: Verdict;
  /** A side gave its verdict without asking its judge anything. */
  not_asked: boolean;
}

export interface CheckPair extends PairAgreement {
  check_id: string;
  /** Same check bytes, or another engine's definition joined by the declared map. */
  definitions: "same" | "different";
  not_judged: number;
  not_asked: number;
}

export interface JudgePair {
  a: string;
  b: string;
  conversations: { shared: number; a_only: number; b_only: number; other_bytes: number; other_context: number };
  /** Checks that both hold under other definitions without a map: left out. */
  changed_definitions: string[];
  overall: PairAgreement & { not_judged: number; not_asked: number };
  checks: CheckPair[];
  disagreements: Disagreement[];
}

/** All judges of a check at once, over conversations that two or more of them judged. */
export interface AllJudges {
  check_id: string;
  judges: string[];
  units: number;
  alpha: { value: number | null; reason: string | null };
  ac1: Coefficient;
}

/** `data` of `bench agreement --json`. */
export interface AgreementReport {
  accuracy_claim: false;
  claim: "target_model_conversations";
  claim_text: string;
  note: string;
  judges: JudgeSide[];
  map: CheckMapEntry[];
  /** Entries of the map that no given judgment meets. */
  map_unused: CheckMapEntry[];
  pairs: JudgePair[];
  all_judges: AllJudges[];
  /** One entry a judge that was asked more than once. */
  self: ({ id: string } & SelfAgreement)[];
}

/**
 * How judges agree over target-model conversations: finished scans, and foreign judgments under a declared map,
 * joined by conversation and transcript digest. Throws `one_judge`, `same_judge_twice`, `bad_map`,
 * `fixture_conversations`, and what opening scans throws.
 */
export async function agreementOf(paths: readonly string[], mapFile?: string): Promise<AgreementReport> {
  const map = mapFile === undefined ? undefined : readCheckMap(mapFile);
  const sides: Side[] = [];
  for (const path of paths) {
    const side = await openSide(path, map);
    if (sides.some(({ id }) => id === side.id))
      throw new AssayError("same_judge_twice", `is ${side.id}, which is named already`, {
        file: path,
        fix: "name each once",
      });
    sides.push(side);
  }
  const self = sides.flatMap((side) => (side.self === null ? [] : [{ id: side.id, ...side.self }]));
  if (sides.length < 2 && self.length === 0)
    throw new AssayError("one_judge", "one judge without repeats agrees with nobody", {
      fix: "name two or more scans or directories of foreign judgments",
    });
  return {
    accuracy_claim: false,
    claim: "target_model_conversations",
    claim_text: CLAIM_TEXT.target_model_conversations,
    note: NOT_CORRECTNESS,
    judges: sides.map(({ id, kind, judge, under, judgments, conversations, unmapped }) => ({
      ...{ id, kind, judge, under, judgments },
      conversations: conversations.size,
      unmapped: [...unmapped]
        .sort(([a], [b]) => (a < b ? -1 : 1))
        .map(([foreign_id, n]) => ({ foreign_id, judgments: n })),
    })),
    map: map?.entries ?? [],
    map_unused: (map?.entries ?? []).filter(({ check_id }) => {
      const holders = sides.filter((side) => side.checks.has(check_id));
      return holders.length < 2 || !holders.some(({ kind }) => kind === "foreign");
    }),
    pairs: sides.flatMap((a, i) => sides.slice(i + 1).map((b) => comparePair(a, b))),
    all_judges: allJudges(sides),
    self,
  };
}

function comparePair(a: Side, b: Side): JudgePair {
  const shared: string[] = [];
  const counts = { shared: 0, a_only: 0, b_only: 0, other_bytes: 0, other_context: 0 };
  for (const [key, one] of a.conversations) {
    const other = b.conversations.get(key);
    if (other === undefined) counts.a_only += 1;
    else if (other.transcript_sha256 !== one.transcript_sha256) counts.other_bytes += 1;
    // A foreign engine records no memory context; its judgments are joined by transcript alone.
    else if (one.context !== null && other.context !== null && one.context !== other.context) counts.other_context += 1;
    else shared.push(key);
  }
  counts.shared = shared.length;
  counts.b_only = [...b.conversations.keys()].filter((key) => !a.conversations.has(key)).length;

  const total = { table: emptyMatrix(), not_judged: 0, not_asked: 0 };
  const changed: string[] = [];
  const checks: CheckPair[] = [];
  const disagreements: Disagreement[] = [];
  for (const [check_id, one] of [...a.checks].sort(([x], [y]) => (x < y ? -1 : 1))) {
    const other = b.checks.get(check_id);
    if (other === undefined) continue;
    const definitions = one.definition === other.definition ? "same" : "different";
    if (definitions === "different" && a.kind === "native" && b.kind === "native") {
      changed.push(check_id);
      continue;
    }
    const count = { table: emptyMatrix(), not_judged: 0, not_asked: 0 };
    for (const key of shared) {
      const [x, y] = [one.verdicts.get(key), other.verdicts.get(key)];
      if (x === undefined || y === undefined) continue;
      if (x.verdict === null || y.verdict === null) {
        count.not_judged += 1;
        continue;
      }
      const not_asked = x.not_asked || y.not_asked;
      count.table[x.verdict][y.verdict] += 1;
      if (not_asked) count.not_asked += 1;
      if (x.verdict === y.verdict) continue;
      const { model_id, scenario_id, transcript_sha256 } = a.conversations.get(key)!;
      disagreements.push({
        check_id,
        model_id,
        scenario_id,
        transcript_sha256,
        verdict_a: x.verdict,
        verdict_b: y.verdict,
        not_asked,
      });
    }
    checks.push({
      check_id,
      definitions,
      ...pairAgreement(count.table),
      not_judged: count.not_judged,
      not_asked: count.not_asked,
    });
    add(total.table, count.table);
    total.not_judged += count.not_judged;
    total.not_asked += count.not_asked;
  }
  return {
    a: a.id,
    b: b.id,
    conversations: counts,
    changed_definitions: changed,
    overall: { ...pairAgreement(total.table), not_judged: total.not_judged, not_asked: total.not_asked },
    checks,
    disagreements,
  };
}

function add(to: Matrix, from: Matrix): void {
  for (const row of VERDICTS) for (const column of VERDICTS) to[row][column] += from[row][column];
}

/** Only sides whose native definition is the first native one's; foreign sides are in by the map. */
function allJudges(sides: readonly Side[]): AllJudges[] {
  if (sides.length < 3) return [];
  const ids = [...new Set(sides.flatMap((side) => [...side.checks.keys()]))].sort();
  return ids.flatMap((check_id) => {
    const holders = sides.filter((side) => side.checks.has(check_id));
    const native = holders.find(({ kind }) => kind === "native")?.checks.get(check_id)?.definition;
    const judges = holders.filter(
      ({ kind, checks }) => kind === "foreign" || checks.get(check_id)?.definition === native,
    );
    if (judges.length < 3) return [];
    const keys = new Map<string, string>();
    for (const side of judges)
      for (const [key, { transcript_sha256 }] of side.conversations) keys.set(`${key} ${transcript_sha256}`, key);
    const units = [...keys].map(([place, key]) =>
      judges.map((side) => {
        const sha = side.conversations.get(key)?.transcript_sha256;
        return `${key} ${sha ?? ""}` === place ? (side.checks.get(check_id)?.verdicts.get(key)?.verdict ?? null) : null;
      }),
    );
    const pairable = units.filter((unit) => unit.filter((verdict) => verdict !== null).length > 1);
    const alpha = krippendorffAlpha(
      pairable.map((unit) => unit.map((verdict) => (verdict === null ? null : VERDICTS.indexOf(verdict)))),
      "nominal",
    );
    const ac1 = gwetAC1Raters(pairable, VERDICTS);
    return [
      {
        check_id,
        judges: judges.map(({ id }) => id),
        units: pairable.length,
        alpha: { value: alpha.alpha, reason: alpha.reason ?? null },
        ac1: { value: ac1.ac1, ci: ac1.ci, reason: ac1.reason ?? null },
      },
    ];
  });
}
