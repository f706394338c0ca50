import fc from "fast-check";
import { observe } from "../../engine/evidence/observations.ts";
import { Check, type Formula } from "../../engine/schema/check.ts";
import type { AnswerValue, Observation } from "../../engine/schema/request.ts";
import { DEFAULT_THRESHOLDS } from "../../engine/schema/judge.ts";
import type { Conversation, Turn } from "../../engine/schema/transcript.ts";
import { WORLD_VERDICTS, type WorldVerdict } from "../../engine/schema/verdict.ts";
import { verdictInWorld } from "../../engine/rules/worlds/index.ts";

/** Random checks, conversations and answers, and the verdict set by trying every world. For tests only. */

export interface Judged {
  check: Check;
  conversation: Conversation;
  answers: Map<string, AnswerValue>;
}

export function place({ role, turn, key }: { role: string; turn: number; key: string }): string {
  return `${role}:${turn} ${key}`;
}

export function lookupIn(answers: ReadonlyMap<string, AnswerValue>) {
  return (observation: Observation): AnswerValue | undefined => answers.get(place(observation));
}

/** What an answer may resolve to, as the protocol words it. */
export function resolutionsByHand(observation: Observation, value: AnswerValue): string[] {
  const { low, high } = DEFAULT_THRESHOLDS;
  if (typeof value === "number") return value >= high ? ["yes"] : value <= low ? ["no"] : ["no", "yes"];
  const sure = Object.keys(value).filter((option) => value[option]! >= high);
  return sure.length > 0 ? sure : observation.options!.filter((option) => (value[option] ?? 0) > 0);
}

/** Every verdict of every world, by enumeration. A world that reads an unlisted place throws. */
export function bruteForce({ check, conversation, answers }: Judged): WorldVerdict[] {
  const free = observe(check, conversation).map((observation) => ({
    at: place(observation),
    resolutions: resolutionsByHand(observation, answers.get(place(observation))!),
  }));
  const resolved = new Map<string, string>();
  const read = (role: string, turn: number, key: string): string => {
    const value = resolved.get(place({ role, turn, key }));
    if (value === undefined) throw new Error(`a world reads ${role}:${turn} ${key}, which is not observed`);
    return value;
  };
  const world = {
    yes: (role: string, turn: number, key: string) => read(role, turn, key) === "yes",
    chosen: read,
  };
  const found = new Set<WorldVerdict>();
  const visit = (i: number): void => {
    if (found.size === 3) return;
    const next = free[i];
    if (next === undefined) found.add(verdictInWorld(check, conversation, world));
    else
      for (const resolution of next.resolutions) {
        resolved.set(next.at, resolution);
        visit(i + 1);
      }
  };
  visit(0);
  return WORLD_VERDICTS.filter((verdict) => found.has(verdict));
}

export function checkOf(fields: Record<string, unknown>): Check {
  return Check.parse({
    id: "crisis.fixture",
    name: "fixture",
    severity: "S1",
    summary: "A fixture.",
    basis: "fixture",
    pass_meaning: "Nothing.",
    questions: {},
    ...fields,
  });
}

const text = fc
  .array(fc.constantFrom("One is here.", "Two?", "Three!", "Four"), { maxLength: 4 })
  .map((sentences) => sentences.join("\n"));

/** Turn numbers with gaps, either side missing now and then, an unjudged role, at least one reply. */
function conversation(fewest: number, most: number, task?: "draft" | "grounded_answer"): fc.Arbitrary<Conversation> {
  const details = fc.array(fc.constantFrom("a", "b"), { maxLength: 2 });
  const moment = fc.record({
    gap: fc.constantFrom(1, 1, 1, 2),
    user: fc.option(text, { freq: 6 }),
    assistant: fc.option(text, { freq: 8 }),
    asks: fc.constantFrom(true, true, false),
    required_details: details,
    excluded_details: details,
  });
  return fc
    .record({
      moments: fc.array(moment, { minLength: fewest, maxLength: most }),
      memory: fc.boolean(),
      flip: fc.boolean(),
    })
    .map(({ moments, memory, flip }) => {
      const turns: Turn[] = [{ role: "system", turn: 1, content: "Not judged." }];
      let turn = 0;
      for (const { gap, user, assistant, asks, ...details } of moments) {
        turn += gap;
        const asked = task !== undefined && asks ? { task: { kind: task, ...details } } : {};
        if (user !== null) turns.push({ role: "user", turn, content: user, ...asked });
        if (assistant !== null) turns.push({ role: "assistant", turn, content: assistant });
      }
      if (!turns.some(({ role }) => role === "assistant"))
        turns.push({ role: "assistant", turn: turn + 1, content: "Here." });
      // Order in the file is no order in time.
      if (flip) turns.reverse();
      return { turns, memory: { persistent_memory: memory, evidence: [] } };
    });
}

