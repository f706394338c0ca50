import { readText } from "../canon/files.ts";
import { parseJson } from "../canon/json.ts";
import { confined } from "../canon/paths.ts";
import type { Expectation } from "../schema/expectation.ts";
import type { ScanPlan } from "../schema/plan.ts";
import { expectationKey, parseExpectations } from "./expectations.ts";

export interface Attachment {
  run_id: string;
  /** Path of the summary in the bundle. */
  path: string;
  status: "absent" | "accepted" | "rejected";
  /** Why it was rejected, whole. */
  reason?: string;
  accepted: Expectation[];
  /** Labels of conversations or checks that this plan's selection left out; they are about nothing here. */
  not_selected: number;
}

/**
 * The labels frozen with each source of a bundle. A filtered plan copies its source's whole summary, so labels of
 * conversations that the summary lists and the plan does not hold, or of checks that the plan does not hold, are
 * counted as not selected. A label whose digests differ stays, for binding to report.
 */
export function embeddedExpectations(
  directory: string,
  plan: Pick<ScanPlan, "sources" | "conversations" | "checks">,
): Attachment[] {
  const planned = new Set(plan.conversations.map((row) => JSON.stringify([row.model_id, row.scenario_id])));
  const checks = new Set(plan.checks.map((check) => check.id));
  return plan.sources.map((source) => {
    const file = confined(directory, source.summary.path);
    const summary = parseJson(readText(file), { file });
    const attachment = field(summary, "research_expectations");
    const parsed = parseExpectations(attachment);
    const about = { run_id: source.run_id, path: source.summary.path };
    if ("rejected" in parsed)
      return { ...about, status: "rejected", reason: parsed.rejected, accepted: [], not_selected: 0 };
    const listed = listedConversations(summary);
    const selected = parsed.accepted.filter((row) => {
      const conversation = JSON.stringify([row.model_id, row.scenario_id]);
      const left = listed.has(conversation) && !planned.has(conversation);
      return !left && checks.has(row.check_id);
    });
    return {
      ...about,
      status: attachment === undefined ? "absent" : "accepted",
      accepted: selected,
      not_selected: parsed.accepted.length - selected.length,
    };
  });
}

/** The accepted labels of every source, each once, and the reasons of the rejected ones. */
export function frozenExpectations(attachments: readonly Attachment[]): {
  accepted: Expectation[];
  rejected: { run_id: string; path: string; reason: string }[];
} {
  const accepted = new Map<string, Expectation>();
  const rejected: { run_id: string; path: string; reason: string }[] = [];
  for (const { run_id, path, status, reason, accepted: rows } of attachments) {
    if (status === "rejected") rejected.push({ run_id, path, reason: reason ?? "" });
    const repeated = rows.find((row) => accepted.has(expectationKey(row)));
    if (repeated !== undefined) {
      const what = `${repeated.model_id} ${repeated.scenario_id} ${repeated.check_id}`;
      rejected.push({ run_id, path, reason: `repeats another source's label of ${what}` });
      continue;
    }
    for (const row of rows) accepted.set(expectationKey(row), row);
  }
  return { accepted: [...accepted.values()], rejected };
}

function field(value: unknown, name: string): unknown {
  return typeof value === "object" && value !== null ? Object.getOwnPropertyDescriptor(value, name)?.value : undefined;
}

function listedConversations(summary: unknown): Set<string> {
  const entries = field(summary, "transcripts");
  const listed = new Set<string>();
  if (Array.isArray(entries))
    for (const entry of entries as unknown[])
      listed.add(JSON.stringify([field(entry, "model_id") ?? null, field(entry, "scenario_id") ?? null]));
  return listed;
}
