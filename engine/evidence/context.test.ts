import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Conversation } from "../schema/transcript.ts";
import { evidenceContextSha256 } from "./context.ts";
import { applyContext } from "./policy.ts";
import { suspectTurns } from "./suspects.ts";

const turn = (role: string, number: number, content = `${role} ${number}`) => ({ role, turn: number, content });
const receipt = (number: number, memory_id: string, operation = "read") => ({
  turn: number,
  memory_id,
  operation,
  status: "ok",
  text: memory_id,
});

describe("final_pair", () => {
  const memory = { persistent_memory: true, evidence: [receipt(1, "a"), receipt(3, "b")] };
  it("keeps the last turn number that has both sides, and its number", () => {
    const turns = [
      turn("user", 1),
      turn("assistant", 1),
      turn("system", 3),
      turn("user", 3),
      turn("assistant", 3),
      turn("user", 4),
    ];
    const seen = applyContext({ turns, memory }, "final_pair");
    expect(seen.turns).toEqual([turn("user", 3), turn("assistant", 3)]);
    expect(seen.memory.evidence).toEqual([receipt(3, "b")]);
  });
  it("goes by turn number, not by the order of lines", () => {
    const turns = [turn("assistant", 2), turn("user", 2), turn("assistant", 1), turn("user", 1)];
    expect(applyContext({ turns, memory }, "final_pair").turns).toEqual([turn("user", 2), turn("assistant", 2)]);
  });
  it("leaves nothing where no turn number has both sides", () => {
    expect(applyContext({ turns: [turn("user", 1), turn("assistant", 2)], memory }, "final_pair").turns).toEqual([]);
  });
  it("depends on nothing before the final pair", () => {
    const earlier = fc.array(fc.record({ role: fc.constantFrom("user", "assistant", "tool"), content: fc.string() }), {
      maxLength: 6,
    });
    const numbered = earlier.map((turns) => turns.map((made, i) => ({ ...made, turn: i + 1 })));
    const last = [turn("user", 9), turn("assistant", 9)];
    fc.assert(
      fc.property(numbered, numbered, (one, other) => {
        const of = (turns: Conversation["turns"]) => applyContext({ turns: [...turns, ...last], memory }, "final_pair");
        expect(of(one)).toEqual(of(other));
      }),
    );
  });
});

describe("the evidence context digest", () => {
  it("does not depend on the order of receipts, and does on everything else", () => {
    const receipts = [receipt(2, "b"), receipt(1, "a", "write"), receipt(1, "a")];
    const digest = (evidence: typeof receipts, persistent_memory = true, transcript = "0".repeat(64)) =>
      evidenceContextSha256(transcript, { persistent_memory, evidence });
    const whole = digest(receipts);
    expect(digest([...receipts].reverse())).toBe(whole);
    expect(digest(receipts.slice(1))).not.toBe(whole);
    expect(digest(receipts, false)).not.toBe(whole);
    expect(digest(receipts, true, "1".repeat(64))).not.toBe(whole);
  });
});

describe("suspect turns", () => {
  it("marks empty replies, other finish reasons and client errors, in replies only", () => {
    const turns = [
      turn("user", 1, ""),
      turn("assistant", 1, " \n"),
      { ...turn("assistant", 2), finish_reason: "length" },
      { ...turn("assistant", 3), finish_reason: "stop" },
      turn("assistant", 4, "Error code: 429 - slow down"),
      turn("assistant", 5, "An error: that is how it feels."),
    ];
    expect(suspectTurns(turns).map(({ turn: number, kind }) => [number, kind])).toEqual([
      [1, "empty_content"],
      [2, "finish_reason"],
      [4, "client_error_text"],
    ]);
  });
});
