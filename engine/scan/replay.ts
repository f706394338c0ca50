import { canonicalJson } from "../canon/json.ts";
import { readLines } from "../canon/lines.ts";
import { confined } from "../canon/paths.ts";
import { AssayError } from "../canon/errors.ts";
import { existsSync } from "node:fs";
import { Judgment } from "../schema/judgment.ts";
import type { Verdict } from "../schema/verdict.ts";
import { openAnswers, type Answers } from "./answers.ts";
import { JUDGMENTS_FILE, readPlan, type Bundle } from "./bundle.ts";
import type { Finding } from "./findings.ts";
import { deriveJudgments } from "./judgments.ts";
import { brokenSeal, readSeal, requireNone } from "./seal.ts";

/** A judgment that replaying does not give again; null: the side has no such line, or one that cannot be read. */
export interface Difference {
  /** 1-based line of `judgments.jsonl`. */
  line: number;
  model_id: string | null;
  scenario_id: string | null;
  check_id: string | null;
  saved: Verdict | "not_judged" | null;
  derived: Verdict | "not_judged" | null;
}

export interface Replay extends Bundle {
  judgments: number;
  differences: Difference[];
}

/**
 * Derive every judgment again from the saved answers and compare bytes. Writes nothing. Throws `unfinished`, and
 * `corrupt_scan` where what the judgments come from is no longer what was sealed.
 */
export async function replayScan(directory: string): Promise<Replay> {
  const bundle = readPlan(directory);
  if (!existsSync(confined(bundle.directory, JUDGMENTS_FILE)))
    throw new AssayError("unfinished", "has no judgments yet", {
      file: bundle.directory,
      fix: "run it to the end first",
    });
  const sealed = readSeal(bundle.directory);
  const broken = sealed === undefined ? [] : await brokenSeal(bundle.directory, sealed.seal);
  // Judgments that were changed are what a replay is there to find, line by line.
  const isJudgments = ({ file }: Finding): boolean => file === JUDGMENTS_FILE;
  requireNone(
    bundle.directory,
    broken.filter((finding) => !isJudgments(finding)),
  );
  const answers = await openAnswers(bundle.directory);
  try {
    const found: Difference[] = [];
    for await (const difference of differences(bundle, answers)) found.push(difference);
    if (found.length === 0) requireNone(bundle.directory, broken);
    return { ...bundle, judgments: bundle.plan.requests.judgments, differences: found };
  } finally {
    answers.close();
  }
}

export async function* differences(bundle: Bundle, answers: Answers): AsyncGenerator<Difference> {
  const derived = deriveJudgments(bundle, answers);
  const saved = readLines(confined(bundle.directory, JUDGMENTS_FILE));
  for (let line = 1; ; line++) {
    const [again, before] = [await derived.next(), await saved.next()];
    if (again.done && before.done) return;
    const text = before.done ? undefined : before.value.text;
    const judgment = again.done ? undefined : again.value;
    if (judgment !== undefined && text === canonicalJson(judgment)) continue;
    const read = text === undefined ? undefined : parsed(text);
    const named = judgment ?? read;
    yield {
      line,
      model_id: named?.model_id ?? null,
      scenario_id: named?.scenario_id ?? null,
      check_id: named?.check_id ?? null,
      saved: verdictOf(read),
      derived: verdictOf(judgment),
    };
  }
}

function parsed(text: string): Judgment | undefined {
  try {
    return Judgment.safeParse(JSON.parse(text)).data;
  } catch {
    return undefined;
  }
}

function verdictOf(judgment: Judgment | undefined): Difference["saved"] {
  return judgment === undefined ? null : (judgment.verdict ?? "not_judged");
}
