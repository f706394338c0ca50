import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { CASES, checkOf, place } from "../../tests/helpers/worlds.ts";
import { digestOf } from "../canon/json.ts";
import { AssayError } from "../canon/errors.ts";
import type { Check, EvidenceField } from "../schema/check.ts";
import type { PlannedRequest } from "../schema/request.ts";
import type { Conversation } from "../schema/transcript.ts";
import { fieldsOfRule } from "./fields.ts";
import { observe } from "./observations.ts";
import { MAX_QUESTIONS, planRequests } from "./requests.ts";
import { stateFor } from "./state.ts";

const planned = (
  checks: Parameters<typeof planRequests>[0],
  on: Conversation,
  grouping: "shared" | "one",
  question_order?: "reversed",
): PlannedRequest[] => [...planRequests(checks, on, { grouping, question_order })];

const turn = (role: string, number: number, content = `${role} ${number}`) => ({ role, turn: number, content });
const talk = [1, 2, 3].flatMap((number) => [
  turn("user", number),
  turn("assistant", number, `Reply ${number}. More ${number}.`),
]);
const receipt = (number: number) => ({
  turn: number,
  memory_id: `m${number}`,
  operation: "read",
  status: "ok",
  text: `fact ${number}`,
});
const conversation = (declared = false): Conversation => ({
  turns: talk,
  memory: { persistent_memory: declared, evidence: [receipt(3), receipt(1), receipt(2)] },
});
const question = { instructions: "?" };

function states(check: Check, on: Conversation) {
  return Object.fromEntries(
    observe(check, on).map((observation) => [place(observation), stateFor(check, on, observation)]),
  );
}

describe("evidence", () => {
  it("at a message holds it and what came before; at a reply also the reply", () => {
    const check = checkOf({ cue: { instructions: "?" }, questions: { q: question }, fail_if: [{ question: "q" }] });
    const seen = states(check, conversation());
    expect(seen["user:2 crisis.fixture/cue"]).toEqual({
      caregiver: "user 2",
      earlier_caregiver: ["user 1"],
      earlier_assistant: ["Reply 1. More 1."],
    });
    expect(seen["assistant:1 crisis.fixture/q"]).toEqual({
      caregiver: "user 1",
      earlier_caregiver: [],
      earlier_assistant: [],
      assistant: "Reply 1. More 1.",
    });
  });
  it("shows sentences to sentence questions only, and receipts up to the turn only where memory is declared", () => {
    const check = checkOf({
      questions: { q: question, s: { ...question, unit: "sentence" } },
      fail_if: [{ question: "q" }, { question: "s" }],
    });
    const seen = states(check, conversation(true));
    expect(seen["assistant:2 crisis.fixture/q"]).not.toHaveProperty("sentences");
    expect(seen["assistant:2 crisis.fixture/s[1]"]).toHaveProperty("sentences", ["Reply 2.", "More 2."]);
    expect(seen["assistant:2 crisis.fixture/q"]).toHaveProperty("memory_context", [receipt(1), receipt(2)]);
    expect(states(check, conversation(false))["assistant:2 crisis.fixture/q"]).not.toHaveProperty("memory_context");
  });
  it("of an episode is the reference, and the message or reply observed against it", () => {
    const names = { opens: "o", confirms: "c", reopens: "r", violates: { all: ["v", "p"] } };
    const asked = Object.fromEntries(["o", "c", "r", "v"].map((name) => [name, question]));
    const check = checkOf({
      rule: "episode",
      episode: names,
      questions: { ...asked, p: { ...question, binds: "reply" } },
    });
    const seen = states(check, conversation());
    expect(seen["user:3 crisis.fixture/1/c"]).toEqual({
      caregiver: "user 1",
      anchor: "Reply 1. More 1.",
      message: "user 3",
    });
    expect(seen["assistant:3 crisis.fixture/2/v"]).toEqual({
      caregiver: "user 2",
      anchor: "Reply 2. More 2.",
      message: "Reply 3. More 3.",
    });
    expect(seen["assistant:3 crisis.fixture/reply/p"]).toEqual({ message: "Reply 3. More 3." });
  });
  it("of a task holds its texts; a grounded answer's also the sentences", () => {
    const task = {
      kind: "draft" as const,
      recipient: "Lee",
      purpose: "a visit",
      required_details: ["noon"],
      excluded_details: [],
    };
    const turns = [{ ...turn("user", 1, "Ask Lee for a visit at noon"), task }, turn("assistant", 1)];
    const questions = Object.fromEntries(["draft", "recipient", "purpose", "includes"].map((name) => [name, question]));
    const seen = states(checkOf({ rule: "task_completion", questions }), {
      turns,
      memory: { persistent_memory: false, evidence: [] },
    });
    expect(seen["assistant:1 crisis.fixture/includes/required_details/0"]).toEqual({
      caregiver: "Ask Lee for a visit at noon",
      assistant: "assistant 1",
      recipient: "Lee",
      purpose: "a visit",
      required_details: ["noon"],
      excluded_details: [],
    });
  });
  it("that a question may not see at all is an error naming it", () => {
    const check = checkOf({
      questions: { q: { ...question, inputs: ["memory_context"] } },
      fail_if: [{ question: "q" }],
    });
    expect(() => planned([{ check }], conversation(), "one")).toThrow(AssayError);
  });
});

