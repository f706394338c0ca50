import type { Judgment } from "../schema/judgment.ts";
import type { ScanPlan } from "../schema/plan.ts";
import type { Verdict } from "../schema/verdict.ts";
import { boundaryPlaces } from "../validation/index.ts";
import { ChangeCounter, type Changes } from "./change-counter.ts";
import type { Sided } from "./comparison.ts";
import type { Match } from "./match.ts";
import type { JudgmentsByPlace, ScanView } from "./scan-view.ts";

/** A judgment by its names. */
interface JudgmentRef {
  model_id: string;
  scenario_id: string;
  check_id: string;
}

/** A judgment whose verdict is another in the new scan. */
export interface Flip extends JudgmentRef {
  old: Verdict;
  new: Verdict;
  same_definition: boolean;
  same_evidence_context: boolean;
  /** The verdicts of a side's repeats where these already differ; null where they do not, or it was asked once. */
  split_repeats: Sided<Verdict[] | null>;
}

/** A shared judgment without a verdict on a side, or on both. */
export interface NotJudged extends JudgmentRef {
  judged_in: "old" | "new" | "neither";
}

/** Meets each judgment of the new scan with the old one, and counts it with all, with its check's and its boundaries'. */
export class SharedJudgments {
  readonly flips: Flip[] = [];
  readonly not_judged: NotJudged[] = [];
  count = 0;
  readonly #old: JudgmentsByPlace;
  readonly #match: Match;
  readonly #oldCheck: ReadonlyMap<string, number>;
  readonly #all: ChangeCounter;
  readonly #groups: Groups;

  constructor(old: ScanView, next: ScanView, match: Match, judgments: JudgmentsByPlace) {
    this.#old = judgments;
    this.#match = match;
    this.#oldCheck = new Map(old.plan.checks.map(({ id }, index) => [id, index]));
    const [from, to] = [old.plan.judge.thresholds, next.plan.judge.thresholds];
    this.#all = new ChangeCounter(from, to);
    this.#groups = new Groups(next, () => new ChangeCounter(from, to));
  }

  add(after: Judgment): void {
    const conversation = this.#match.oldIndex[after.conversation];
    const check = this.#oldCheck.get(after.check_id);
    if (conversation === undefined || check === undefined) return;
    const before = this.#old.get(conversation, check);
    this.count += 1;
    for (const counter of [this.#all, ...this.#groups.of(after)]) counter.add(before, after);
    const { model_id, scenario_id, check_id } = after;
    const about = { model_id, scenario_id, check_id };
    if (before.verdict === null || after.verdict === null) {
      const judged_in = before.verdict !== null ? "old" : after.verdict !== null ? "new" : "neither";
      this.not_judged.push({ ...about, judged_in });
    } else if (before.verdict !== after.verdict)
      this.flips.push({
        ...about,
        old: before.verdict,
        new: after.verdict,
        same_definition: before.check_sha256 === after.check_sha256,
        same_evidence_context: before.evidence_context_sha256 === after.evidence_context_sha256,
        split_repeats: { old: null, new: null },
      });
  }

  get all(): Changes {
    return this.#all.result();
  }

  /** No change where the new scan does not have the check. */
  ofCheck(id: string): Changes {
    return (this.#groups.checks.get(id) ?? this.#groups.make()).result();
  }

  ofBoundary(source: number, id: string): Changes {
    return this.#groups.boundaries.get(boundaryKey(source, id))!.result();
  }
}

/** Which counters besides the overall one a judgment belongs to. */
class Groups {
  readonly checks: ReadonlyMap<string, ChangeCounter>;
  readonly boundaries = new Map<string, ChangeCounter>();
  readonly make: () => ChangeCounter;
  readonly #places = new Map<string, ChangeCounter[]>();
  readonly #conversations: ScanPlan["conversations"];

  constructor({ plan, sources }: ScanView, make: () => ChangeCounter) {
    this.make = make;
    this.#conversations = plan.conversations;
    this.checks = new Map(plan.checks.map(({ id }) => [id, make()]));
    for (const [source, { study }] of sources.entries()) {
      if (study === null) continue;
      for (const { id } of study.study.boundaries) this.boundaries.set(boundaryKey(source, id), make());
      for (const { boundary_id, case_id, check_id } of boundaryPlaces(study.study)) {
        const key = placeKey(source, case_id, check_id);
        const counters = this.#places.get(key) ?? [];
        counters.push(this.boundaries.get(boundaryKey(source, boundary_id))!);
        this.#places.set(key, counters);
      }
    }
  }

  of({ conversation, scenario_id, check_id }: Judgment): ChangeCounter[] {
    const { source } = this.#conversations[conversation]!;
    return [this.checks.get(check_id)!, ...(this.#places.get(placeKey(source, scenario_id, check_id)) ?? [])];
  }
}

function boundaryKey(source: number, boundary_id: string): string {
  return `${source} ${boundary_id}`;
}

function placeKey(source: number, case_id: string, check_id: string): string {
  return JSON.stringify([source, case_id, check_id]);
}
