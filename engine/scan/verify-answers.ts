import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { boundsFor } from "../judges/bound.ts";
import { readJournal } from "../canon/journal.ts";
import { canonicalJson } from "../canon/json.ts";
import { confined } from "../canon/paths.ts";
import { answerKey, answersOf, JournalIndex, openAnswers, requireOneAnswerEach } from "./answers.ts";
import { JOURNAL_FILE, JUDGMENTS_FILE, PLAN_FILE, type Bundle } from "./bundle.ts";
import { Inventory } from "./inventory.ts";
import { differences } from "./replay.ts";
import { pinOf, validateAnswer } from "./validate.ts";
import { reporting, type Report } from "./findings.ts";

/** The inventory derived again, the journal's chain, and every saved answer against the request it belongs to. */
export async function verifyAnswers(bundle: Bundle, isSealed: boolean, report: Report): Promise<void> {
  const { directory, plan, plan_sha256 } = bundle;
  const path = confined(directory, JOURNAL_FILE);
  const index = new JournalIndex();
  let sound = true;
  const finding: Report = (found) => {
    sound = false;
    report(found);
  };
  const journal = (code: string, message: string): void => finding({ file: JOURNAL_FILE, code, message });
  await reporting(directory, JOURNAL_FILE, finding, async () => {
    if (!existsSync(path)) {
      if (isSealed) journal("missing", "is not there");
      return;
    }
    const { torn } = await readJournal(path, plan_sha256, (entry, span) => index.add(entry, span));
    if (torn > 0 && isSealed) journal("journal_corrupt", `ends with ${torn} bytes that are no whole line`);
    requireOneAnswerEach(index, path);
  });
  if (!sound) return;
  await reporting(directory, JOURNAL_FILE, finding, () => verifyRequests(bundle, index, path, journal, finding));
  const planned = plan.requests.distinct * plan.judge.repeats;
  if (isSealed && !index.closed && index.answers.size < planned)
    journal("missing_answer", `answers ${index.answers.size} of ${planned} requests, and the scan was not closed`);
}

async function verifyRequests(
  { directory, plan }: Bundle,
  index: JournalIndex,
  path: string,
  journal: (code: string, message: string) => void,
  finding: Report,
): Promise<void> {
  const inventory = new Inventory(directory, plan, await boundsFor(plan.judge));
  const answers = answersOf(path, index);
  const hash = createHash("sha256");
  let matched = 0;
  try {
    const lines = inventory.lines(({ input_sha256, request }) => {
      for (let repeat = 0; repeat < plan.judge.repeats; repeat++) {
        const answer = answers.get(input_sha256, repeat);
        if (answer === undefined) continue;
        matched++;
        try {
          validateAnswer(request, answer, pinOf(plan.judge));
        } catch (error) {
          journal("bad_answer", `${answerKey(input_sha256, repeat)}: ${error instanceof Error ? error.message : ""}`);
        }
      }
    });
    for (const line of lines) hash.update(line).update("\n");
  } finally {
    answers.close();
  }
  if (hash.digest("hex") !== plan.requests.sha256)
    finding({
      file: plan.requests.path,
      code: "plan_differs",
      message: "is not what this engine derives from the frozen inputs",
    });
  else if (canonicalJson({ ...plan.requests, ...inventory.counts() }) !== canonicalJson(plan.requests))
    finding({
      file: PLAN_FILE,
      code: "plan_differs",
      message: `counts other requests than ${plan.requests.path} holds`,
    });
  else if (canonicalJson(inventory.estimate()) !== canonicalJson(plan.estimate))
    finding({ file: PLAN_FILE, code: "plan_differs", message: "states another estimate than its requests give" });
  if (matched !== index.answers.size)
    journal(
      "unplanned_answer",
      `${index.answers.size - matched} of ${index.answers.size} answers belong to no planned request`,
    );
}

/** The judgments derived again from the journal; the first line that differs is named. */
export async function verifyJudgments(bundle: Bundle, report: Report): Promise<void> {
  const { directory } = bundle;
  await reporting(directory, JUDGMENTS_FILE, report, async () => {
    const answers = await openAnswers(directory);
    try {
      for await (const { line } of differences(bundle, answers)) {
        report({
          file: JUDGMENTS_FILE,
          code: "replay_differs",
          message: `line ${line} is not what the saved answers give`,
        });
        return;
      }
    } finally {
      answers.close();
    }
  });
}
