import { bandOf } from "../rules/index.ts";
import type { Thresholds } from "../schema/judge.ts";
import type { AnswerValue, Observation } from "../schema/request.ts";

export const BINS = 10;

/** Raw answers of one question of one check, wherever it was asked. Counts are of observations. */
export interface QuestionFamily {
  check_id: string;
  question: string;
  type: "noul" | "choice";
  /** Observations with an answer to the first repeat, and planned ones without. */
  answers: number;
  unanswered: number;
  unresolved: number;
  /** Yes/no questions; null for a choice. */
  yes: number | null;
  no: number | null;
  /** Mean P(yes); for a choice, of the likeliest option. null without an answer. */
  mean: number | null;
  /** Ten equal bins over what `mean` is a mean of; the last holds 1. */
  histogram: number[];
  /** Choices: how often each option was the chosen one, and its mean probability. */
  options: Record<string, { chosen: number; mean: number }> | null;
  /** How one judge's repeats of the same request differ; null where each was asked once. */
  noise: Noise | null;
}

export interface Noise {
  /** Observations with two or more answered repeats. */
  observations: number;
  /** Highest less lowest probability of one observation; for a choice, of its most moving option. */
  mean_range: number | null;
  max_range: number | null;
  /** Observations whose band (yes, no, open; or the chosen option) is not the same in all repeats. */
  other_band: number;
}

interface Sums {
  family: QuestionFamily;
  total: number;
  options: Map<string, { chosen: number; total: number }>;
  ranges: number;
}

/** Gathers families as answers stream past; memory is one entry a family. */
export class FamilyCounter {
  readonly #families = new Map<string, Sums>();
  readonly #thresholds: Thresholds;
  readonly #repeats: number;

  constructor(thresholds: Thresholds, repeats: number) {
    this.#thresholds = thresholds;
    this.#repeats = repeats;
  }

  /** `values` by repeat; undefined: never answered. */
  add(check_id: string, observation: Observation, values: readonly (AnswerValue | undefined)[]): void {
    const sums = this.#of(check_id, observation);
    const { family } = sums;
    const first = values[0];
    if (first === undefined) family.unanswered += 1;
    else this.#count(sums, first);
    const given = values.filter((value) => value !== undefined);
    if (family.noise === null || given.length < 2) return;
    const range = rangeOf(given);
    family.noise.observations += 1;
    family.noise.max_range = Math.max(family.noise.max_range ?? 0, range);
    sums.ranges += range;
    if (new Set(given.map((value) => bandOfAnswer(value, this.#thresholds))).size > 1) family.noise.other_band += 1;
  }

  result(): QuestionFamily[] {
    return [...this.#families.values()].map(({ family, total, options, ranges }) => ({
      ...family,
      mean: family.answers === 0 ? null : rounded(total / family.answers),
      options:
        family.type === "noul"
          ? null
          : Object.fromEntries(
              [...options].map(([option, sum]) => [
                option,
                { chosen: sum.chosen, mean: rounded(sum.total / family.answers) },
              ]),
            ),
      noise:
        family.noise === null || family.noise.observations === 0
          ? family.noise
          : {
              ...family.noise,
              mean_range: rounded(ranges / family.noise.observations),
              max_range: rounded(family.noise.max_range ?? 0),
            },
    }));
  }

  #of(check_id: string, { question, type }: Observation): Sums {
    const key = `${check_id}/${question}`;
    let sums = this.#families.get(key);
    if (sums === undefined) {
      const yesNo = type === "noul" ? 0 : null;
      const noise = this.#repeats < 2 ? null : { observations: 0, mean_range: null, max_range: null, other_band: 0 };
      sums = {
        family: {
          check_id,
          question,
          type,
          answers: 0,
          unanswered: 0,
          unresolved: 0,
          yes: yesNo,
          no: yesNo,
          mean: null,
          histogram: Array.from({ length: BINS }, () => 0),
          options: null,
          noise,
        },
        total: 0,
        options: new Map(),
        ranges: 0,
      };
      this.#families.set(key, sums);
    }
    return sums;
  }

  #count(sums: Sums, value: AnswerValue): void {
    const { family } = sums;
    const likeliest = typeof value === "number" ? value : Math.max(...Object.values(value));
    family.answers += 1;
    sums.total += likeliest;
    const bin = Math.min(BINS - 1, Math.floor(likeliest * BINS));
    family.histogram[bin] = (family.histogram[bin] ?? 0) + 1;
    const band = bandOfAnswer(value, this.#thresholds);
    if (band === "open") family.unresolved += 1;
    if (typeof value === "number") {
      if (band === "yes") family.yes = (family.yes ?? 0) + 1;
      if (band === "no") family.no = (family.no ?? 0) + 1;
      return;
    }
    for (const [option, p] of Object.entries(value)) {
      const sum = sums.options.get(option) ?? { chosen: 0, total: 0 };
      sum.total += p;
      if (band === `option ${option}`) sum.chosen += 1;
      sums.options.set(option, sum);
    }
  }
}

/** yes, no, open, or `option <name>`. */
function bandOfAnswer(value: AnswerValue, thresholds: Thresholds): string {
  if (typeof value === "number") return bandOf(value, thresholds);
  const chosen = Object.entries(value).find(([, p]) => p >= thresholds.high);
  return chosen === undefined ? "open" : `option ${chosen[0]}`;
}

function rangeOf(values: readonly AnswerValue[]): number {
  const spread = (numbers: readonly number[]): number => Math.max(...numbers) - Math.min(...numbers);
  const numbers = values.filter((value) => typeof value === "number");
  if (numbers.length === values.length) return spread(numbers);
  const records = values.filter((value) => typeof value !== "number");
  const options = [...new Set(records.flatMap((value) => Object.keys(value)))];
  return Math.max(...options.map((option) => spread(records.map((value) => value[option] ?? 0))));
}

/** Sums of probabilities carry rounding dust that says nothing. */
function rounded(value: number): number {
  return Number(value.toFixed(6));
}
