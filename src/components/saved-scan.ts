import { answersOf, laterTable } from "./answers.js";
import { rows } from "./db.js";
import type { Row } from "./db.js";
import { text } from "./read.js";
import type { Verdict } from "./verdict.js";

/** What the engine's module says of one judgment under some thresholds. */
export interface SavedVerdict {
  conversation: string;
  check_id: string;
  verdict: Verdict | null;
  possible: string[];
  asked: number;
}
export type Verdicts = (thresholds: { low: number; high: number }, repeat?: number) => SavedVerdict[];
/** engine/tables/saved-verdicts.ts, as the page loads it. */
export interface Rules {
  savedVerdicts(rows: unknown): Verdicts;
}

/** One scan's saved answers, laid over its transcripts and definitions by the rules' own code. */
export async function verdictsOf(scan: Row, rules: () => Promise<Rules>): Promise<Verdicts> {
  const id = text(scan, "scan_id");
  const answers = answersOf(id);
  const turns = laterTable("turns");
  const conversations = laterTable("conversations");
  const checks = laterTable("checks");
  const [engine, ...tables] = await Promise.all([
    rules(),
    rows(
      `select distinct c.check_id, c.definition from ${checks} c join judgments j on j.check_sha256 = c.check_sha256 where j.scan_id = ? order by 1`,
      [id],
    ),
    rows(
      `select conversation, transcript_sha256, persistent_memory from ${conversations} where scan_id = ? order by position`,
      [id],
    ),
    rows(
      `select t.transcript_sha256, t.role, t.turn, t.content, t.task from ${turns} t
       where t.transcript_sha256 in (select transcript_sha256 from ${conversations} where scan_id = ?) order by t.transcript_sha256, t.position`,
      [id],
    ),
    rows(`select conversation, role, turn, key, type, option, probability, repeat from ${answers}`),
  ]);
  const [definitions, talks, content, saved] = tables;
  return engine.savedVerdicts({
    context: text(scan, "context"),
    checks: definitions,
    conversations: talks,
    turns: content,
    answers: saved,
  });
}
