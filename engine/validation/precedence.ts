import { AssayError } from "../canon/errors.ts";
import type { Expectation } from "../schema/expectation.ts";
import type { Binding, UnboundExpectation } from "./bind.ts";
import { expectationKey } from "./expectations.ts";

/**
 * The labels a comparison uses: the explicit file's alone where one is given, else the union of what both scans
 * froze. Two labels with one identity and digests but another expected verdict refuse the comparison
 * (`conflicting_expectations`); equal ones count once, the old scan's record kept.
 */
export function applicableExpectations(
  explicit: readonly Expectation[] | undefined,
  old: readonly Expectation[],
  next: readonly Expectation[],
): { source: "file" | "frozen" | "none"; expectations: Expectation[] } {
  if (explicit !== undefined) return { source: "file", expectations: [...explicit] };
  const union = new Map<string, Expectation>();
  for (const row of [...old, ...next]) {
    const known = union.get(expectationKey(row));
    if (known === undefined) union.set(expectationKey(row), row);
    else if (known.expected !== row.expected)
      throw new AssayError(
        "conflicting_expectations",
        `the two scans expect ${known.expected} and ${row.expected} of ${named(row)}`,
        { fix: "name the labels to use with --expectations <file.jsonl>" },
      );
  }
  return { source: union.size === 0 ? "none" : "frozen", expectations: [...union.values()] };
}

/** Refuse (`unbound_expectation`) a label that binds to neither scan, saying what differs in each. */
export function requireBound(old: Binding, next: Binding): void {
  const unboundInNew = new Map(next.unbound.map((row) => [expectationKey(row.expectation), row]));
  const lost = old.unbound.flatMap((row) => {
    const other = unboundInNew.get(expectationKey(row.expectation));
    return other === undefined ? [] : [{ row, other }];
  });
  const first = lost[0];
  if (first === undefined) return;
  const more = lost.length === 1 ? "" : `, and ${lost.length - 1} more like it`;
  throw new AssayError(
    "unbound_expectation",
    `the expectation of ${named(first.row.expectation)} does not bind to either scan (old: ${first.row.differs.join(", ")} ` +
      `differs; new: ${first.other.differs.join(", ")} differs)${more}`,
    {
      fix: "freeze labels under the digests of a compared scan",
      unbound: lost.map(({ row, other }) => ({
        ...unboundRow(row),
        differs_old: row.differs,
        differs_new: other.differs,
      })),
    },
  );
}

/** A label left out of one scan, as reports list it. */
export function unboundRow({ expectation, differs }: UnboundExpectation) {
  const { model_id, scenario_id, check_id, transcript_sha256, evidence_context_sha256, check_sha256, expected } =
    expectation;
  return {
    model_id,
    scenario_id,
    check_id,
    transcript_sha256,
    evidence_context_sha256,
    check_sha256,
    expected,
    differs,
  };
}

function named(row: Expectation): string {
  return `${row.check_id} in ${row.model_id} ${row.scenario_id}`;
}
