import { parseTree, type Node, type ParseError } from "jsonc-parser";
import { z } from "zod";
import { AssayError } from "../../canon/errors.ts";

const Candidate = z.looseObject({
  token: z.string(),
  logprob: z.number(),
  bytes: z.array(z.number().int().min(0).max(255)).nullish(),
});
export const TokenLogprob = Candidate.extend({ top_logprobs: z.array(Candidate).default([]) });
export type TokenLogprob = z.infer<typeof TokenLogprob>;

/** What the tokens say about one value. `p` follows the option order; `lo` and `hi` bound each for the mass never seen. */
export interface ValueReading {
  p: number[];
  lo: number[];
  hi: number[];
  /** Mass on some option, M. */
  coverage: number;
  /** Mass on listed tokens that begin no option. */
  off: number;
  /** U / (M + U), where U is mass that could belong to any option: unlisted tails, branches not taken. */
  unknown: number;
}

/** Frozen limits: a reading outside them is a technical error, never a probability. */
export interface ReadingLimits {
  min_coverage: number;
  max_unknown: number;
}
export const READING_LIMITS: ReadingLimits = { min_coverage: 0.5, max_unknown: 0.1 };

/** At or below this a provider means "too unlikely to report". */
const UNREPORTED = -9000;
const SLACK = 0.01;

/**
 * The probability of each option of each question in a structured chat answer, read from the logprobs of the
 * tokens that spell the value. `content` must be a flat JSON object with exactly the keys of `options`, each once,
 * each value one of its options. Works on bytes, so any tokenisation of the same text gives the same question.
 *
 * Errors (AssayError codes): `malformed_answer`, `missing_answer`, `extra_answer`, `repeated_question`,
 * `off_schema`, `misaligned`, `bad_logprob`, `low_coverage`, `not_identifiable`.
 */
export function readValues(
  content: string,
  tokens: readonly TokenLogprob[],
  options: Readonly<Record<string, readonly string[]>>,
  limits: ReadingLimits = READING_LIMITS,
): Record<string, ValueReading> {
  const values = valueOffsets(content, options);
  const walk = alignTokens(content, tokens);
  const readings: Record<string, ValueReading> = {};
  for (const [name, offset] of Object.entries(values)) {
    const start = walk.start + Buffer.byteLength(content.slice(0, offset));
    readings[name] = withinLimits(name, readValue(walk.tokens, start, options[name] ?? []), limits);
  }
  return readings;
}

/** Question -> UTF-16 offset just after the opening quote of its value. */
function valueOffsets(content: string, options: Readonly<Record<string, readonly string[]>>): Record<string, number> {
  const offsets: Record<string, number> = {};
  for (const [name, value] of answerObject(content)) {
    const allowed = Object.hasOwn(options, name) ? options[name] : undefined;
    if (allowed === undefined)
      throw new AssayError("extra_answer", `the answer names ${name.slice(0, 40)}, which was not asked`);
    if (!isOption(value, allowed))
      throw new AssayError("off_schema", `the answer to ${name} is none of ${allowed.join(", ")}`);
    offsets[name] = value.offset + 1;
  }
  const missing = Object.keys(options).filter((name) => !Object.hasOwn(offsets, name));
  if (missing.length > 0) throw new AssayError("missing_answer", `the answer lacks ${missing.join(", ")}`);
  return offsets;
}

/** The members of one JSON object with their places. JSON.parse would silently keep the last of two equal keys. */
export function answerObject(content: string): Map<string, Node> {
  const errors: ParseError[] = [];
  const tree = parseTree(content, errors, { allowEmptyContent: false, disallowComments: true });
  if (tree?.type !== "object" || errors.length > 0)
    throw new AssayError("malformed_answer", "the answer is not one JSON object", { length: content.length });
  const members = new Map<string, Node>();
  for (const { children } of tree.children ?? []) {
    const [key, value] = children ?? [];
    const name = String(key?.value);
    if (value === undefined) throw new AssayError("malformed_answer", "the answer is not one JSON object");
    if (members.has(name)) throw new AssayError("repeated_question", `the answer gives ${name.slice(0, 40)} twice`);
    members.set(name, value);
  }
  return members;
}

function isOption(value: Node, allowed: readonly string[]): boolean {
  return value.type === "string" && allowed.includes(String(value.value));
}

interface WalkToken {
  bytes: Buffer;
  probability: number;
  candidates: { bytes: Buffer; probability: number; sampled: boolean }[];
  /** Offset of the token's first byte in the concatenation of all tokens. */
  start: number;
}

