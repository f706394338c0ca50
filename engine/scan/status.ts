import { openAnswers } from "./answers.ts";
import { readPlan, type Bundle } from "./bundle.ts";
import { runnerOf } from "./lock.ts";
import { readSeal } from "./seal.ts";

export interface ScanStatus extends Bundle {
  status: "planned" | "running" | "unfinished" | "sealed";
  answered: number;
  planned: number;
  /** Requests whose latest attempt was a technical error, and attempts of any outcome. */
  errors: number;
  attempts: number;
  spent_usd: number;
  ceiling_usd: number | null;
  /** Ended with requests that have no answer. */
  closed: boolean;
  /** Process id of a live runner. */
  runner: number | null;
  seal_sha256: string | null;
}

/** Where a scan stands, from its journal; reads only. Throws `no_plan`, `journal_corrupt`, `bad_seal`. */
export async function statusOf(directory: string): Promise<ScanStatus> {
  const bundle = readPlan(directory);
  const { plan } = bundle;
  const seal_sha256 = readSeal(bundle.directory)?.seal_sha256 ?? null;
  const runner = runnerOf(bundle.directory) ?? null;
  const answers = await openAnswers(bundle.directory);
  answers.close();
  const { index } = answers;
  const status =
    seal_sha256 !== null ? "sealed" : runner !== null ? "running" : index.attempts === 0 ? "planned" : "unfinished";
  return {
    ...bundle,
    status,
    answered: index.answers.size,
    planned: plan.requests.distinct * plan.judge.repeats,
    errors: index.failures.size,
    attempts: index.attempts,
    spent_usd: index.spent_usd,
    ceiling_usd: index.ceiling_usd,
    closed: index.closed,
    runner,
    seal_sha256,
  };
}
