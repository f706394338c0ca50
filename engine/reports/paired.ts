import { mcnemarExact } from "../stats/index.ts";
import type { Agreement, AgreementRow } from "../validation/index.ts";

/** The same labels against both scans: who was right where the other was not. */
export interface PairedCorrectness {
  /** Labels that bind to both scans, expect PASS, FAIL or NOT_APPLICABLE, and were judged in both. */
  labels: number;
  both_right: number;
  old_only_right: number;
  new_only_right: number;
  both_wrong: number;
  /** Two-sided, on the two discordant counts; null without any. */
  mcnemar: { p: number | null; mid_p: number | null; reason: string | null };
}

export interface PairedRow {
  scenario_id: string;
  check_id: string;
  /** Index of the conversation's source in the new plan. */
  source: number;
  old_right: boolean;
  new_right: boolean;
}

/**
 * Labels that both scans can be held against. `sameLabel` says whether two rows of one (conversation, check) come from
 * labels with the same digests: a label of another definition or context is another label.
 */
export function pairRows(
  old: Agreement,
  next: Agreement,
  sameLabel: (before: AgreementRow, after: AgreementRow) => boolean,
  sourceOf: (row: AgreementRow) => number,
): PairedRow[] {
  const before = new Map(old.rows.map((row) => [identity(row), row]));
  return next.rows.flatMap((row) => {
    const was = before.get(identity(row));
    if (was === undefined || !sameLabel(was, row)) return [];
    if (row.expected === "UNCLEAR" || was.observed === null || row.observed === null) return [];
    const { scenario_id, check_id, expected } = row;
    return [
      {
        ...{ scenario_id, check_id, source: sourceOf(row) },
        old_right: was.observed === expected,
        new_right: row.observed === expected,
      },
    ];
  });
}

export function pairedCorrectness(rows: readonly PairedRow[]): PairedCorrectness {
  const count = (old: boolean, next: boolean): number =>
    rows.filter((row) => row.old_right === old && row.new_right === next).length;
  const [oldOnly, newOnly] = [count(true, false), count(false, true)];
  const { p, midP, reason } = mcnemarExact(oldOnly, newOnly);
  return {
    labels: rows.length,
    both_right: count(true, true),
    old_only_right: oldOnly,
    new_only_right: newOnly,
    both_wrong: count(false, false),
    mcnemar: { p, mid_p: midP, reason: reason ?? null },
  };
}

function identity({ model_id, scenario_id, check_id }: AgreementRow): string {
  return JSON.stringify([model_id, scenario_id, check_id]);
}
