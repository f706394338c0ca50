import { AssayError } from "../canon/errors.ts";
import { observe } from "../evidence/observations.ts";
import { effectsOf } from "../rules/index.ts";
import { openAnswers } from "../scan/answers.ts";
import { readJudgments, readPlan, readRequestLines } from "../scan/bundle.ts";
import { requireFrozen } from "../scan/frozen.ts";
import { scanIdOf } from "../scan/identity.ts";
import { judgedConversation } from "../scan/requests.ts";
import { readSeal } from "../scan/seal.ts";
import type { PlannedConversation } from "../schema/plan.ts";
import { CLAIM_TEXT, type WorldVerdict } from "../schema/verdict.ts";
import { requireFinished } from "./finished.ts";
import { FamilyCounter, type QuestionFamily } from "./question-families.ts";
import { linesByConversation, savedValues } from "./saved-values.ts";

/** One unresolved observation whose resolution, alone, makes the verdicts possible strictly fewer. */
export interface QuestionEffect {
  conversation: number;
  model_id: string;
  scenario_id: string;
  check_id: string;
  question: string;
  role: string;
  turn: number;
  /** The exact observation key. */
  key: string;
  /** `possible` joined by |: PASS|NOT_APPLICABLE is another question than PASS|FAIL. */
  stake: string;
  possible: WorldVerdict[];
  resolutions: { resolution: string; possible: WorldVerdict[] }[];
}

/** UNCLEAR judgments with one set of possible verdicts. */
export interface Stake {
  stake: string;
  possible: WorldVerdict[];
  /** UNCLEAR judgments, those of them with an effect, and effects. */
  unclear: number;
  affected: number;
  effects: number;
}

export type JudgmentLevel =
  | { status: "unavailable"; reason: string }
  | {
      status: "available";
      judgments: number;
      unclear: number;
      not_judged: number;
      /** UNCLEAR judgments that one answer alone could narrow. The others need several together. */
      affected_judgments: number;
      stakes: Stake[];
      effects: QuestionEffect[];
    };

/** `data` of `bench questions --json`. */
export interface QuestionsReport {
  scan_id: string;
  accuracy_claim: false;
  claim: string;
  claim_text: string;
  judge: string;
  context: string;
  thresholds: { low: number; high: number };
  repeats: number;
  observations: number;
  answered: number;
  /** Raw probabilities, by check and question, in the order in which they are asked. */
  families: QuestionFamily[];
  judgment_level: JudgmentLevel;
  note: string;
}

export const ONE_AT_A_TIME =
  "Effects resolve one answer at a time. Some judgments need several answers to resolve together, so no effect does not prove that an unresolved answer is irrelevant.";

/**
 * What the saved answers leave open, in two separate parts: probabilities by question, and the answers whose
 * resolution could narrow a verdict. A scan that is not sealed has the first part only. One conversation at a time.
 * Throws `failed_verification` on a damaged sealed scan, `no_plan`, `journal_corrupt`, `digest_mismatch`.
 */
export async function questionsOf(path: string): Promise<QuestionsReport> {
  const bundle = readPlan(path);
  const { directory, plan, plan_sha256 } = bundle;
  const sealed = readSeal(directory) !== undefined;
  if (sealed) await requireFinished(directory);
  else await requireFrozen(bundle, [plan.requests]);
  const answers = await openAnswers(directory);
  const families = new FamilyCounter(plan.judge.thresholds, plan.judge.repeats);
  const effects = new EffectCounter();
  const judgments = sealed ? readJudgments(directory) : undefined;
  let observations = 0;
  let answered = 0;
  try {
    for await (const [index, lines] of linesByConversation(
      readRequestLines(directory, plan),
      plan.conversations.length,
    )) {
      const conversation = judgedConversation(directory, plan, index);
      const saved = savedValues(lines, answers, plan.judge.repeats);
      for (const { id, check } of plan.checks) {
        for (const observation of observe(check, conversation)) {
          const values = saved.all(observation);
          observations += 1;
          if (values[0] !== undefined) answered += 1;
          families.add(id, observation, values);
        }
        if (judgments === undefined) continue;
        const next = await judgments.next();
        const judgment = next.done ? undefined : next.value;
        if (judgment?.conversation !== index || judgment.check_id !== id)
          throw new AssayError("corrupt_scan", "its judgments are not in the plan's order", { file: directory });
        if (judgment.verdict !== "UNCLEAR") effects.other(judgment.verdict === null);
        else {
          const found = effectsOf(check, conversation, saved.at(0), plan.judge.thresholds);
          effects.unclear(index, plan.conversations[index]!, id, judgment.possible, found);
        }
      }
    }
  } finally {
    answers.close();
  }
  const planned = plan.requests.distinct * plan.judge.repeats;
  return {
    scan_id: scanIdOf(plan, plan_sha256),
    accuracy_claim: false,
    claim: plan.claim,
    claim_text: CLAIM_TEXT[plan.claim],
    judge: plan.judge.name,
    context: plan.judge.context,
    thresholds: plan.judge.thresholds,
    repeats: plan.judge.repeats,
    observations,
    answered,
    families: families.result(),
    judgment_level: sealed
      ? effects.result()
      : {
          status: "unavailable",
          reason: `the scan is not finished and sealed: ${answers.index.answers.size} of ${planned} requests are answered, and a judgment may rest on any of the others`,
        },
    note: ONE_AT_A_TIME,
  };
}

class EffectCounter {
  readonly #stakes = new Map<string, Stake>();
  readonly #effects: QuestionEffect[] = [];
  #judgments = 0;
  #unclear = 0;
  #notJudged = 0;

  other(notJudged: boolean): void {
    this.#judgments += 1;
    if (notJudged) this.#notJudged += 1;
  }

  unclear(
    conversation: number,
    { model_id, scenario_id }: PlannedConversation,
    check_id: string,
    possible: WorldVerdict[],
    found: ReturnType<typeof effectsOf>,
  ): void {
    this.#judgments += 1;
    this.#unclear += 1;
    const stake = possible.join("|");
    const row = this.#stakes.get(stake) ?? { stake, possible, unclear: 0, affected: 0, effects: 0 };
    row.unclear += 1;
    row.affected += found.length > 0 ? 1 : 0;
    row.effects += found.length;
    this.#stakes.set(stake, row);
    for (const { observation, possible: now, resolutions } of found) {
      const { question, role, turn, key } = observation;
      const place = { conversation, model_id, scenario_id, check_id, question, role, turn, key };
      this.#effects.push({ ...place, stake, possible: now, resolutions });
    }
  }

  result(): JudgmentLevel {
    const stakes = [...this.#stakes.values()].sort((a, b) => (a.stake < b.stake ? -1 : 1));
    return {
      status: "available",
      judgments: this.#judgments,
      unclear: this.#unclear,
      not_judged: this.#notJudged,
      affected_judgments: stakes.reduce((sum, { affected }) => sum + affected, 0),
      stakes,
      effects: this.#effects,
    };
  }
}
