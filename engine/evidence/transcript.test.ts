import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { AssayError } from "../canon/errors.ts";
import { parseTranscript } from "./transcript.ts";

const bytes = (...turns: unknown[]) => Buffer.from(turns.map((turn) => `${JSON.stringify(turn)}\n`).join(""));
const user = {
  role: "user",
  turn: 1,
  content: "Write to Dr. Osei about the refill: 30 tablets. Leave out my address.",
};
const assistant = { role: "assistant", turn: 1, content: "Of course." };
const draft = {
  kind: "draft",
  recipient: "Dr. Osei",
  purpose: "the refill",
  required_details: ["30 tablets"],
  excluded_details: ["my address"],
};

function refusal(data: Uint8Array): AssayError {
  try {
    parseTranscript(data, "t.jsonl");
  } catch (error) {
    if (error instanceof AssayError) return error;
    throw error;
  }
  throw new Error("it parsed");
}

describe("parseTranscript", () => {
  it("keeps extra fields, other roles and the order of lines", () => {
    const turns = [
      { role: "system", turn: 1, content: "x" },
      { ...assistant, branch_id: "b", finish_reason: "stop" },
      user,
    ];
    expect(parseTranscript(bytes(...turns), "t.jsonl")).toEqual(turns);
  });
  it("accepts a task that its message shows, and a last line without newline", () => {
    const data = bytes({ ...user, task: draft }, assistant);
    expect(parseTranscript(data.subarray(0, -1), "t.jsonl")[0]?.task).toEqual(draft);
  });
  it.each([
    ["no assistant turn", bytes(user), "no_assistant_turn", undefined],
    ["an empty file", Buffer.from(""), "no_assistant_turn", undefined],
    ["a repeated (role, turn)", bytes(user, assistant, assistant), "repeated_turn", 3],
    ["bytes that are not UTF-8", Buffer.from([0x7b, 0xff, 0x7d]), "not_utf8", undefined],
    ["a blank line", Buffer.concat([bytes(user), Buffer.from("\n"), bytes(assistant)]), "blank_line", 2],
    ["a line that is not JSON", Buffer.from("{\n"), "bad_json", 1],
    ["turn zero", bytes({ ...assistant, turn: 0 }), "bad_record", 1],
    ["a missing content", bytes({ role: "assistant", turn: 1 }), "bad_record", 1],
    ["half a character", bytes(user, { ...assistant, content: "\ud83d" }), "lone_surrogate", 2],
    ["a task on a reply", bytes(user, { ...assistant, task: draft }), "bad_task", 2],
    ["a task without purpose", bytes({ ...user, task: { ...draft, purpose: undefined } }, assistant), "bad_task", 1],
    ["an empty detail", bytes({ ...user, task: { ...draft, required_details: [""] } }, assistant), "bad_task", 1],
  ] as const)("refuses %s", (_name, data, code, line) => {
    const error = refusal(data);
    expect(error.code).toBe(code);
    expect(error.details.file).toBe("t.jsonl");
    expect(error.details.line).toBe(line);
    expect(error.message).not.toContain("\n");
  });
  it.each([
    ["recipient", { ...draft, recipient: "Dr. Chen" }],
    ["purpose", { ...draft, purpose: "a visit" }],
    ["required_details[0]", { ...draft, required_details: ["40 tablets"] }],
    ["excluded_details[1]", { ...draft, excluded_details: ["my address", "my diagnosis"] }],
    ["source_excerpt", { kind: "grounded_answer", source_excerpt: "Take with food." }],
  ])("refuses a %s that the message does not show", (field, task) => {
    const error = refusal(bytes({ ...user, task }, assistant));
    expect(error.code).toBe("bad_task");
    expect(error.message).toContain(field);
  });
  it("never ends in anything but a typed error or turns", () => {
    const piece = fc.constantFrom(
      "{",
      "}",
      "[",
      "]",
      '"',
      "\\",
      "role",
      '"role":"assistant"',
      '"turn":1',
      '"content":"x"',
      ",",
      "\n",
      "\u2028",
      "task",
      "null",
      "1e999",
    );
    const text = fc.array(piece, { maxLength: 20 }).map((parts) => Buffer.from(parts.join("")));
    const mutated = fc.tuple(fc.nat(), fc.integer({ min: 0, max: 255 })).map(([at, byte]) => {
      const data = bytes({ ...user, task: draft }, assistant);
      data[at % data.length] = byte;
      return data;
    });
    fc.assert(
      fc.property(fc.oneof(text, mutated, fc.uint8Array({ maxLength: 80 })), (data) => {
        try {
          parseTranscript(data, "t.jsonl");
        } catch (error) {
          expect(error).toBeInstanceOf(AssayError);
        }
      }),
      { numRuns: 3000 },
    );
  });
});
