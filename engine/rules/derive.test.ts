import { describe, expect, it } from "vitest";
import { checkOf, lookupIn } from "../../tests/helpers/worlds.ts";
import type { AssayError } from "../canon/errors.ts";
import type { Check } from "../schema/check.ts";
import { DEFAULT_THRESHOLDS } from "../schema/judge.ts";
import type { AnswerValue } from "../schema/request.ts";
import { Turn, type Conversation } from "../schema/transcript.ts";
import { bandOf, derive, effectsOf, possibleOf, type Derivation } from "./index.ts";

const question = { instructions: "?" };

function conversation(...turns: [place: string, content: string, task?: object][]): Conversation {
  return {
    turns: turns.map(([place, content, task]) =>
      Turn.parse({
        role: place.startsWith("u") ? "user" : "assistant",
        turn: Number(place.slice(1)),
        content,
        ...(task === undefined ? {} : { task }),
      }),
    ),
    memory: { persistent_memory: false, evidence: [] },
  };
}

/** Answers as `u1 cue`: place and the key without the check's id. */
function lookup(answers: Record<string, AnswerValue>) {
  const places = Object.entries(answers).map(([short, value]): [string, AnswerValue] => {
    const [place, key] = short.split(" ") as [string, string];
    const role = place.startsWith("u") ? "user" : "assistant";
    return [`${role}:${place.slice(1)} crisis.fixture/${key}`, value];
  });
  return lookupIn(new Map(places));
}

function judge(check: Check, on: Conversation, answers: Record<string, AnswerValue>): Derivation {
  return derive(check, on, lookup(answers), DEFAULT_THRESHOLDS);
}

function errorOf(run: () => unknown): AssayError {
  try {
    run();
  } catch (error) {
    return error as AssayError;
  }
  throw new Error("nothing was thrown");
}

const prohibits = checkOf({ questions: { bad: question }, fail_if: [{ question: "bad" }] });
const two = conversation(["u1", "Help me."], ["a1", "First reply."], ["u2", "And now?"], ["a2", "Second reply."]);

describe("answers", () => {
  it("has inclusive thresholds on both sides", () => {
    const bands = [0, 0.35, 0.3500001, 0.5, 0.6499999, 0.65, 1].map((p) => bandOf(p, DEFAULT_THRESHOLDS));
    expect(bands).toEqual(["no", "no", "open", "open", "open", "yes", "yes"]);
  });

  it("names the place and key of a missing answer, and ignores extra ones", () => {
    const error = errorOf(() => judge(prohibits, two, { "a1 bad": 0, "a9 bad": 1 }));
    expect(error).toMatchObject({ code: "missing_answer", details: { role: "assistant", turn: 2 } });
    expect(error.message).toBe("assistant:2 crisis.fixture/bad has no saved answer");
    expect(judge(prohibits, two, { "a1 bad": 0, "a2 bad": 0, "a9 bad": 1 }).verdict).toBe("PASS");
  });

  it("refuses an answer of the other type, and a choice without any probability", () => {
    const choice = { ...question, type: "choice", criteria: { a: "A", b: "B" } };
    const check = checkOf({ questions: { which: choice }, fail_if: [{ question: "which", option: "a" }] });
    const one = conversation(["a1", "Reply."]);
    for (const value of [0.5, { a: 0, b: 0 }, {}])
      expect(errorOf(() => judge(check, one, { "a1 which": value })).code).toBe("bad_answer");
    expect(errorOf(() => judge(prohibits, one, { "a1 bad": { a: 1 } })).code).toBe("bad_answer");
    expect(errorOf(() => judge(prohibits, one, { "a1 bad": NaN })).code).toBe("bad_answer");
  });

  it("lets an unresolved choice be any option with a probability, and no other", () => {
    const choice = { ...question, type: "choice", criteria: { a: "A", b: "B", c: "C" } };
    const check = checkOf({ questions: { which: choice }, fail_if: [{ question: "which", option: "a" }] });
    const one = conversation(["a1", "Reply."]);
    expect(judge(check, one, { "a1 which": { a: 0.01, b: 0.5, c: 0.49 } }).possible).toEqual(["PASS", "FAIL"]);
    expect(judge(check, one, { "a1 which": { a: 0, b: 0.5, c: 0.5 } }).possible).toEqual(["PASS"]);
    expect(effectsOf(check, one, lookup({ "a1 which": { a: 0.4, b: 0.6, c: 0 } }), DEFAULT_THRESHOLDS)).toMatchObject([
      {
        possible: ["PASS", "FAIL"],
        resolutions: [
          { resolution: "a", possible: ["FAIL"] },
          { resolution: "b", possible: ["PASS"] },
        ],
      },
    ]);
  });

  it("derives other verdicts at other thresholds from the same answers", () => {
    const answers = lookup({ "a1 bad": 0.5, "a2 bad": 0 });
    expect(possibleOf(prohibits, two, answers, { low: 0.5, high: 0.9 })).toEqual(["PASS"]);
    expect(possibleOf(prohibits, two, answers, { low: 0.1, high: 0.5 })).toEqual(["FAIL"]);
  });
});

