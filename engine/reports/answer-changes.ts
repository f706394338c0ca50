import type { JudgeSettings, Thresholds } from "../schema/judge.ts";
import type { JournalAnswer } from "../schema/journal.ts";
import type { AnswerValue } from "../schema/request.ts";

/** The saved answers of a scan: as a stream, and by request. */
export interface SavedAnswers {
  stream(): AsyncIterable<JournalAnswer>;
  /** The first repeat's answer, the one verdicts read. */
  open(): Promise<{ get(inputSha256: string): JournalAnswer | undefined; close(): void }>;
}

/** How answers to byte-identical requests moved. Probabilities; a choice is compared option by option. */
export interface AnswerChanges {
  shared_requests: number;
  shared_questions: number;
  probabilities: number;
  mean_absolute_delta: number | null;
  max_absolute_delta: number | null;
  /** Questions whose band (yes, no, open, or the chosen option) is another: `"open->yes": n`. */
  changed_bands: number;
  bands: Record<string, number>;
}

/** Meets the answers of two scans on requests that both asked. Memory: no more than the old journal's index. */
export async function compareAnswers(
  old: { judge: JudgeSettings; answers: SavedAnswers },
  next: { judge: JudgeSettings; answers: SavedAnswers },
): Promise<AnswerChanges> {
  const bands = new Map<string, number>();
  let requests = 0;
  let questions = 0;
  let probabilities = 0;
  let sum = 0;
  let max = 0;
  const before = await old.answers.open();
  try {
    for await (const after of next.answers.stream()) {
      const was = after.repeat === 0 ? before.get(after.input_sha256) : undefined;
      if (was === undefined) continue;
      requests += 1;
      for (const [name, value] of Object.entries(after.answers)) {
        const old_value = was.answers[name];
        if (old_value === undefined) continue;
        questions += 1;
        for (const delta of deltas(old_value, value)) {
          probabilities += 1;
          sum += delta;
          max = Math.max(max, delta);
        }
        const [from, to] = [bandOf(old_value, old.judge.thresholds), bandOf(value, next.judge.thresholds)];
        if (from !== to) bands.set(`${from}->${to}`, (bands.get(`${from}->${to}`) ?? 0) + 1);
      }
    }
  } finally {
    before.close();
  }
  return {
    shared_requests: requests,
    shared_questions: questions,
    probabilities,
    mean_absolute_delta: probabilities === 0 ? null : Number((sum / probabilities).toFixed(6)),
    max_absolute_delta: probabilities === 0 ? null : Number(max.toFixed(6)),
    changed_bands: [...bands.values()].reduce((total, n) => total + n, 0),
    bands: Object.fromEntries([...bands].sort(([a], [b]) => (a < b ? -1 : 1))),
  };
}

function deltas(old: AnswerValue, next: AnswerValue): number[] {
  if (typeof old === "number" && typeof next === "number") return [Math.abs(next - old)];
  if (typeof old === "number" || typeof next === "number") return [];
  return Object.keys(next).map((option) => Math.abs((next[option] ?? 0) - (old[option] ?? 0)));
}

function bandOf(value: AnswerValue, { low, high }: Thresholds): string {
  if (typeof value === "number") return value >= high ? "yes" : value <= low ? "no" : "open";
  return Object.entries(value).find(([, p]) => p >= high)?.[0] ?? "open";
}