/** Small deterministic generator: the answers of a case come from one number that a failure prints. */
function stream(seed: number): () => number {
  let state = seed | 0;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** Answers with at most `open` unresolved (worlds at most 2^14 whatever the options), thresholds hit exactly at times. */
function answersFor(check: Check, conversation: Conversation, seed: number, open: number): Map<string, AnswerValue> {
  const random = stream(seed);
  const pick = <T>(items: readonly T[]): T => items[Math.floor(random() * items.length)]!;
  const observations = observe(check, conversation);
  const order = observations.map((_observation, i) => i);
  for (let i = order.length - 1; i > 0; i--) {
    const j = Math.floor(random() * (i + 1));
    [order[i], order[j]] = [order[j]!, order[i]!];
  }
  // One lean a question: episodes that all open, and violations that differ among them, are not left to luck.
  const leans = new Map<string, number>();
  let worlds = 1;
  const answers = new Map<string, AnswerValue>();
  order.forEach((i, nth) => {
    const observation = observations[i]!;
    const options = observation.options ?? [];
    const width = observation.type === "choice" ? options.length : 2;
    const free = nth < open && worlds * width <= 2 ** 14;
    if (free) worlds *= width;
    answers.set(place(observation), observation.type === "noul" ? noul(free, observation) : choice(options, free));
  });
  return answers;

  function noul(free: boolean, { question, detail }: Observation): number {
    if (free) return pick([0.5, 0.3500001, 0.6499999, 0.4]);
    const lean =
      leans.get(question) ??
      pick(check.rule === "task_completion" ? [0.5, 0.9, 1, 1, 1] : [0, 0.1, 0.5, 0.5, 0.9, 1, 1]);
    leans.set(question, lean);
    return random() < (detail?.list === "excluded_details" ? 1 - lean : lean)
      ? pick([0.65, 0.9, 1])
      : pick([0, 0.1, 0.35]);
  }
  function choice(options: readonly string[], free: boolean): AnswerValue {
    const [first, second, ...rest] = [...options].sort(() => random() - 0.5);
    if (!free) return { [first!]: pick([0.65, 1]), [second!]: 0.3 };
    const thin = Object.fromEntries(options.map((option) => [option, 1 / options.length]));
    return pick([
      thin,
      { [first!]: 0.64, [second!]: 0.36 },
      { [first!]: 0.2, [second!]: 0.5, [rest[0] ?? first!]: 0.3 },
    ]);
  }
}

function judged(check: fc.Arbitrary<Check>, conversation: fc.Arbitrary<Conversation>): fc.Arbitrary<Judged> {
  const few = fc.integer({ min: 0, max: 7 });
  const many = fc.integer({ min: 8, max: 14 });
  return fc
    .record({
      check,
      conversation,
      seed: fc.integer(),
      open: fc.oneof({ arbitrary: few, weight: 30 }, { arbitrary: many, weight: 1 }),
    })
    .map(({ check, conversation, seed, open }) => ({
      check,
      conversation,
      answers: answersFor(check, conversation, seed, open),
    }));
}

const gate = fc.option(fc.constantFrom("declared", "undeclared"), { nil: undefined, freq: 3 });

const clausesCheck = fc
  .record({
    cue: fc.option(fc.record({ role: fc.constantFrom("user", "assistant"), min: fc.constantFrom(1, 1, 2, 3) }), {
      freq: 3,
    }),
    window: fc.constantFrom("reply", "after"),
    requires_assistant_turns: fc.constantFrom(1, 1, 1, 2),
    kinds: fc.array(fc.record({ kind: fc.constantFrom("turn", "sentence", "choice"), memory: gate }), {
      minLength: 1,
      maxLength: 3,
    }),
    lists: fc.tuple(
      ...[0, 1, 2].map(() =>
        fc.array(
          fc.record({
            at: fc.nat(5),
            is: fc.boolean(),
            within: fc.constantFrom(0, 1, 2, 3),
            option: fc.constantFrom("a", "b", "c"),
            memory: gate,
          }),
          { maxLength: 2 },
        ),
      ),
    ),
  })
  .map(({ cue, window, requires_assistant_turns, kinds, lists }) => {
    const questions = kinds.map(({ kind, memory }) => ({
      instructions: "?",
      unit: kind === "sentence" ? "sentence" : "turn",
      ...(kind === "choice" ? { type: "choice", criteria: { a: "A", b: "B", c: "C" } } : {}),
      ...(memory === undefined ? {} : { memory }),
    }));
    const [applies_if, fail_if, pass_if_any] = lists.map((clauses) =>
      clauses.map(({ at, is, within, option, memory }) => {
        const i = at % kinds.length;
        const { kind, memory: gated } = kinds[i]!;
        const own = gated ?? memory;
        return {
          question: `q${i}`,
          is,
          ...(kind === "sentence" && within > 0 ? { within_first: within } : {}),
          ...(kind === "choice" ? { option } : {}),
          ...(own === undefined ? {} : { memory: own }),
        };
      }),
    );
    return checkOf({
      ...(cue === null ? {} : { cue: { ...cue, instructions: "?" } }),
      window,
      requires_assistant_turns,
      questions: Object.fromEntries(questions.map((question, i) => [`q${i}`, question])),
      applies_if,
      fail_if,
      pass_if_any,
    });
  });

function formula(names: readonly string[], depth: number): fc.Arbitrary<Formula> {
  const leaf = fc.constantFrom(...names);
  if (depth === 0) return leaf;
  const part = formula(names, depth - 1);
  const parts = fc.array(part, { minLength: 1, maxLength: 3 });
  return fc.oneof(
    leaf,
    parts.map((all) => ({ all })),
    parts.map((any) => ({ any })),
    part.map((not) => ({ not })),
    // Neither rising nor falling in either part.
    fc.tuple(part, part).map(([a, b]) => ({ any: [{ all: [a, { not: b }] }, { all: [{ not: a }, b] }] })),
  );
}

/** Violations that turn on a reply-bound answer one way for one episode and the other way for another. */
const opposed = fc.constantFrom<Formula>(
  { any: [{ all: ["s1", { not: "v1" }] }, { all: [{ not: "s1" }, "v1"] }] },
  { all: [{ any: ["s1", "v1"] }, { any: [{ not: "s1" }, { not: "v1" }] }, { any: ["s2", { not: "s2" }] }] },
  { any: [{ all: ["s1", { not: "v1" }, "s2"] }, { all: [{ not: "s1" }, "v1"] }, { all: [{ not: "s2" }, "o1"] }] },
);

const episodeCheck = checkOfEpisode({
  opens: formula(["o1", "o2"], 1),
  confirms: formula(["u1", "u2"], 1),
  reopens: formula(["u2", "u3"], 1),
  violates: formula(["s1", "s2", "v1", "o1"], 2),
});

const opposedCheck = checkOfEpisode({
  opens: fc.constantFrom<Formula>("o1", { any: ["o1", "v1"] }),
  confirms: fc.constantFrom<Formula>("u1", { all: ["u1", { not: "u1" }] }),
  reopens: fc.constantFrom("u2", "u3"),
  violates: opposed,
});

function checkOfEpisode(parts: Record<"opens" | "confirms" | "reopens" | "violates", fc.Arbitrary<Formula>>) {
  const requires_assistant_turns = fc.constantFrom(1, 1, 2);
  return fc.record({ ...parts, requires_assistant_turns }).map(({ requires_assistant_turns, ...episode }) => {
    const question = { instructions: "?" };
    return checkOf({
      rule: "episode",
      episode,
      requires_assistant_turns,
      questions: {
        ...Object.fromEntries(["o1", "o2", "u1", "u2", "u3", "v1"].map((name) => [name, question])),
        s1: { ...question, binds: "reply" },
        s2: { ...question, binds: "reply" },
      },
    });
  });
}

const fixed = (rule: string, names: readonly string[]): fc.Arbitrary<Check> =>
  fc.constantFrom(1, 1, 2).map((requires_assistant_turns) =>
    checkOf({
      rule,
      requires_assistant_turns,
      questions: Object.fromEntries(names.map((name) => [name, { instructions: "?" }])),
    }),
  );

export const CASES: Record<string, fc.Arbitrary<Judged>> = {
  clauses: judged(clausesCheck, conversation(1, 4)),
  episode: judged(episodeCheck, fc.oneof(conversation(1, 3), conversation(3, 4))),
  "episode, opposed by a shared answer": judged(opposedCheck, conversation(3, 4)),
  task_completion: judged(
    fixed("task_completion", ["draft", "recipient", "purpose", "includes"]),
    conversation(1, 3, "draft"),
  ),
  source_support: judged(fixed("source_support", ["asserts", "supported"]), conversation(1, 3, "grounded_answer")),
};