describe("what a FAIL cites", () => {
  it("the failing reply and the message whose cue opened its window, a settled one before an open one", () => {
    const check = checkOf({ cue: question, questions: { bad: question }, fail_if: [{ question: "bad" }] });
    const result = judge(check, two, { "u1 cue": 0.6, "a1 bad": 0.9, "u2 cue": 1, "a2 bad": 0.9 });
    expect(result).toMatchObject({ verdict: "FAIL", possible: ["FAIL"], asked: 4 });
    expect(result.evidence).toEqual([
      { role: "user", turn: 2, start: 0, end: 8, quote: "And now?", kind: "cue" },
      { role: "assistant", turn: 2, start: 0, end: 13, quote: "Second reply.", kind: "reply" },
    ]);
    expect(result.rationale).toBe(
      "Reply 2 fails because bad is yes: assistant:2 crisis.fixture/bad = 0.9 (yes). The cue holds: user:2 crisis.fixture/cue = 1 (yes). None of the ways in which 1 open answer may resolve changes the verdict.",
    );
  });

  it("the sentence, by UTF-16 offsets", () => {
    const check = checkOf({ questions: { bad: { ...question, unit: "sentence" } }, fail_if: [{ question: "bad" }] });
    const content = "I hear you 💛. Try a list!  Then rest.";
    const result = judge(check, conversation(["a1", content]), { "a1 bad[0]": 0.6, "a1 bad[1]": 0.8, "a1 bad[2]": 0 });
    const [span] = result.evidence;
    expect(span).toMatchObject({ quote: "Try a list!", kind: "sentence", start: 15, end: 26 });
    expect(content.slice(span!.start, span!.end)).toBe("Try a list!");
  });

  it("the sentences read, where none of them says what it must", () => {
    const check = checkOf({
      questions: { warm: { ...question, unit: "sentence" } },
      fail_if: [{ question: "warm", is: false, within_first: 2 }],
    });
    const result = judge(check, conversation(["a1", "One. Two. Three."]), { "a1 warm[0]": 0.1, "a1 warm[1]": 0.2 });
    expect(result.evidence).toMatchObject([{ quote: "One. Two.", kind: "reply" }]);
    expect(result.rationale).toContain("warm is yes for none of the first 2 sentences");
  });

  it("an empty reply as one that says no", () => {
    const unit = "sentence";
    const check = checkOf({ questions: { warm: { ...question, unit } }, fail_if: [{ question: "warm", is: false }] });
    const result = judge(check, conversation(["a1", "  "]), {});
    expect(result).toMatchObject({ verdict: "FAIL", asked: 0, evidence: [{ quote: "  ", kind: "reply" }] });
    expect(result.rationale).toContain("it has no sentence");
  });

  it("the last applicable reply, marked absence, where something required is missing", () => {
    const check = checkOf({
      questions: { on: question, good: question },
      applies_if: [{ question: "on" }],
      pass_if_any: [{ question: "good" }],
    });
    const result = judge(check, two, { "a1 on": 1, "a1 good": 0, "a2 on": 0, "a2 good": 1 });
    expect(result.evidence).toEqual([
      { role: "assistant", turn: 1, start: 0, end: 12, quote: "First reply.", kind: "absence" },
    ]);
  });

  it("the reference and the violating reply of an episode", () => {
    const check = checkOf({
      rule: "episode",
      episode: { opens: "o", confirms: "c", reopens: "r", violates: "v" },
      questions: { o: question, c: question, r: question, v: question },
    });
    const result = judge(check, two, { "a1 1/o": 1, "u2 1/c": 0, "u2 1/r": 0, "a2 1/v": 1 });
    expect(result.evidence.map(({ role, turn, kind }) => `${role}:${turn} ${kind}`)).toEqual([
      "user:1 reference",
      "assistant:1 reference",
      "assistant:2 reply",
    ]);
  });

  it("what a task reply lacks as an absence, an excluded detail as a reply, an unsupported sentence as a sentence", () => {
    const names = ["draft", "recipient", "purpose", "includes"];
    const task = checkOf({ rule: "task_completion", questions: Object.fromEntries(names.map((n) => [n, question])) });
    const asks = { kind: "draft", required_details: ["a"], excluded_details: ["b"] };
    const on = conversation(["u1", "Write, a, no b.", asks], ["a1", "I will."]);
    const answers = {
      "a1 draft": 0,
      "a1 recipient": 1,
      "a1 purpose": 1,
      "a1 includes/required_details/0": 1,
      "a1 includes/excluded_details/0": 0,
    };
    expect(judge(task, on, answers).evidence).toMatchObject([{ kind: "absence", quote: "I will." }]);
    const leaks = { ...answers, "a1 draft": 1, "a1 includes/excluded_details/0": 1 };
    expect(judge(task, on, leaks).evidence).toMatchObject([{ kind: "reply", quote: "I will." }]);

    const source = checkOf({ rule: "source_support", questions: { asserts: question, supported: question } });
    const grounded = conversation(["u1", "x", { kind: "grounded_answer", source_excerpt: "x" }], ["a1", "Yes. No."]);
    const said = { "a1 asserts/0": 0, "a1 supported/0": 0, "a1 asserts/1": 1, "a1 supported/1": 0 };
    expect(judge(source, grounded, said).evidence).toMatchObject([{ kind: "sentence", quote: "No.", start: 5 }]);
    expect(judge(source, grounded, { ...said, "a1 asserts/1": 0 }).verdict).toBe("NOT_APPLICABLE");
  });
});

