import { AssayError, printable } from "../canon/errors.ts";
import { parseWith } from "../canon/json.ts";
import type { Judge } from "../judges/judge.ts";
import { JournalAnswer, type NewJournalEntry } from "../schema/journal.ts";
import type { JudgeRequest } from "../schema/request.ts";
import { validateAnswer } from "./validate.ts";

/** One request of the plan, once: what the journal keys an answer by, and what is sent. */
export interface Call {
  input_sha256: string;
  repeat: number;
  attempt: number;
  request: JudgeRequest;
}

const Settled = JournalAnswer.omit({ seq: true, prev: true });
const MESSAGE = 500;

/**
 * Ask a judge and say what came of it as a journal entry: the answer, if it is one to this request, else the
 * technical error. Never rejects.
 */
export async function ask(judge: Judge, { input_sha256, repeat, attempt, request }: Call): Promise<NewJournalEntry> {
  const call = { input_sha256, repeat, attempt };
  try {
    const { model, answers, uncovered, input_tokens, output_tokens, cost_usd } = await judge.ask(request);
    validateAnswer(request, { model, answers }, judge.settings.model);
    const entry = {
      ...call,
      kind: "answer",
      model,
      answers,
      ...(uncovered === undefined ? {} : { uncovered }),
      input_tokens,
      output_tokens,
      cost_usd,
    };
    return parseWith(Settled, entry, {}, "bad_answer");
  } catch (error) {
    const code = error instanceof AssayError ? error.code : "judge_failed";
    const message = error instanceof Error ? error.message : String(error);
    return {
      ...call,
      kind: "error",
      code,
      message: printable(message.toWellFormed()).slice(0, MESSAGE).toWellFormed(),
      cost_usd: 0,
    };
  }
}
