import { AssayError } from "../canon/errors.ts";
import { Journal, readJournal } from "../canon/journal.ts";
import { confined } from "../canon/paths.ts";
import { boundsFor, type Bounds } from "../judges/bound.ts";
import { openJudge } from "../judges/index.ts";
import type { Judge } from "../judges/judge.ts";
import type { NewJournalEntry } from "../schema/journal.ts";
import { answerKey, JournalIndex } from "./answers.ts";
import { askEach, type Call } from "./ask.ts";
import { JOURNAL_FILE, readInventory, readPlan, SAVED_ANSWERS_FILE, type Bundle } from "./bundle.ts";
import type { BackoffLimits, Clock } from "./backoff.ts";
import { ceilingOf, highestCeiling } from "./ceiling.ts";
import { reservationNano } from "./estimate.ts";
import { finishScan, removeLeftovers, type WriteCard } from "./finish.ts";
import { requireFrozen } from "./frozen.ts";
import { Ledger } from "./ledger.ts";
import { lockScan } from "./lock.ts";
import { Purse } from "./purse.ts";
import { frozenRequests } from "./requests.ts";
import { readSeal, requireNone } from "./seal.ts";

/** Where a run stands; money in USD. */
export interface Progress {
  done: number;
  planned: number;
  errors: number;
  spent_usd: number;
  ceiling_usd: number;
}

export interface RunOptions {
  directory: string;
  /** Over all attempts. Only a scan priced at zero needs none. */
  maxCostUsd?: number | undefined;
  /** Requests in flight. */
  concurrency?: number | undefined;
  finish: WriteCard;
  progress?: ((progress: Progress) => void) | undefined;
  /** Aborting it drains: no new request is sent, those in flight are saved, then `interrupted` is thrown. */
  signal?: AbortSignal | undefined;
  /** Whole-call limit in ms; a provider that has not answered by then failed. */
  timeoutMs?: number | undefined;
  /** The judge the plan froze; tests pass one that is slow or broken. */
  judge?: Judge | undefined;
  limits?: BackoffLimits | undefined;
  clock?: Clock | undefined;
}

export interface RunResult extends Bundle {
  /** Requests sent by this run, and how many of them failed. */
  asked: number;
  answered: number;
  planned: number;
  spent_usd: number;
  seal_sha256: string;
}

/** An embedded judge answers at once, so the width only says how many answers share one sync of the journal. */
const EMBEDDED_WIDTH = 512;
const WIDTH = 8;

/**
 * Ask every planned request that has no answer yet, then finish. Resumes after any kill. Technical errors are saved
 * and the rest goes on. Throws `bad_ceiling`, `no_price`, `locked` with nothing written; `technical_errors` when
 * requests remain without an answer; `interrupted` (exit 130) when `signal` aborts; `journal_failed`.
 */
export async function runScan(options: RunOptions): Promise<RunResult> {
  const bundle = readPlan(options.directory);
  const { directory, plan } = bundle;
  const planned = plan.requests.distinct * plan.judge.repeats;
  const ceiling = ceilingOf(plan, options.maxCostUsd);
  const sealed = readSeal(directory);
  if (sealed !== undefined) await requireIntact(directory);
  if (sealed !== undefined)
    return { ...bundle, ...(await sealedResult(bundle)), asked: 0, planned, seal_sha256: sealed.seal_sha256 };
  const judge = options.judge ?? (await openFrozen(bundle, options));
  await requireFrozen(bundle);
  const unlock = lockScan(directory);
  try {
    removeLeftovers(directory);
    const index = new JournalIndex();
    const journal = await Journal.open(confined(directory, JOURNAL_FILE), bundle.plan_sha256, (entry, span) =>
      index.add(entry, span),
    );
    let asked = 0;
    try {
      if (index.answers.size < planned && !index.closed)
        asked = await askAll(bundle, judge, journal, index, ceiling, options);
    } finally {
      await journal.close();
    }
    const result = { ...bundle, asked, answered: index.answers.size, planned, spent_usd: index.spent_usd };
    if (options.signal?.aborted && result.answered < planned) throw interrupted(result);
    if (result.answered < planned && !index.closed) throw unfinished(result, index);
    return { ...result, seal_sha256: await finishScan(bundle, index, options.finish) };
  } finally {
    unlock();
  }
}

/** What a sealed scan says is repeated only where every byte still is what was sealed, and follows from the answers. */
async function requireIntact(directory: string): Promise<void> {
  // Loaded only here: most runs have no seal to check, and it brings the planner and its parsers along.
  const { verifyScan } = await import("./verify.ts");
  requireNone(directory, (await verifyScan(directory)).findings);
}

