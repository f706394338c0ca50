import type { Expectation, MismatchKind } from "../schema/expectation.ts";
import { MISMATCH_KINDS } from "../schema/expectation.ts";
import type { Judgment } from "../schema/judgment.ts";
import type { Verdict } from "../schema/verdict.ts";
import type { Binding } from "./bind.ts";
import { classify, emptyMatrix, transitionsOf, type Matrix } from "./classify.ts";
import { identityOf } from "./expectations.ts";
import { unboundRow } from "./precedence.ts";

/** A label beside what was observed. `mismatch` is null where they agree and where nothing was judged. */
export interface AgreementRow {
  conversation: number;
  model_id: string;
  scenario_id: string;
  check_id: string;
  expected: Verdict;
  /** null: not judged. */
  observed: Verdict | null;
  /** Observations the judge was asked; 0 means the verdict was fixed without asking. */
  asked: number;
  mismatch: MismatchKind | null;
  basis: Expectation["basis"];
  source: string;
  author: string;
  reason: string;
}

export type KindCounts = Record<MismatchKind, number>;

/** `numerator` of `denominator` labels that expect PASS, FAIL or NOT_APPLICABLE; not judged ones stay below the line. */
export interface Share {
  numerator: number;
  denominator: number;
}

export interface AgreementCounts extends KindCounts {
  labeled_judgments: number;
  /** Labels that record an ambiguity (expected UNCLEAR): shown, and in no `agreed` share. */
  expected_unclear: number;
  /** Labels whose judgment has no verdict, because a request failed and the scan was closed. */
  not_judged: number;
  /** All five kinds together, `decided` included. */
  mismatches: number;
  agreed: Share;
  /** The same, of judgments that the judge was asked about: a verdict fixed without asking is no evidence of it. */
  agreed_asked: Share;
}

export interface Agreement extends AgreementCounts {
  unlabeled_judgments: number;
  labeled_checks: string[];
  /** Expected by observed, judged labels only. */
  confusion: Matrix;
  /** The same cells as `"FAIL->PASS": n`. */
  transitions: Record<string, number>;
  checks: ({ check_id: string; unlabeled_judgments: number } & AgreementCounts)[];
  unbound_expectations: ReturnType<typeof unboundRow>[];
  rows: AgreementRow[];
}

export interface AgreementCounter {
  add(judgment: Judgment): void;
  result(): Agreement;
}

/** Meets bound labels with judgments as they stream past; memory is one row a label. */
export function countAgreement({ bound, unbound }: Binding): AgreementCounter {
  const labels = new Map(bound.map(({ expectation }) => [identityOf(expectation), expectation]));
  const rows = new Map<string, AgreementRow>();
  const unlabeled = new Map<string, number>();
  return {
    add(judgment) {
      const key = identityOf(judgment);
      const label = labels.get(key);
      if (label === undefined) unlabeled.set(judgment.check_id, (unlabeled.get(judgment.check_id) ?? 0) + 1);
      else rows.set(key, rowOf(label, judgment));
    },
    result() {
      const all = [...rows.values()];
      const confusion = emptyMatrix();
      for (const { expected, observed } of all) if (observed !== null) confusion[expected][observed] += 1;
      const ids = [...new Set([...all.map((row) => row.check_id), ...unlabeled.keys()])].sort();
      return {
        ...countRows(all),
        unlabeled_judgments: [...unlabeled.values()].reduce((sum, n) => sum + n, 0),
        labeled_checks: [...new Set(all.map((row) => row.check_id))].sort(),
        confusion,
        transitions: transitionsOf(confusion),
        checks: ids.map((check_id) => ({
          check_id,
          unlabeled_judgments: unlabeled.get(check_id) ?? 0,
          ...countRows(all.filter((row) => row.check_id === check_id)),
        })),
        unbound_expectations: unbound.map(unboundRow),
        rows: all,
      };
    },
  };
}

/** The counts of any selection of rows: a check's, a boundary's, all. */
export function countRows(rows: readonly AgreementRow[]): AgreementCounts {
  const kinds = Object.fromEntries(
    MISMATCH_KINDS.map((kind) => [kind, rows.filter((row) => row.mismatch === kind).length]),
  ) as KindCounts;
  const determinate = rows.filter((row) => row.expected !== "UNCLEAR");
  return {
    labeled_judgments: rows.length,
    expected_unclear: rows.length - determinate.length,
    not_judged: rows.filter((row) => row.observed === null).length,
    mismatches: MISMATCH_KINDS.reduce((sum, kind) => sum + kinds[kind], 0),
    ...kinds,
    agreed: agreedShare(determinate),
    agreed_asked: agreedShare(determinate.filter((row) => row.asked > 0)),
  };
}

function agreedShare(rows: readonly AgreementRow[]): Share {
  return { numerator: rows.filter((row) => row.observed === row.expected).length, denominator: rows.length };
}

function rowOf(label: Expectation, judgment: Judgment): AgreementRow {
  const { model_id, scenario_id, check_id, expected, basis, source, author, reason } = label;
  const { conversation, verdict: observed, asked } = judgment;
  const mismatch = observed === null ? null : classify(expected, observed);
  return {
    conversation,
    model_id,
    scenario_id,
    check_id,
    expected,
    observed,
    asked,
    mismatch,
    basis,
    source,
    author,
    reason,
  };
}
