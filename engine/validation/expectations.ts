import { Expectation } from "../schema/expectation.ts";

/** What an attachment turned out to be: taken whole, or rejected whole with one sentence. */
export type ParsedAttachment = { accepted: Expectation[] } | { rejected: string };

/**
 * Labels embedded in a source summary, as found there. Never throws: a malformed or duplicated label rejects the
 * whole attachment, so that a partly readable one cannot pass for complete. `undefined` is an empty attachment.
 */
export function parseExpectations(attachment: unknown): ParsedAttachment {
  if (attachment === undefined) return { accepted: [] };
  if (!Array.isArray(attachment)) return { rejected: "research_expectations is not a list" };
  const accepted: Expectation[] = [];
  const seen = new Map<string, number>();
  for (const [index, row] of attachment.entries()) {
    const parsed = Expectation.safeParse(row);
    if (!parsed.success) {
      const issue = parsed.error.issues[0];
      const field = issue?.path.map(String).join(".") || "the row";
      return { rejected: `row ${index + 1}: ${field}: ${issue?.message ?? "is malformed"}` };
    }
    const lone = Object.entries(parsed.data).find(([, text]) => !text.isWellFormed());
    if (lone !== undefined) return { rejected: `row ${index + 1}: ${lone[0]}: holds a lone surrogate` };
    const first = seen.get(expectationKey(parsed.data));
    if (first !== undefined)
      return { rejected: `row ${index + 1} repeats row ${first + 1}: same identity and digests` };
    seen.set(expectationKey(parsed.data), index);
    accepted.push(parsed.data);
  }
  return { accepted };
}

/** Identity of a judgment: what a label is about, without its digests. */
export function identityOf(row: { model_id: string; scenario_id: string; check_id: string }): string {
  return JSON.stringify([row.model_id, row.scenario_id, row.check_id]);
}

/** Identity and the three digests: two labels with one key are duplicates. */
export function expectationKey(row: Expectation): string {
  return JSON.stringify([
    row.model_id,
    row.scenario_id,
    row.check_id,
    row.transcript_sha256,
    row.evidence_context_sha256,
    row.check_sha256,
  ]);
}
