import { canonicalJson } from "../canon/json.ts";
import type { ScanPlan } from "../schema/plan.ts";
import type { PlannedRequest } from "../schema/request.ts";
import type { Bounds } from "../judges/bound.ts";
import { Estimate } from "./estimate.ts";
import { conversationRequests, judgedConversation, requestLine } from "./requests.ts";

type Frozen = Pick<ScanPlan, "conversations" | "checks" | "judge">;

/**
 * The lines of `inputs/requests.jsonl`, derived from frozen inputs. Counts are complete when the lines are; only the
 * digests of distinct inputs stay in memory. `visit` sees each distinct request once.
 */
export class Inventory {
  readonly #plan: Frozen;
  readonly #directory: string;
  readonly #distinct = new Set<string>();
  #uses = 0;
  #observations = 0;
  readonly #estimate: Estimate;

  constructor(directory: string, plan: Frozen, bounds: Bounds) {
    this.#directory = directory;
    this.#plan = plan;
    this.#estimate = new Estimate(plan.judge, bounds);
  }

  *lines(visit: (request: PlannedRequest) => void = () => undefined): Generator<string> {
    for (const index of this.#plan.conversations.keys()) {
      const conversation = judgedConversation(this.#directory, this.#plan, index);
      for (const request of conversationRequests(this.#plan, conversation)) {
        const line = requestLine(index, request);
        this.#uses++;
        this.#observations += line.places.length;
        if (!this.#distinct.has(line.input_sha256)) {
          this.#distinct.add(line.input_sha256);
          this.#estimate.add(request.request);
          visit(request);
        }
        yield canonicalJson(line);
      }
    }
  }

  counts(): Pick<ScanPlan["requests"], "uses" | "distinct" | "observations" | "judgments"> {
    return {
      uses: this.#uses,
      distinct: this.#distinct.size,
      observations: this.#observations,
      judgments: this.#plan.conversations.length * this.#plan.checks.length,
    };
  }

  estimate(): ScanPlan["estimate"] {
    return this.#estimate.total();
  }
}
