import { AssayError } from "../canon/errors.ts";
import { Journal } from "../canon/journal.ts";
import { confined } from "../canon/paths.ts";
import { JournalIndex, openAnswers } from "./answers.ts";
import { JOURNAL_FILE, readPlan, type Bundle } from "./bundle.ts";
import { finishScan, removeLeftovers, type WriteCard } from "./finish.ts";
import { lockScan } from "./lock.ts";
import { readSeal } from "./seal.ts";

export interface CloseResult extends Bundle {
  answered: number;
  planned: number;
  unanswered: number;
  spent_usd: number;
  seal_sha256: string;
}

/**
 * End a scan whose remaining errors are permanent: judgments that need an answer there is none of become "not
 * judged". Only after every request was tried, so that closing cannot choose what is judged. Throws `sealed`,
 * `not_run`, `locked`.
 */
export async function closeScan(directory: string, finish: WriteCard): Promise<CloseResult> {
  const bundle = readPlan(directory);
  const { plan } = bundle;
  const planned = plan.requests.distinct * plan.judge.repeats;
  if (readSeal(bundle.directory) !== undefined)
    throw new AssayError("sealed", "is finished and sealed", {
      file: bundle.directory,
      fix: "there is nothing to close",
    });
  const unlock = lockScan(bundle.directory);
  try {
    await requireTried(bundle, planned);
    removeLeftovers(bundle.directory);
    const index = new JournalIndex();
    const journal = await Journal.open(confined(bundle.directory, JOURNAL_FILE), bundle.plan_sha256, (entry, span) =>
      index.add(entry, span),
    );
    const unanswered = planned - index.answers.size;
    try {
      if (!index.closed && unanswered > 0) {
        const entry = { kind: "close", unanswered } as const;
        index.add(entry, await journal.append(entry));
      }
    } finally {
      await journal.close();
    }
    const seal_sha256 = await finishScan(bundle, index, finish);
    return { ...bundle, answered: index.answers.size, planned, unanswered, spent_usd: index.spent_usd, seal_sha256 };
  } finally {
    unlock();
  }
}

async function requireTried({ directory }: Bundle, planned: number): Promise<void> {
  const answers = await openAnswers(directory);
  answers.close();
  const { index } = answers;
  const untried = planned - index.answers.size - index.failures.size;
  if (!index.closed && untried > 0)
    throw new AssayError("not_run", `${untried} of ${planned} requests were never tried`, {
      file: directory,
      fix: "run it first; only requests that ended in technical errors can be given up",
      untried,
      planned,
    });
}