async function openFrozen({ directory, plan }: Bundle, { timeoutMs }: RunOptions): Promise<Judge> {
  const answersFile = plan.judge.adapter === "replay" ? confined(directory, SAVED_ANSWERS_FILE) : undefined;
  return await openJudge(plan.judge, { timeoutMs, answersFile });
}

async function sealedResult({ directory, plan_sha256 }: Bundle): Promise<{ answered: number; spent_usd: number }> {
  const index = new JournalIndex();
  await readJournal(confined(directory, JOURNAL_FILE), plan_sha256, (entry, span) => index.add(entry, span));
  return { answered: index.answers.size, spent_usd: index.spent_usd };
}

async function askAll(
  bundle: Bundle,
  judge: Judge,
  journal: Journal,
  index: JournalIndex,
  ceiling_usd: number,
  { concurrency, progress, signal, limits, clock }: RunOptions,
): Promise<number> {
  const { plan } = bundle;
  const record = async (entry: NewJournalEntry, onWritten?: () => void): Promise<void> =>
    index.add(entry, await journal.append(entry, onWritten));
  await record({ kind: "run", ceiling_usd });
  const planned = plan.requests.distinct * plan.judge.repeats;
  const purse = new Purse(new Ledger(ceiling_usd, index.spent));
  const embedded = plan.judge.base_url === undefined;
  const { asked, outOfRoom } = await askEach(
    calls(bundle, index, await boundsFor(plan.judge)),
    concurrency ?? (embedded ? EMBEDDED_WIDTH : WIDTH),
    { judge, purse, record, limits, clock, signal },
    () =>
      progress?.({
        done: index.answers.size,
        planned,
        errors: index.failures.size,
        spent_usd: index.spent_usd,
        ceiling_usd,
      }),
  );
  if (purse.ledger.stopped !== undefined) throw purse.ledger.stopped;
  if (outOfRoom && !signal?.aborted) throw ceilingReached(bundle, index, ceiling_usd, planned);
  return asked;
}

function ceilingReached(
  { directory, plan }: Bundle,
  index: JournalIndex,
  ceiling_usd: number,
  planned: number,
): AssayError {
  const answered = index.answers.size;
  return new AssayError(
    "ceiling_reached",
    `the next call could pass the ceiling of ${ceiling_usd} USD; ${answered} of ${planned} requests are answered and saved`,
    {
      file: directory,
      fix: `run again with a higher --max-cost-usd (at most ${highestCeiling(plan)})`,
      spent_usd: index.spent_usd,
      ceiling_usd,
      answered,
      planned,
    },
  );
}

/** The requests still without an answer, in plan order; each once, whichever conversations share it. */
async function* calls(bundle: Bundle, index: JournalIndex, bounds: Bounds): AsyncGenerator<Call> {
  const { judge } = bundle.plan;
  const taken = new Set<string>();
  const wanted = await openConversations(bundle, index);
  for await (const { request: planned } of frozenRequests(
    bundle,
    (conversation) => wanted?.has(conversation) ?? true,
  )) {
    const { input_sha256, request } = planned;
    for (let repeat = 0; repeat < judge.repeats; repeat++) {
      const key = answerKey(input_sha256, repeat);
      if (index.answers.has(key) || taken.has(key)) continue;
      taken.add(key);
      const attempt = (index.failures.get(key)?.attempts ?? 0) + 1;
      yield { input_sha256, repeat, attempt, request, reservationNano: reservationNano(judge, bounds, request) };
    }
  }
}

/** Conversations with a request that has no answer; undefined: nothing is answered yet, so all of them. */
async function openConversations(
  { directory, plan }: Bundle,
  { answers }: JournalIndex,
): Promise<Set<number> | undefined> {
  if (answers.size === 0) return undefined;
  const open = new Set<number>();
  for await (const { conversation, input_sha256 } of readInventory(directory, plan))
    for (let repeat = 0; repeat < plan.judge.repeats; repeat++)
      if (!answers.has(answerKey(input_sha256, repeat))) open.add(conversation);
  return open;
}

type Standing = Pick<RunResult, "directory" | "asked" | "answered" | "planned" | "spent_usd">;

function interrupted({ directory, answered, planned, asked }: Standing): AssayError {
  return new AssayError(
    "interrupted",
    `stopped; ${answered} of ${planned} requests are answered and saved`,
    {
      file: directory,
      fix: "run the same command again to go on",
      answered,
      planned,
      asked,
    },
    130,
  );
}

function unfinished({ directory, answered, planned, asked }: Standing, { failures }: JournalIndex): AssayError {
  const [first] = failures.values();
  const reason = first === undefined ? "" : ` (first: ${first.code}, ${first.message})`;
  return new AssayError("technical_errors", `${planned - answered} of ${planned} requests have no answer${reason}`, {
    file: directory,
    fix: "run again to retry them, or end the scan without them with bench scan close",
    answered,
    planned,
    asked,
    errors: failures.size,
  });
}
