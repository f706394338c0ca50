import type { Expectation } from "../schema/expectation.ts";
import type { Judgment } from "../schema/judgment.ts";
import type { RenderedStudy } from "../schema/study.ts";
import type { Bundle } from "../scan/bundle.ts";
import {
  bindExpectations,
  boundaryPlaces,
  classify,
  embeddedExpectations,
  expectationKey,
  frozenExpectations,
  identityOf,
  type UnboundExpectation,
} from "../validation/index.ts";
import type { Row } from "./schema.ts";

interface Label {
  expectation: Expectation;
  position: number;
  differs: UnboundExpectation["differs"];
  judgment: Pick<Judgment, "verdict" | "asked"> | null;
}

/** The labels frozen with a scan's sources, each met with the scan's judgment as those stream past. */
export class Labels {
  readonly #scanId: string;
  readonly #studies: ReadonlyMap<string, RenderedStudy>;
  readonly #labels: Label[];
  readonly #bound: ReadonlyMap<string, Label>;
  readonly status: "absent" | "accepted" | "rejected";
  readonly reason: string | null;

  /** `studies` by model_id: the rendered study whose cases a conversation of that model is. */
  constructor(scanId: string, { directory, plan }: Bundle, studies: ReadonlyMap<string, RenderedStudy>) {
    const attachments = embeddedExpectations(directory, plan);
    const { accepted, rejected } = frozenExpectations(attachments);
    const { unbound } = bindExpectations(accepted, plan);
    const differs = new Map(unbound.map((row) => [expectationKey(row.expectation), row.differs]));
    this.#scanId = scanId;
    this.#studies = studies;
    this.#labels = accepted.map((expectation, position) => ({
      expectation,
      position,
      differs: differs.get(expectationKey(expectation)) ?? [],
      judgment: null,
    }));
    this.#bound = new Map(
      this.#labels.filter((label) => label.differs.length === 0).map((label) => [identityOf(label.expectation), label]),
    );
    const taken = attachments.some(({ status }) => status === "accepted");
    this.status = rejected.length > 0 ? "rejected" : taken ? "accepted" : "absent";
    this.reason =
      rejected.length === 0 ? null : rejected.map(({ run_id, reason }) => `${run_id}: ${reason}`).join("; ");
  }

  meet(judgment: Judgment): void {
    const label = this.#bound.get(identityOf(judgment));
    if (label !== undefined) label.judgment = { verdict: judgment.verdict, asked: judgment.asked };
  }

  rows(): Row<"expectations">[] {
    return this.#labels.map((label) => this.#row(label));
  }

  #row({ expectation, position, differs, judgment }: Label): Row<"expectations"> {
    const { model_id, scenario_id, check_id, expected } = expectation;
    const observed = judgment?.verdict ?? null;
    const study = this.#studies.get(model_id);
    return {
      scan_id: this.#scanId,
      conversation: `${model_id}/${scenario_id}`,
      check_id,
      position,
      study_id: study?.study.id ?? null,
      model_id,
      scenario_id,
      boundary_ids: study === undefined ? [] : boundariesOf(study, scenario_id, check_id),
      expected,
      basis: expectation.basis,
      source: expectation.source,
      author: expectation.author,
      reason: expectation.reason,
      bound: differs.length === 0,
      differs,
      observed,
      asked: judgment?.asked ?? null,
      mismatch: observed === null ? null : classify(expected, observed),
      correct: observed === null ? null : observed === expected,
      counted: differs.length === 0 && expected !== "UNCLEAR",
      check_sha256: expectation.check_sha256,
      transcript_sha256: expectation.transcript_sha256,
      evidence_context_sha256: expectation.evidence_context_sha256,
    };
  }
}

function boundariesOf({ study }: RenderedStudy, caseId: string, checkId: string): string[] {
  return boundaryPlaces(study)
    .filter(({ case_id, check_id }) => case_id === caseId && check_id === checkId)
    .map(({ boundary_id }) => boundary_id);
}