describe("requests", () => {
  const two = checkOf({
    id: "crisis.two",
    questions: { a: question, s: { ...question, unit: "sentence" }, blind: { ...question, inputs: ["assistant"] } },
    fail_if: [{ question: "a" }, { question: "s" }, { question: "blind" }],
  });
  const one = checkOf({ questions: { b: { instructions: "Other?" } }, fail_if: [{ question: "b" }] });
  const asked = (grouping: "shared" | "one") =>
    planned([{ check: two }, { check: one }], conversation(), grouping).map(({ observations }) =>
      observations.map(({ turn: number, key }) => `${number} ${key}`),
    );

  it("are shared by questions that see the same evidence, across checks", () => {
    expect(asked("shared").slice(0, 3)).toEqual([
      ["1 crisis.two/a", "1 crisis.fixture/b"],
      ["1 crisis.two/blind"],
      ["1 crisis.two/s[0]", "1 crisis.two/s[1]"],
    ]);
  });
  it("hold the same questions over the same evidence in reverse, and no others, where the order is reversed", () => {
    const checks = [{ check: two }, { check: one }];
    const listed = planned(checks, conversation(), "shared");
    const reversed = planned(checks, conversation(), "shared", "reversed");
    expect(reversed.map(({ request }) => request.state)).toEqual(listed.map(({ request }) => request.state));
    expect(reversed.map(({ observations }) => observations.map(place))).toEqual(
      listed.map(({ observations }) => observations.map(place).reverse()),
    );
    const texts = ({ request }: PlannedRequest) =>
      request.questions.map(({ name, ...asked }, i) => ({ place: name === `q${i + 1}`, asked }));
    expect(reversed.map(texts)).toEqual(listed.map((request) => texts(request).reverse()));
    expect(planned(checks, conversation(), "one", "reversed")).toEqual(planned(checks, conversation(), "one"));
  });
  it("ask one question each with grouping one", () => {
    expect(asked("one")).toHaveLength(15);
    expect(asked("one").every((keys) => keys.length === 1)).toBe(true);
  });
  it("keep authored instructions and bind the item a question is about", () => {
    const sentences = planned([{ check: two }], conversation(), "shared")[2]!;
    expect(sentences.request.questions).toEqual([
      { name: "q1", type: "noul", instructions: "?", bind: { field: "sentences", index: 0 } },
      { name: "q2", type: "noul", instructions: "?", bind: { field: "sentences", index: 1 } },
    ]);
    expect(sentences.input_sha256).toBe(digestOf(sentences.request));
  });
  it("split a group that is too large for a provider", () => {
    const names = Array.from({ length: MAX_QUESTIONS + 5 }, (_, i) => `q${i}`);
    const check = checkOf({
      questions: Object.fromEntries(names.map((name) => [name, question])),
      fail_if: names.map((name) => ({ question: name })),
    });
    const sizes = planned([{ check }], conversation(), "shared").map(({ request }) => request.questions.length);
    expect(sizes.slice(0, 2)).toEqual([MAX_QUESTIONS, 5]);
  });
  it("grow linearly with a long conversation where only the reply is seen", () => {
    const turns = Array.from({ length: 4000 }, (_, i) => [turn("user", i + 1), turn("assistant", i + 1)]).flat();
    const check = checkOf({ questions: { q: { ...question, inputs: ["assistant"] } }, fail_if: [{ question: "q" }] });
    const start = performance.now();
    expect(planned([{ check }], { turns, memory: conversation().memory }, "one")).toHaveLength(4000);
    expect(performance.now() - start).toBeLessThan(5000);
  });
});

/** Give each question of a check some of the fields that exist at its place. */
function restricted(check: Check, picks: readonly number[]): Check {
  const names = Object.keys(check.questions);
  const questions = names.map((name, i) => {
    const asked = check.questions[name]!;
    const fields = fieldsOfRule(check.rule, "assistant", asked.binds).filter((field) => field !== "memory_context");
    const kept: EvidenceField[] = fields.filter((_, k) => ((picks[i] ?? 0) >> k) & 1);
    return [name, kept.length === 0 ? asked : { ...asked, inputs: kept }] as const;
  });
  return { ...check, questions: Object.fromEntries(questions) };
}

describe("no request carries evidence a question may not see", () => {
  it.each(Object.entries(CASES))("%s", (_name, cases) => {
    fc.assert(
      fc.property(
        cases,
        fc.array(fc.nat(255), { maxLength: 6 }),
        fc.constantFrom("shared", "one"),
        (judged, picks, grouping) => {
          const check = restricted(judged.check, picks);
          // A mark in every turn shows where a text came from.
          const turns = judged.conversation.turns.map((made) => ({
            ...made,
            content: `${made.content} <${made.role}${made.turn}>`,
          }));
          const on = { turns, memory: judged.conversation.memory };
          const requests = planned([{ check }], on, grouping);
          const placed = requests.flatMap(({ observations }) => observations.map(place));
          expect([...placed].sort()).toEqual(observe(check, on).map(place).sort());
          for (const { request, observations } of requests) {
            const text = JSON.stringify(request.state);
            expect(text).not.toContain("<system");
            for (const { question: name, turn: number, role } of observations) {
              const inputs = name === "cue" ? undefined : check.questions[name]?.inputs;
              if (inputs !== undefined) expect(inputs).toEqual(expect.arrayContaining(Object.keys(request.state)));
              for (const [, side, seen] of text.matchAll(/<(user|assistant)(\d+)>/g)) {
                expect(Number(seen)).toBeLessThanOrEqual(number);
                if (role === "user" && side === "assistant") expect(Number(seen)).toBeLessThan(number);
              }
            }
          }
        },
      ),
      { numRuns: 150 },
    );
  });
});
