import type { JudgeSettings } from "../schema/judge.ts";
import type { JournalAnswer } from "../schema/journal.ts";
import { MoveCounter, type AnswerMoves } from "./answer-moves.ts";

/** The saved answers of a scan: as a stream, and by request. */
export interface SavedAnswers {
  stream(): AsyncIterable<JournalAnswer>;
  /** The first repeat's answer, the one verdicts read. */
  open(): Promise<{ get(inputSha256: string): JournalAnswer | undefined; close(): void }>;
}

export interface AnswerChanges extends AnswerMoves {
  /** Byte-identical requests that both judges answered, each counted once however many conversations use it. */
  requests: number;
}

interface Asked {
  judge: Pick<JudgeSettings, "thresholds" | "repeats">;
  answers: SavedAnswers;
}

/** First answers of two scans to the same bytes. Memory: no more than the old journal's index. */
export function compareAnswers(old: Asked, next: Asked): Promise<AnswerChanges> {
  return meet(old, next, ({ repeat }) => repeat === 0);
}

/** A judge's later answers to a request beside its first: how far answers move when nothing changed. null without repeats. */
export async function answerNoise(scan: Asked): Promise<AnswerChanges | null> {
  return scan.judge.repeats === 1 ? null : meet(scan, scan, ({ repeat }) => repeat > 0);
}

async function meet(old: Asked, next: Asked, counts: (answer: JournalAnswer) => boolean): Promise<AnswerChanges> {
  const moves = new MoveCounter(old.judge.thresholds, next.judge.thresholds);
  let requests = 0;
  const before = await old.answers.open();
  try {
    for await (const after of next.answers.stream()) {
      const was = counts(after) ? before.get(after.input_sha256) : undefined;
      if (was === undefined) continue;
      requests += 1;
      for (const [name, value] of Object.entries(after.answers)) {
        const first = was.answers[name];
        if (first !== undefined) moves.add(first, value);
      }
    }
  } finally {
    before.close();
  }
  return { requests, ...moves.result() };
}
