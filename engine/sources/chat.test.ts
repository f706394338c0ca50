import { describe, expect, it } from "vitest";
import { imported, refused } from "../../tests/helpers/imports.ts";
import type { RawOptions } from "./options.ts";

const given: RawOptions = { modelId: "org/model", runDate: "2026-05-02" };
const jsonl = (...rows: unknown[]): string => rows.map((row) => `${JSON.stringify(row)}\n`).join("");
const user = (content: unknown) => ({ role: "user", content });
const assistant = (content: unknown, more = {}) => ({ role: "assistant", content, ...more });
const short = [user("Hello?"), assistant("Hello.")];
const turn = (role: string, number: number, content: string) => ({ role, turn: number, content });

describe("importing chat JSONL", () => {
  it("keeps ids, models and order, and makes a run that loads", async () => {
    const { report, turns, source } = await imported(
      "chat",
      { runDate: "2026-05-02" },
      jsonl(
        { id: "a", model: "org/one", category: "c", scenario: "Title", messages: short },
        { id: 7, model: "One", model_id: "org/one", messages: short },
      ),
    );
    expect(report).toMatchObject({ conversations: 2, turns: 4, assistant_turns: 2, digests_checked: 0, dropped: [] });
    expect(report.models).toEqual([{ model_id: "org/one", conversations: 2 }]);
    expect(report.assumed).toEqual([{ file: "in-0.chat", field: "run_date 2026-05-02", count: 1 }]);
    expect(source.manifest).toMatchObject({ harness: "chat", mode: "imported", run_date: "2026-05-02" });
    expect(source.conversations.map(({ entry }) => entry)).toMatchObject([
      { model: "org/one", scenario_id: "a", category: "c", scenario: "Title" },
      { model: "One", scenario_id: "7", category: "" },
    ]);
    expect(turns["a"]).toEqual([turn("user", 1, "Hello?"), turn("assistant", 1, "Hello.")]);
  });
  it("numbers turns by the user's messages, merges nothing, and keeps system messages", async () => {
    const { turns } = await imported(
      "chat",
      given,
      jsonl(
        { id: "greeted", messages: [assistant("Hi"), user("a"), user("b"), assistant("c"), assistant("d"), user("e")] },
        {
          id: "system",
          messages: [
            { role: "system", content: "s" },
            { role: "system", content: "t" },
            ...short,
            user("x"),
            { role: "system", content: "u" },
            assistant("y"),
          ],
        },
      ),
    );
    expect(turns["greeted"]?.map(({ role, turn: number }) => `${role} ${number}`)).toEqual([
      "assistant 1",
      "user 2",
      "user 3",
      "assistant 3",
      "assistant 4",
      "user 5",
    ]);
    expect(turns["system"]?.map(({ role, turn: number }) => `${role} ${number}`)).toEqual([
      "system 1",
      "system 2",
      "user 1",
      "assistant 1",
      "user 2",
      "system 3",
      "assistant 2",
    ]);
  });
  it("joins text parts, and counts parts, tool calls and fields it leaves behind", async () => {
    const { report, turns } = await imported(
      "chat",
      given,
      jsonl({
        id: "a",
        metadata: { x: 1 },
        tools: [],
        messages: [
          user([
            { type: "text", text: "See" },
            { type: "image_url", image_url: {} },
            { type: "text", text: "this" },
          ]),
          assistant(null, { tool_calls: [{ id: "1" }] }),
          { role: "tool", content: "42", tool_call_id: "1" },
          assistant("It is 42.", { tool_calls: [{ id: "2" }], name: "bot" }),
          user("No?"),
          assistant(null, { refusal: "I will not." }),
        ],
      }),
    );
    expect(turns["a"]).toEqual([
      turn("user", 1, "See\nthis"),
      turn("assistant", 1, "It is 42."),
      turn("user", 2, "No?"),
      turn("assistant", 2, "I will not."),
    ]);
    expect(report.dropped.map(({ field, count }) => [field, count])).toEqual([
      ["messages[].content[type=image_url]", 1],
      ["messages[].name", 1],
      ["messages[].tool_calls", 2],
      ["messages[role=assistant] with tool calls and no text", 1],
      ["messages[role=tool]", 1],
      ["metadata", 1],
    ]);
  });
  it("finds broken generations by content and recorded reason", async () => {
    const { report, turns } = await imported(
      "chat",
      given,
      jsonl({
        id: "a",
        messages: [
          user("1"),
          assistant(null),
          user("2"),
          assistant("cut", { finish_reason: "length" }),
          user("3"),
          assistant("whole", { stop_reason: "end_turn" }),
        ],
      }),
    );
    expect(report.suspect_turns).toBe(2);
    expect(turns["a"]?.filter(({ role }) => role === "assistant")).toEqual([
      turn("assistant", 1, ""),
      { ...turn("assistant", 2, "cut"), finish_reason: "length" },
      { ...turn("assistant", 3, "whole"), finish_reason: "stop" },
    ]);
  });
  it("names roles as told, and says what was made by rule", async () => {
    const { report, turns } = await imported(
      "chat",
      { ...given, model: "The Model", role: ["human=user", "gpt=assistant"] },
      `\ufeff${jsonl({
        messages: [
          { role: "human", content: "q" },
          { role: "gpt", content: "r" },
        ],
      })}`,
    );
    expect(turns["in-0-1"]).toEqual([turn("user", 1, "q"), turn("assistant", 1, "r")]);
    expect(report.assumed.map(({ field }) => field)).toEqual([
      "id made of the file's name and the line",
      "model_id org/model",
      "run_date 2026-05-02",
    ]);
  });
  const bad = jsonl({ id: "ok", messages: short });
  it.each([
    ["no date", { modelId: "m" }, bad, "needs_run_date", /--run-date/],
    ["no model", { runDate: "unknown" }, bad, "needs_model", /in-0\.chat:1: .*--model-id/],
    [
      "a model for lines that name theirs",
      given,
      jsonl({ id: "a", model: "m", messages: short }),
      "unused_option",
      /--model-id changed nothing/,
    ],
    ["a role that does not occur", { ...given, role: ["bot=assistant"] }, bad, "unused_option", /--role bot=assistant/],
    ["a column", { ...given, column: ["content=text"] }, bad, "unused_option", /--column content=text/],
    ["an impossible date", { ...given, runDate: "2026-13-45" }, bad, "bad_option", /--run-date/],
    ["an unknown role", given, jsonl({ messages: [{ role: "human", content: "" }] }), "bad_role", /:1: .*human/],
    ["broken JSON", given, `${bad}{"messages": [`, "bad_json", /in-0\.chat:2: /],
    ["a blank line", given, `${bad}\n${bad}`, "blank_line", /:2: /],
    ["no messages", given, jsonl({ messages: [] }), "bad_record", /:1: messages/],
    ["a user without content", given, jsonl({ messages: [user(null)] }), "bad_record", /messages\.0 \(user\)/],
    ["content of another kind", given, jsonl({ messages: [user(1)] }), "bad_record", /messages\.0/],
    ["a reply of another kind", given, jsonl({ messages: [user("q"), assistant(1)] }), "bad_record", /messages\.1/],
    ["no reply", given, jsonl({ messages: [user("q")] }), "no_assistant_turn", /:1|in-0/],
    ["only tools", given, jsonl({ messages: [{ role: "tool", content: "" }] }), "no_assistant_turn", /:1: /],
    ["an id twice", given, bad + bad, "duplicate_conversation", /"ok" occurs twice/],
    ["__proto__", given, `{"__proto__": {"role": "user"}, "messages": []}`, "bad_json", /__proto__/],
    ["an escaped __proto__", given, `{"\\u005f_proto__": 1, "messages": []}`, "bad_json", /__proto__/],
    ["half a character", given, jsonl({ messages: [user("q"), assistant("\ud83d")] }), "lone_surrogate", /:1: /],
    ["half a character in an id", given, jsonl({ id: "\ud83d", messages: short }), "bad_record", /scenario_id/],
    ["other bytes than UTF-8", given, Buffer.from([0x7b, 0xff, 0x0a]), "not_utf8", /:1: /],
    ["an empty file", given, "", "no_conversations", /no conversation/],
  ])("refuses %s", async (_name, options, content, code, message) => {
    const error = await refused("chat", options, content);
    expect(error.code).toBe(code);
    expect(error.message).toMatch(message);
  });
  it("refuses a line that is too long before it holds it", async () => {
    const error = await refused("chat", given, Buffer.concat([Buffer.from(bad), Buffer.alloc(70 << 20, "a")]));
    expect(error).toMatchObject({ code: "too_large", details: { line: 2 } });
  });
  it("counts many names in a bounded list", async () => {
    const fields = Object.fromEntries(Array.from({ length: 5000 }, (_, i) => [`f${i}`, i + 1]));
    const { report } = await imported("chat", given, jsonl({ id: "a", messages: short, ...fields }));
    expect(report.dropped.length).toBeLessThan(250);
    expect(report.dropped.reduce((sum, { count }) => sum + count, 0)).toBe(5000);
  });
  it("gives equal bytes for equal inputs", async () => {
    const runs = await Promise.all([1, 2].map(() => imported("chat", given, bad)));
    expect(runs[0]?.source.manifest).toEqual(runs[1]?.source.manifest);
  });
});
