import { possibleOf } from "../rules/index.ts";
import { observe } from "../evidence/observations.ts";
import { openAnswers } from "../scan/answers.ts";
import { readRequestLines, type Bundle } from "../scan/bundle.ts";
import { judgedConversation } from "../scan/requests.ts";
import type { ForeignJudgment } from "../schema/foreign.ts";
import { VERDICTS, type Verdict } from "../schema/verdict.ts";
import { krippendorffAlpha } from "../stats/index.ts";
import { agreedShare, type AgreedShare } from "./pair-agreement.ts";
import { linesByConversation, savedValues } from "./saved-values.ts";

export interface RepeatCounts {
  /** Judgments with two or more repeats; how many have one verdict in all of them, and how many are split. */
  judgments: number;
  unanimous: AgreedShare;
  split: number;
  /** Later repeats with another verdict than the first: what a change of nothing changes. */
  changed: AgreedShare;
  /** Over judgments and repeats; null with its reason. */
  alpha: { value: number | null; reason: string | null };
  /** The most frequent verdict: a judge that always gives it is never split, so this is no sign of being right. */
  constant: Verdict | null;
  constant_share: AgreedShare;
}

export interface SplitJudgment {
  model_id: string;
  scenario_id: string;
  /** A check id, or the other engine's id. */
  about: string;
  repeats: Verdict[];
}

/** One judge against itself, asked the same again. */
export interface SelfAgreement {
  from: "native repeats" | "foreign repeats";
  overall: RepeatCounts;
  checks: ({ about: string } & RepeatCounts)[];
  split_judgments: SplitJudgment[];
}

/** From judgments with the verdicts of their repeats; null where none has two. */
export function selfOf(rows: Iterable<SplitJudgment>, from: SelfAgreement["from"]): SelfAgreement | null {
  const gather = new Repeats();
  for (const row of rows) gather.add(row);
  return gather.result(from);
}

/** From the repeats that another engine recorded. */
export async function selfOfForeign(rows: AsyncIterable<ForeignJudgment>): Promise<SelfAgreement | null> {
  const gather = new Repeats();
  for await (const { model_id, scenario_id, foreign_id, repeats } of rows)
    gather.add({ model_id, scenario_id, about: foreign_id, repeats });
  return gather.result("foreign repeats");
}

/** The verdict each repeat of a finished scan's requests would give; a judgment that asks nothing has no repeats. */
export async function selfOfScan({ directory, plan }: Bundle): Promise<SelfAgreement | null> {
  const { repeats, thresholds } = plan.judge;
  const gather = new Repeats();
  const answers = await openAnswers(directory);
  try {
    for await (const [index, lines] of linesByConversation(
      readRequestLines(directory, plan),
      plan.conversations.length,
    )) {
      const { model_id, scenario_id } = plan.conversations[index]!;
      const conversation = judgedConversation(directory, plan, index);
      const saved = savedValues(lines, answers, repeats);
      for (const { id, check } of plan.checks) {
        const observations = observe(check, conversation);
        if (observations.length === 0) continue;
        const verdicts: Verdict[] = [];
        for (let repeat = 0; repeat < repeats; repeat++) {
          const lookup = saved.at(repeat);
          if (observations.some((observation) => lookup(observation) === undefined)) continue;
          const possible = possibleOf(check, conversation, lookup, thresholds);
          verdicts.push(possible.length === 1 ? possible[0]! : "UNCLEAR");
        }
        gather.add({ model_id, scenario_id, about: id, repeats: verdicts });
      }
    }
  } finally {
    answers.close();
  }
  return gather.result("native repeats");
}

class Repeats {
  readonly #byCheck = new Map<string, Verdict[][]>();
  readonly #split: SplitJudgment[] = [];

  add(row: SplitJudgment): void {
    if (row.repeats.length < 2) return;
    const units = this.#byCheck.get(row.about) ?? [];
    units.push(row.repeats);
    this.#byCheck.set(row.about, units);
    if (new Set(row.repeats).size > 1) this.#split.push(row);
  }

  result(from: SelfAgreement["from"]): SelfAgreement | null {
    if (this.#byCheck.size === 0) return null;
    const checks = [...this.#byCheck].sort(([a], [b]) => (a < b ? -1 : 1));
    return {
      from,
      overall: countRepeats(checks.flatMap(([, units]) => units)),
      checks: checks.map(([about, units]) => ({ about, ...countRepeats(units) })),
      split_judgments: this.#split,
    };
  }
}

function countRepeats(units: readonly (readonly Verdict[])[]): RepeatCounts {
  const split = units.filter((verdicts) => new Set(verdicts).size > 1).length;
  const { alpha, reason } = krippendorffAlpha(
    units.map((verdicts) => verdicts.map((verdict) => VERDICTS.indexOf(verdict))),
    "nominal",
  );
  const all = units.flat();
  const totals = VERDICTS.map((verdict) => all.filter((given) => given === verdict).length);
  const most = Math.max(...totals);
  return {
    judgments: units.length,
    unanimous: agreedShare(units.length - split, units.length),
    split,
    changed: agreedShare(
      units.reduce((sum, [first, ...later]) => sum + later.filter((verdict) => verdict !== first).length, 0),
      units.reduce((sum, verdicts) => sum + verdicts.length - 1, 0),
    ),
    alpha: { value: alpha, reason: reason ?? null },
    constant: all.length === 0 ? null : (VERDICTS[totals.indexOf(most)] ?? null),
    constant_share: agreedShare(all.length === 0 ? 0 : most, all.length),
  };
}