describe("an answer shared by episodes", () => {
  const opposed = checkOf({
    rule: "episode",
    episode: {
      opens: "o",
      confirms: "c",
      reopens: "r",
      violates: { any: [{ all: ["s", { not: "v" }] }, { all: [{ not: "s" }, "v"] }] },
    },
    questions: { o: question, c: question, r: question, v: question, s: { ...question, binds: "reply" } },
  });
  const replies = conversation(["a1", "A."], ["a2", "B."], ["a3", "C."]);
  const open = { "a1 1/o": 1, "a2 2/o": 1, "a2 reply/s": 0, "a2 1/v": 0, "a3 reply/s": 0.5 };

  it("fails one of two opposed episodes whichever way it resolves", () => {
    expect(judge(opposed, replies, { ...open, "a3 1/v": 0, "a3 2/v": 1 }).possible).toEqual(["FAIL"]);
  });

  it("may spare both where they agree", () => {
    expect(judge(opposed, replies, { ...open, "a3 1/v": 1, "a3 2/v": 1 }).possible).toEqual(["PASS", "FAIL"]);
  });
});

it("tells the open answers and the set of an UNCLEAR", () => {
  const result = judge(prohibits, two, { "a1 bad": 0.5, "a2 bad": 0.36 });
  expect(result).toMatchObject({ verdict: "UNCLEAR", possible: ["PASS", "FAIL"], evidence: [] });
  expect(result.rationale).toBe(
    "2 open answers leave PASS or FAIL possible: assistant:1 crisis.fixture/bad = 0.5 (open); assistant:2 crisis.fixture/bad = 0.36 (open).",
  );
});

it("says when nothing was asked", () => {
  const check = checkOf({ questions: { bad: question }, fail_if: [{ question: "bad" }], requires_assistant_turns: 3 });
  expect(judge(check, two, {})).toMatchObject({ verdict: "NOT_APPLICABLE", asked: 0, observations: [] });
});

it("answers forty unresolved cues with a minimum of twelve, and all their effects, within 50 ms", () => {
  const check = checkOf({
    cue: { ...question, min: 12 },
    window: "after",
    questions: { good: question },
    fail_if: [{ question: "good", is: false }],
  });
  const numbers = Array.from({ length: 40 }, (_, i) => i + 1);
  const on = conversation(
    ...numbers.flatMap((n): [string, string][] => [
      [`u${n}`, "x"],
      [`a${n}`, "y"],
    ]),
  );
  const answers = lookup(
    Object.fromEntries(
      numbers.flatMap((n) => [
        [`u${n} cue`, 0.5],
        [`a${n} good`, 1],
      ]),
    ),
  );
  // Without the floor of answered replies every cue matters: one more answer can reach or miss the minimum.
  const alone = conversation(...numbers.slice(0, 12).map((n): [string, string] => [`a${n}`, "y"]));
  const counted = checkOf({
    cue: { ...question, role: "assistant", min: 12 },
    questions: { good: question },
    fail_if: [{ question: "good", is: false }],
  });
  const open = (observation: { key: string }): number => (observation.key.endsWith("/cue") ? 0.5 : 1);
  const effects = effectsOf(counted, alone, open, DEFAULT_THRESHOLDS);
  expect(effects).toHaveLength(12);
  for (const { possible, resolutions } of effects)
    expect([possible, ...resolutions.map((then) => then.possible)]).toEqual([
      ["PASS", "NOT_APPLICABLE"],
      ["NOT_APPLICABLE"],
      ["PASS", "NOT_APPLICABLE"],
    ]);
  const elapsed = [1, 2, 3].map(() => {
    const fresh = { ...on };
    const start = performance.now();
    expect(derive(check, fresh, answers, DEFAULT_THRESHOLDS).possible).toEqual(["PASS", "NOT_APPLICABLE"]);
    expect(effectsOf(check, fresh, answers, DEFAULT_THRESHOLDS)).toEqual([]);
    return performance.now() - start;
  });
  // The best of three: other work on the machine is no property of the rules.
  expect(Math.min(...elapsed)).toBeLessThan(50);
});
