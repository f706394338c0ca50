import { describe, expect, it } from "vitest";
import { checkOf } from "../../tests/helpers/worlds.ts";
import type { Check } from "../schema/check.ts";
import { Task, Turn, type Conversation } from "../schema/transcript.ts";
import { observe } from "./observations.ts";

const question = { instructions: "?" };
const sentences = { ...question, unit: "sentence" };

/** `u1 a1 a2` as turns; each reply has three sentences. */
function conversation(places: string, declared = false, turn: Partial<Turn> = {}): Conversation {
  const turns = places.split(" ").map((place) => {
    const role = place.startsWith("u") ? "user" : place.startsWith("a") ? "assistant" : "tool";
    return Turn.parse({
      role,
      turn: Number(place.slice(1)),
      content: "One. Two. Three.",
      ...(role === "user" ? turn : {}),
    });
  });
  return { turns, memory: { persistent_memory: declared, evidence: [] } };
}

function places(check: Check, on: Conversation): string[] {
  return observe(check, on).map(({ role, turn, key }) => `${role[0]}${turn} ${key.replace("crisis.fixture/", "")}`);
}

describe("observations of a clauses check", () => {
  const asked = { questions: { q: question, unread: question }, fail_if: [{ question: "q" }] };

  it("asks what a clause reads at every reply, in the order of turn numbers", () => {
    expect(places(checkOf(asked), conversation("a2 u2 t1 u1 a1"))).toEqual(["a1 q", "a2 q"]);
  });

  it("asks a user cue at every message, and questions where a window can be", () => {
    const reply = checkOf({ ...asked, cue: { role: "user", instructions: "?" } });
    const after = checkOf({ ...asked, cue: { role: "user", instructions: "?" }, window: "after" });
    const on = conversation("a1 u2 a2 a3 u4");
    expect(places(reply, on)).toEqual(["u2 cue", "a2 q", "u4 cue"]);
    expect(places(after, on)).toEqual(["u2 cue", "a2 q", "a3 q", "u4 cue"]);
  });

  it("asks an assistant cue at every reply; its later window begins at the second", () => {
    const cue = { role: "assistant", instructions: "?" };
    const on = conversation("a1 u2 a2 a3");
    expect(places(checkOf({ ...asked, cue }), on)).toEqual(["a1 cue", "a1 q", "a2 cue", "a2 q", "a3 cue", "a3 q"]);
    expect(places(checkOf({ ...asked, cue, window: "after" }), on)).toEqual([
      "a1 cue",
      "a2 cue",
      "a2 q",
      "a3 cue",
      "a3 q",
    ]);
  });

  it("asks the sentences that the widest clause reads", () => {
    const reads = (...within: (number | undefined)[]) =>
      checkOf({
        questions: { s: sentences },
        fail_if: within.map((n) => ({ question: "s", ...(n === undefined ? {} : { within_first: n }) })),
      });
    expect(places(reads(1, 2), conversation("a1"))).toEqual(["a1 s[0]", "a1 s[1]"]);
    expect(places(reads(1, undefined), conversation("a1"))).toEqual(["a1 s[0]", "a1 s[1]", "a1 s[2]"]);
    expect(places(reads(9), conversation("a1"))).toEqual(["a1 s[0]", "a1 s[1]", "a1 s[2]"]);
  });

  it("leaves out what is gated to the other memory state, and questions that only such clauses read", () => {
    const check = checkOf({
      questions: { here: { ...question, memory: "declared" }, there: question, always: question },
      fail_if: [
        { question: "here", memory: "declared" },
        { question: "there", memory: "undeclared" },
        { question: "always" },
      ],
    });
    expect(places(check, conversation("a1", true))).toEqual(["a1 always", "a1 here"]);
    expect(places(check, conversation("a1", false))).toEqual(["a1 always", "a1 there"]);
  });

  it("keeps its order when the definition's keys are sorted, as a frozen plan sorts them", () => {
    const choice = { ...question, type: "choice" };
    const fail_if = [{ question: "z", option: "b" }, { question: "a" }];
    const written = checkOf({ questions: { z: { ...choice, criteria: { b: "B", a: "A" } }, a: question }, fail_if });
    const frozen = checkOf({ questions: { a: question, z: { ...choice, criteria: { a: "A", b: "B" } } }, fail_if });
    expect(observe(written, conversation("a1"))).toEqual(observe(frozen, conversation("a1")));
    expect(observe(written, conversation("a1"))[1]).toMatchObject({ question: "z", options: ["a", "b"] });
  });

  it("asks nothing below the required number of replies", () => {
    const check = checkOf({ ...asked, cue: { instructions: "?" }, requires_assistant_turns: 2 });
    expect(places(check, conversation("u1 a1 u2"))).toEqual([]);
    expect(places(check, conversation("u1 a1 u2 a2"))).toHaveLength(4);
  });
});

describe("observations of an episode check", () => {
  const check = checkOf({
    rule: "episode",
    requires_assistant_turns: 2,
    episode: { opens: "o", confirms: "c", reopens: "r", violates: { all: ["shared", { not: "own" }] } },
    questions: { o: question, c: question, r: question, own: question, shared: { ...question, binds: "reply" } },
  });

  it("asks each later message against each reference, a reply-bound question once a reply, nothing after the last", () => {
    expect(places(check, conversation("u1 a1 u2 a2 u3 a3 u4"))).toEqual([
      "a1 1/o",
      "u2 1/c",
      "u2 1/r",
      "a2 reply/shared",
      "a2 1/own",
      "a2 2/o",
      "u3 1/c",
      "u3 1/r",
      "u3 2/c",
      "u3 2/r",
      "a3 reply/shared",
      "a3 1/own",
      "a3 2/own",
    ]);
    expect(observe(check, conversation("a1 a2"))[2]).toMatchObject({ key: "crisis.fixture/1/own", reference_turn: 1 });
  });

  it("asks nothing of a single reply", () => {
    expect(places(check, conversation("u1 a1 u2"))).toEqual([]);
  });
});

describe("observations of the task rules", () => {
  it("asks about a draft at the same-numbered reply, one question a detail", () => {
    const names = ["draft", "recipient", "purpose", "includes"];
    const check = checkOf({
      rule: "task_completion",
      questions: Object.fromEntries(names.map((name) => [name, question])),
    });
    const task = Task.parse({ kind: "draft", required_details: ["a", "b"], excluded_details: ["c"] });
    expect(places(check, conversation("u1 a1 u2", false, { task }))).toEqual([
      "a1 draft",
      "a1 recipient",
      "a1 purpose",
      "a1 includes/required_details/0",
      "a1 includes/required_details/1",
      "a1 includes/excluded_details/0",
    ]);
    expect(places(check, conversation("u1 a1"))).toEqual([]);
  });

  it("asks two questions about each sentence of a grounded answer", () => {
    const check = checkOf({ rule: "source_support", questions: { asserts: question, supported: question } });
    const task = Task.parse({ kind: "grounded_answer", source_excerpt: "One." });
    const on = conversation("u1 a1", false, { task });
    expect(places(check, on)).toEqual([0, 1, 2].flatMap((i) => [`a1 asserts/${i}`, `a1 supported/${i}`]));
  });
});
