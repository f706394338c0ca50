import { z } from "zod";
import { AssayError } from "../canon/errors.ts";
import { digestOf, parseLine } from "../canon/json.ts";
import { scanLines, SpanReader, type Span } from "../canon/spans.ts";
import { Count, Sha256 } from "../schema/common.ts";
import type { JudgeSettings } from "../schema/judge.ts";
import { AnswerValue } from "../schema/request.ts";
import type { Judge } from "./judge.ts";

/** A line of a scan's journal, or any line with these fields; lines of another kind are passed over. */
const Kind = z.looseObject({ kind: z.string().default("answer") });
const Saved = z.looseObject({
  input_sha256: Sha256,
  repeat: Count.default(0),
  model: z.string(),
  answers: z.record(z.string(), AnswerValue),
});

/**
 * The saved answers of an earlier run, found by the digest of the request. Memory holds where each answer lies, not
 * the answers. A request that was not answered then is a technical error now. Throws `bad_answers_file`.
 */
export async function replayJudge(settings: JudgeSettings, file: string | undefined): Promise<Judge> {
  if (file === undefined)
    throw new AssayError("no_answers_file", `${settings.name} needs its answers file`, {
      fix: "plan with --answers <file>; the plan keeps a copy",
    });
  const places = await placesOf(file);
  return {
    settings,
    ask(request, _signal, repeat = 0) {
      const input_sha256 = digestOf(request);
      const span = places.get(`${input_sha256}/${repeat}`);
      if (span === undefined)
        throw new AssayError(
          "no_saved_answer",
          `the answers file holds no answer to ${input_sha256.slice(0, 12)}, repeat ${repeat}`,
        );
      const { model, answers } = readAt(file, span);
      return { model, answers, input_tokens: 0, output_tokens: 0, cost_usd: 0 };
    },
  };
}

async function placesOf(file: string): Promise<Map<string, Span>> {
  const places = new Map<string, Span>();
  let line = 0;
  const torn = await scanLines(file, (bytes, span) => {
    line++;
    const where = { file, line };
    const text = bytes.toString("utf8");
    if (parseLine(text, Kind, where).kind !== "answer") return;
    const { input_sha256, repeat } = parseLine(text, Saved, where);
    const key = `${input_sha256}/${repeat}`;
    if (places.has(key))
      throw new AssayError("bad_answers_file", `answers ${input_sha256.slice(0, 12)}, repeat ${repeat}, twice`, where);
    places.set(key, span);
  });
  if (torn > 0)
    throw new AssayError("bad_answers_file", "ends in the middle of a line", {
      file,
      fix: "use the answers.jsonl of a finished scan",
    });
  return places;
}

/** Opened for each answer: a judge has no end at which a file could be closed. */
function readAt(file: string, span: Span): z.infer<typeof Saved> {
  const reader = new SpanReader(file);
  try {
    return parseLine(reader.read(span).toString("utf8"), Saved, { file });
  } finally {
    reader.close();
  }
}
