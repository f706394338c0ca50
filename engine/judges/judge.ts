import type { JudgeRequest, AnswerValue } from "../schema/request.ts";
import type { JudgeSettings } from "../schema/judge.ts";

/** One typed answer per question of the request, and what answering took. */
export interface JudgeAnswer {
  /** The model that answered, as it names itself. */
  model: string;
  answers: Record<string, AnswerValue>;
  /** Question names an embedded judge had no pattern for. */
  uncovered?: string[];
  input_tokens: number;
  output_tokens: number;
  cost_usd: number;
}

/**
 * The one interface of every judge. `ask` rejects with an AssayError whose code says which technical error it
 * was; it never invents an answer. `signal` aborts the call; `repeat` counts askings of the same request from 0.
 */
export interface Judge {
  readonly settings: JudgeSettings;
  ask(request: JudgeRequest, signal?: AbortSignal, repeat?: number): Promise<JudgeAnswer> | JudgeAnswer;
}