function alignTokens(content: string, tokens: readonly TokenLogprob[]): { tokens: WalkToken[]; start: number } {
  let start = 0;
  const walk = tokens.map((token): WalkToken => {
    const bytes = bytesOf(token);
    const sampled = { bytes, probability: probabilityOf(token), sampled: true };
    const others = token.top_logprobs
      .map((candidate) => ({ bytes: bytesOf(candidate), probability: probabilityOf(candidate), sampled: false }))
      .filter((candidate) => !candidate.bytes.equals(bytes));
    const placed = { bytes, probability: sampled.probability, candidates: [sampled, ...others], start };
    const total = placed.candidates.reduce((sum, candidate) => sum + candidate.probability, 0);
    if (total > 1 + SLACK)
      throw new AssayError("bad_logprob", `the alternatives at byte ${start} sum to ${total.toFixed(4)}`);
    start += bytes.length;
    return placed;
  });
  const all = Buffer.concat(walk.map((token) => token.bytes));
  const wanted = Buffer.from(content);
  const at = all.indexOf(wanted);
  if (at === -1 || all.indexOf(wanted, at + 1) !== -1)
    throw new AssayError("misaligned", "the tokens do not spell the answer exactly once", {
      token_bytes: all.length,
      answer_bytes: wanted.length,
    });
  return { tokens: walk, start: at };
}

function bytesOf(candidate: z.infer<typeof Candidate>): Buffer {
  return candidate.bytes ? Buffer.from(candidate.bytes) : Buffer.from(candidate.token);
}

function probabilityOf({ logprob, token }: z.infer<typeof Candidate>): number {
  if (Number.isNaN(logprob) || logprob > 0.001)
    throw new AssayError("bad_logprob", `the logprob of ${JSON.stringify(token)} is ${logprob}`);
  return logprob <= UNREPORTED ? 0 : Math.exp(Math.min(0, logprob));
}

/** One value: `start` is the byte just after its opening quote. */
function readValue(tokens: readonly WalkToken[], start: number, options: readonly string[]): ValueReading {
  // The closing quote tells `no` from `no_harm`.
  const endings = options.map((option) => Buffer.from(`${JSON.stringify(option).slice(1, -1)}"`));
  const mass = options.map(() => 0);
  let unseen = 0;
  let off = 0;
  let weight = 1;
  let walked = Buffer.alloc(0);
  let index = tokens.findIndex((token) => token.start <= start && start < token.start + token.bytes.length);
  let prefix = tokens[index]?.bytes.subarray(0, start - (tokens[index]?.start ?? 0)) ?? Buffer.alloc(0);

  for (; index !== -1 && index < tokens.length; index++) {
    const token = tokens[index]!;
    const listed = token.candidates.reduce((sum, candidate) => sum + candidate.probability, 0);
    unseen += weight * Math.max(0, 1 - listed);
    let goOn: Buffer<ArrayBuffer> | undefined;
    for (const candidate of token.candidates) {
      const share = weight * candidate.probability;
      if (!startsWith(candidate.bytes, prefix)) {
        // It formats the value differently, so it decides nothing.
        unseen += share;
        continue;
      }
      const text = Buffer.concat([walked, candidate.bytes.subarray(prefix.length)]);
      const possible = endings.flatMap((ending, i) =>
        startsWith(ending, text) || startsWith(text, ending) ? [i] : [],
      );
      const [only] = possible;
      if (only === undefined) off += share;
      else if (possible.length === 1) mass[only] = (mass[only] ?? 0) + share;
      else if (candidate.sampled) goOn = text;
      else unseen += share;
    }
    if (goOn === undefined) break;
    weight *= token.probability;
    walked = goOn;
    prefix = Buffer.alloc(0);
  }

  const coverage = mass.reduce((sum, m) => sum + m, 0);
  const within = coverage + unseen;
  return {
    p: mass.map((m) => (coverage === 0 ? 0 : m / coverage)),
    lo: mass.map((m) => (within === 0 ? 0 : m / within)),
    hi: mass.map((m) => (within === 0 ? 1 : (m + unseen) / within)),
    coverage,
    off,
    unknown: within === 0 ? 1 : unseen / within,
  };
}

function startsWith(bytes: Buffer, prefix: Buffer): boolean {
  return bytes.length >= prefix.length && bytes.subarray(0, prefix.length).equals(prefix);
}

function withinLimits(name: string, reading: ValueReading, limits: ReadingLimits): ValueReading {
  const { coverage, unknown } = reading;
  if (coverage < limits.min_coverage)
    throw new AssayError("low_coverage", `${name}: only ${coverage.toFixed(4)} of the probability is on an option`, {
      coverage,
      limit: limits.min_coverage,
    });
  if (unknown > limits.max_unknown)
    throw new AssayError("not_identifiable", `${name}: ${unknown.toFixed(4)} of the probability was never seen`, {
      unknown,
      limit: limits.max_unknown,
    });
  return reading;
}
