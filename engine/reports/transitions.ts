import type { ScanPlan } from "../schema/plan.ts";
import { VERDICTS, type Verdict } from "../schema/verdict.ts";
import { emptyMatrix, transitionsOf, type Matrix } from "../validation/index.ts";
import type { Match } from "./match.ts";

type Plan = Pick<ScanPlan, "checks">;

/** A verdict as one byte: 0 is kept for "no such judgment". */
export function verdictCode(verdict: Verdict | null): number {
  return verdict === null ? VERDICTS.length + 1 : VERDICTS.indexOf(verdict) + 1;
}

/** Meets the new scan's verdicts with the old ones, which wait as one byte each . */
export class Transitions {
  readonly #old: Plan;
  readonly #next: Plan;
  readonly #match: Match;
  readonly #verdicts: Uint8Array;
  readonly #table = emptyMatrix();
  readonly #changed = new Map<number, Matrix>();
  readonly #checkOf: (number | undefined)[];
  #shared = 0;
  #notJudged = { old: 0, new: 0, either: 0 };

  constructor(old: Plan, next: Plan, match: Match, verdicts: Uint8Array) {
    this.#old = old;
    this.#next = next;
    this.#match = match;
    this.#verdicts = verdicts;
    const oldChecks = new Map(old.checks.map((check, index) => [check.id, index]));
    this.#checkOf = next.checks.map((check) => oldChecks.get(check.id));
    next.checks.forEach((check, index) => {
      const was = this.#checkOf[index];
      if (was !== undefined && old.checks[was]!.check_sha256 !== check.check_sha256)
        this.#changed.set(index, emptyMatrix());
    });
  }

  add(conversation: number, check: number, verdict: Verdict | null): void {
    const row = this.#match.oldIndex[conversation];
    const column = this.#checkOf[check];
    if (row === undefined || column === undefined) return;
    const code = this.#verdicts[row * this.#old.checks.length + column] ?? 0;
    if (code === 0) return;
    this.#shared += 1;
    const before = VERDICTS[code - 1] ?? null;
    if (before === null) this.#notJudged.old += 1;
    if (verdict === null) this.#notJudged.new += 1;
    if (before === null || verdict === null) this.#notJudged.either += 1;
    else {
      this.#table[before][verdict] += 1;
      const changed = this.#changed.get(check);
      if (changed !== undefined) changed[before][verdict] += 1;
    }
  }

  counts(old: number, next: number) {
    return { shared: this.#shared, old_only: old - this.#shared, new_only: next - this.#shared };
  }

  report() {
    const cells = VERDICTS.flatMap((from) => VERDICTS.map((to) => ({ from, to, n: this.#table[from][to] })));
    const sum = (keep: (cell: { from: Verdict; to: Verdict }) => boolean): number =>
      cells.filter(keep).reduce((total, { n }) => total + n, 0);
    const newIds = new Set(this.#next.checks.map(({ id }) => id));
    const oldIds = new Set(this.#old.checks.map(({ id }) => id));
    return {
      transition_table: this.#table,
      transitions: transitionsOf(this.#table),
      changed_verdicts: { numerator: sum(({ from, to }) => from !== to), denominator: sum(() => true) },
      applicability_transitions: {
        became_applicable: sum(({ from, to }) => from === "NOT_APPLICABLE" && to !== "NOT_APPLICABLE"),
        became_not_applicable: sum(({ from, to }) => from !== "NOT_APPLICABLE" && to === "NOT_APPLICABLE"),
      },
      shared_not_judged: this.#notJudged,
      checks: {
        shared: [...newIds].filter((id) => oldIds.has(id)).length,
        old_only: [...oldIds].filter((id) => !newIds.has(id)),
        new_only: [...newIds].filter((id) => !oldIds.has(id)),
      },
      changed_checks: [...this.#changed].map(([index, matrix]) => ({
        check_id: this.#next.checks[index]!.id,
        old_sha256: this.#old.checks[this.#checkOf[index]!]!.check_sha256,
        new_sha256: this.#next.checks[index]!.check_sha256,
        transitions: transitionsOf(matrix),
      })),
    };
  }
}
