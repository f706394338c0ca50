import { z } from "zod";
import { applyContext } from "../evidence/policy.ts";
import { observe } from "../evidence/observations.ts";
import { possibleOf } from "../rules/index.ts";
import { Check } from "../schema/check.ts";
import { ContextPolicy, type Thresholds } from "../schema/judge.ts";
import type { AnswerValue, Observation } from "../schema/request.ts";
import { Task, type Conversation, type Turn } from "../schema/transcript.ts";
import type { Verdict, WorldVerdict } from "../schema/verdict.ts";

/** One scan's rows, in the columns of the table schema that verdicts rest on. */
export const SavedScan = z.object({
  context: ContextPolicy,
  checks: z.array(z.object({ check_id: z.string(), definition: z.string() })),
  conversations: z.array(
    z.object({ conversation: z.string(), transcript_sha256: z.string(), persistent_memory: z.boolean() }),
  ),
  turns: z.array(
    z.object({
      transcript_sha256: z.string(),
      role: z.string(),
      turn: z.number(),
      content: z.string(),
      task: z.string().nullable(),
    }),
  ),
  answers: z.array(
    z.object({
      conversation: z.string(),
      role: z.string(),
      turn: z.number(),
      key: z.string(),
      type: z.string(),
      option: z.string(),
      probability: z.number().nullable(),
      repeat: z.number(),
    }),
  ),
});
export type SavedScan = z.infer<typeof SavedScan>;

export interface SavedVerdict {
  conversation: string;
  check_id: string;
  /** null: an answer that it needs was never given. */
  verdict: Verdict | null;
  possible: WorldVerdict[];
  /** Observations it rests on; 0: fixed without asking. */
  asked: number;
}

/**
 * The verdicts that a scan's saved answers give under any thresholds and from any repeat, by the rules' own code: at
 * the frozen thresholds and repeat 0 they are the scan's judgments. Pure, and free of files, so that pages run it.
 */
export function savedVerdicts(rows: unknown): (thresholds: Thresholds, repeat?: number) => SavedVerdict[] {
  const { context, checks, conversations, turns, answers } = SavedScan.parse(rows);
  const definitions = checks.map(({ definition }) => Check.parse(JSON.parse(definition)));
  const turnsOf = grouped(turns, ({ transcript_sha256 }) => transcript_sha256);
  const answersOf = grouped(answers, ({ conversation }) => conversation);
  const judged = conversations.map(({ conversation, transcript_sha256, persistent_memory }) => ({
    conversation,
    seen: applyContext(
      // Receipts of memory operations change what a judge is shown, never which observations a rule reads.
      { turns: (turnsOf.get(transcript_sha256) ?? []).map(turnOf), memory: { persistent_memory, evidence: [] } },
      context,
    ),
    values: valuesOf(answersOf.get(conversation) ?? []),
  }));
  return (thresholds, repeat = 0) =>
    judged.flatMap(({ conversation, seen, values }) =>
      definitions.map((check) => ({
        conversation,
        check_id: check.id,
        ...verdictOf(check, seen, (observation) => values.get(`${repeat} ${placeOf(observation)}`), thresholds),
      })),
    );
}

function verdictOf(
  check: Check,
  conversation: Conversation,
  lookup: (observation: Observation) => AnswerValue | undefined,
  thresholds: Thresholds,
): Pick<SavedVerdict, "verdict" | "possible" | "asked"> {
  const observations = observe(check, conversation);
  const asked = observations.length;
  if (observations.some((observation) => lookup(observation) === undefined))
    return { verdict: null, possible: [], asked };
  const possible = possibleOf(check, conversation, lookup, thresholds);
  const [only, ...others] = possible;
  return { verdict: only !== undefined && others.length === 0 ? only : "UNCLEAR", possible, asked };
}

function turnOf({ role, turn, content, task }: SavedScan["turns"][number]): Turn {
  return { role, turn, content, ...(task === null ? {} : { task: Task.parse(JSON.parse(task)) }) };
}

/** Rows of options joined again into answers, by repeat and place. */
function valuesOf(rows: SavedScan["answers"]): Map<string, AnswerValue> {
  const values = new Map<string, AnswerValue>();
  for (const row of rows) {
    if (row.probability === null) continue;
    const place = `${row.repeat} ${placeOf(row)}`;
    if (row.type === "noul") {
      values.set(place, row.probability);
      continue;
    }
    const known = values.get(place);
    const options = typeof known === "object" ? known : {};
    options[row.option] = row.probability;
    values.set(place, options);
  }
  return values;
}

function grouped<T>(items: readonly T[], key: (item: T) => string): Map<string, T[]> {
  const groups = new Map<string, T[]>();
  for (const item of items) {
    const group = groups.get(key(item));
    if (group === undefined) groups.set(key(item), [item]);
    else group.push(item);
  }
  return groups;
}

function placeOf({ role, turn, key }: { role: string; turn: number; key: string }): string {
  return `${role}:${turn} ${key}`;
}
