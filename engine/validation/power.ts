import { digestOf } from "../canon/json.ts";
import { parseJudge } from "../judges/settings.ts";
import { judgeInMemory, type UnsavedVerdict } from "../scan/in-memory.ts";
import type { Check } from "../schema/check.ts";
import type { ContextPolicy } from "../schema/judge.ts";
import type { Study } from "../schema/study.ts";
import type { Conversation } from "../schema/transcript.ts";
import type { Verdict } from "../schema/verdict.ts";
import type { Share } from "./agreement.ts";
import { pairConsistency, pairShare } from "./pairs.ts";

/*
 * The power of a battery: what judges that understand nothing, or see only the last exchange, already get right. A pair
 * that one of them gets right on both sides cannot tell understanding from habit; one that none does is discriminating.
 */

export interface TrivialJudge {
  judge: string;
  context: ContextPolicy;
}

export const TRIVIAL_JUDGES: readonly TrivialJudge[] = [
  { judge: "constant:yes", context: "full" },
  { judge: "constant:no", context: "full" },
  { judge: "constant:half", context: "full" },
  { judge: "overlap", context: "full" },
  { judge: "lexicon", context: "final_pair" },
];

/** What a trivial judge says of one labelled judgment. */
export interface TrivialVerdict extends TrivialJudge {
  case_id: string;
  check_id: string;
  expected: Verdict;
  observed: Verdict;
  /** Observations asked for; 0: fixed without asking. */
  asked: number;
}

export interface TrivialResult extends TrivialJudge {
  /** Right, of the labels that expect PASS, FAIL or NOT_APPLICABLE; not asked ones among the right. */
  right: Share;
  right_not_asked: number;
  /** Both cases right, of the pairs that count. */
  pairs: Share;
}

export interface PairPower {
  pair_id: string;
  boundary_id: string;
  check_id: string;
  /** Trivial judges that get both cases right, as `<judge> <context>`. */
  right_for: string[];
  /** No trivial judge gets both right. null: the pair does not count, because a case expects UNCLEAR or has no label. */
  discriminating: boolean | null;
}

export interface Power {
  judges: TrivialResult[];
  pairs: PairPower[];
  /** Discriminating pairs, of those that count. */
  discriminating: Share;
}

export interface StudyCase {
  id: string;
  conversation: Conversation;
}

/** The trivial judges over every labelled judgment of a study, asked here and now. Labels meet verdicts afterwards. */
export async function trivialVerdicts(
  study: Study,
  cases: readonly StudyCase[],
  checks: readonly { check: Check }[],
): Promise<TrivialVerdict[]> {
  const conversations = cases.map(({ conversation }) => conversation);
  const expected = new Map(study.cases.map(({ id, expectations }) => [id, expectations]));
  const found: TrivialVerdict[] = [];
  for (const trivial of TRIVIAL_JUDGES) {
    const verdicts = await judgedOnce(trivial, conversations, checks);
    cases.forEach(({ id: case_id }, i) => {
      for (const { check_id, verdict: observed, asked } of verdicts[i]!) {
        const label = expected.get(case_id)?.find(({ check }) => check === check_id);
        if (label !== undefined)
          found.push({ ...trivial, case_id, check_id, expected: label.expected, observed, asked });
      }
    });
  }
  return found;
}

/** A study that is being written is another one with every edit. */
const KEPT = 256;
const judged = new Map<string, Promise<UnsavedVerdict[][]>>();

/** One process meets the same study once for each of its scans; the verdicts are the same every time. */
async function judgedOnce(
  { judge, context }: TrivialJudge,
  conversations: readonly Conversation[],
  checks: readonly { check: Check }[],
): Promise<UnsavedVerdict[][]> {
  const key = digestOf([judge, context, conversations, checks.map(({ check }) => check)]);
  let verdicts = judged.get(key);
  if (verdicts === undefined) {
    if (judged.size >= KEPT) judged.clear();
    judged.set(key, (verdicts = judgeInMemory(parseJudge(judge, { context }), conversations, checks)));
  }
  return await verdicts;
}

/** What the verdicts amount to: per trivial judge, per pair, and over all. */
export function powerOf(study: Pick<Study, "pairs" | "boundaries">, verdicts: readonly TrivialVerdict[]): Power {
  const results = TRIVIAL_JUDGES.map((trivial) => {
    const own = verdicts.filter(({ judge, context }) => judge === trivial.judge && context === trivial.context);
    const counted = own.filter(({ expected }) => expected !== "UNCLEAR");
    const met = counted.filter(({ expected, observed }) => expected === observed);
    const rows = own.map(({ case_id: scenario_id, ...row }) => ({ ...row, scenario_id }));
    return { trivial, counted, met, pairs: pairConsistency(study, rows) };
  });
  const pairs = study.pairs.map(({ id, boundary, check }, i): PairPower => {
    const right = results.filter((result) => result.pairs[i]!.consistent === true);
    const counts = results.some((result) => result.pairs[i]!.consistent !== null);
    return {
      pair_id: id,
      boundary_id: boundary,
      check_id: check,
      right_for: right.map(({ trivial: { judge, context } }) => `${judge} ${context}`),
      discriminating: counts ? right.length === 0 : null,
    };
  });
  return {
    judges: results.map(({ trivial, counted, met, pairs: own }) => ({
      ...trivial,
      right: { numerator: met.length, denominator: counted.length },
      right_not_asked: met.filter(({ asked }) => asked === 0).length,
      pairs: pairShare(own),
    })),
    pairs,
    discriminating: {
      numerator: pairs.filter(({ discriminating }) => discriminating === true).length,
      denominator: pairs.filter(({ discriminating }) => discriminating !== null).length,
    },
  };
}
