import type { Thresholds } from "../schema/judge.ts";
import type { Judgment } from "../schema/judgment.ts";
import { emptyMatrix } from "../validation/index.ts";
import { MoveCounter, type AnswerMoves } from "./answer-moves.ts";
import { countTransitions, type Transitions } from "./transitions.ts";

/** What became of some judgments that two scans share: of all, of a check's, of a boundary's. */
export interface Changes extends Transitions {
  /**
   * Answers at observations that both have, of checks whose definition is the same. `other_requests`: the same question
   * about the same place, asked in other company, in another order, or with other evidence beside it.
   */
  answers: { identical_requests: AnswerMoves; other_requests: AnswerMoves };
}

export class ChangeCounter {
  readonly #table = emptyMatrix();
  readonly #identical: MoveCounter;
  readonly #other: MoveCounter;

  constructor(old: Thresholds, next: Thresholds) {
    this.#identical = new MoveCounter(old, next);
    this.#other = new MoveCounter(old, next);
  }

  add(before: Judgment, after: Judgment): void {
    if (before.verdict !== null && after.verdict !== null) this.#table[before.verdict][after.verdict] += 1;
    if (before.check_sha256 !== after.check_sha256) return;
    const was = new Map(before.observations.map((row) => [place(row), row]));
    for (const row of after.observations) {
      const first = was.get(place(row));
      if (first === undefined || first.value === null || row.value === null) continue;
      (first.input_sha256 === row.input_sha256 ? this.#identical : this.#other).add(first.value, row.value);
    }
  }

  result(): Changes {
    return {
      ...countTransitions(this.#table),
      answers: { identical_requests: this.#identical.result(), other_requests: this.#other.result() },
    };
  }
}

function place({ role, turn, key }: Judgment["observations"][number]): string {
  return `${turn} ${role} ${key}`;
}
