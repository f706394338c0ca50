import type { Thresholds } from "../schema/judge.ts";
import type { AnswerValue } from "../schema/request.ts";
import type { Share } from "../validation/index.ts";

/** How two answers to each of some questions lie apart. A choice is compared option by option. */
export interface AnswerMoves {
  answers: number;
  probabilities: number;
  mean_absolute_delta: number | null;
  max_absolute_delta: number | null;
  /** Answers whose band (yes, no, open, or the chosen option) is another, each side read with its own thresholds. */
  changed_bands: Share;
  /** `"open->yes": n`. */
  bands: Record<string, number>;
}

export class MoveCounter {
  readonly #from: Thresholds;
  readonly #to: Thresholds;
  readonly #bands = new Map<string, number>();
  #answers = 0;
  #probabilities = 0;
  #sum = 0;
  #max = 0;

  constructor(from: Thresholds, to: Thresholds) {
    this.#from = from;
    this.#to = to;
  }

  add(before: AnswerValue, after: AnswerValue): void {
    this.#answers += 1;
    for (const delta of deltas(before, after)) {
      this.#probabilities += 1;
      this.#sum += delta;
      this.#max = Math.max(this.#max, delta);
    }
    const [from, to] = [bandOf(before, this.#from), bandOf(after, this.#to)];
    if (from !== to) this.#bands.set(`${from}->${to}`, (this.#bands.get(`${from}->${to}`) ?? 0) + 1);
  }

  result(): AnswerMoves {
    const none = this.#probabilities === 0;
    return {
      answers: this.#answers,
      probabilities: this.#probabilities,
      mean_absolute_delta: none ? null : Number((this.#sum / this.#probabilities).toFixed(6)),
      max_absolute_delta: none ? null : Number(this.#max.toFixed(6)),
      changed_bands: {
        numerator: [...this.#bands.values()].reduce((total, n) => total + n, 0),
        denominator: this.#answers,
      },
      bands: Object.fromEntries([...this.#bands].sort(([a], [b]) => (a < b ? -1 : 1))),
    };
  }
}

function deltas(old: AnswerValue, next: AnswerValue): number[] {
  if (typeof old === "number" && typeof next === "number") return [Math.abs(next - old)];
  if (typeof old === "number" || typeof next === "number") return [];
  return Object.keys(next).map((option) => Math.abs((next[option] ?? 0) - (old[option] ?? 0)));
}

function bandOf(value: AnswerValue, { low, high }: Thresholds): string {
  if (typeof value === "number") return value >= high ? "yes" : value <= low ? "no" : "open";
  return Object.entries(value).find(([, p]) => p >= high)?.[0] ?? "open";
}
