import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { AssayError } from "../../canon/errors.ts";
import { packageRoot } from "../../canon/root.ts";
import { readValues, TokenLogprob, type ValueReading } from "./logprobs.ts";

const Expected = z.object({
  P: z.array(z.number()),
  lo: z.array(z.number()),
  hi: z.array(z.number()),
  coverage: z.number(),
  off: z.number(),
  unknown: z.number(),
  err: z.string().nullable(),
});
const Vector = z.object({
  choice: z.object({
    message: z.object({ content: z.string() }),
    logprobs: z.object({ content: z.array(TokenLogprob) }),
  }),
  options: z.record(z.string(), z.array(z.string())),
  expected: z.record(z.string(), Expected),
});

const file = join(packageRoot, "../shared/spec/logprob-vectors.json");
const no_limits = { min_coverage: 0, max_unknown: 1 };

describe.skipIf(!existsSync(file))("worked token examples (skipped where ../shared is absent)", () => {
  const vectors = existsSync(file) ? z.record(z.string(), Vector).parse(JSON.parse(readFileSync(file, "utf8"))) : {};
  it.each(Object.entries(vectors))("%s", (_name, { choice, options, expected }) => {
    const tokens = choice.logprobs.content;
    const content = choice.message.content;
    const read = readValues(content, tokens, options, no_limits);
    for (const [question, values] of Object.entries(expected)) {
      const reading = read[question] as ValueReading;
      for (const [mine, theirs] of [
        [reading.p, values.P],
        [reading.lo, values.lo],
        [reading.hi, values.hi],
        [
          [reading.coverage, reading.off, reading.unknown],
          [values.coverage, values.off, values.unknown],
        ],
      ] as const)
        mine.forEach((value, i) => expect(Math.abs(value - theirs[i]!)).toBeLessThan(1e-9));
      const strict = () => readValues(content, tokens, options);
      if (values.err === null) expect(strict).not.toThrow();
      else expect(code(strict)).toBe(values.err);
    }
  });
});

describe("closed-book cases", () => {
  const options = { q1: ["yes", "no"] };
  const spell = (...parts: string[]) =>
    parts.map((token) => ({ token, logprob: 0, bytes: [...Buffer.from(token)], top_logprobs: [] }));
  const read = (content: string, tokens = spell(content), asked: Record<string, string[]> = options) =>
    code(() => readValues(content, tokens, asked));

  it("names what is wrong with an answer", () => {
    expect(read(`{"q1":"yes","q1":"no"}`)).toBe("repeated_question");
    expect(read(`{"q1":"maybe"}`)).toBe("off_schema");
    expect(read(`{"q1":true}`)).toBe("off_schema");
    expect(read(`{"q2":"yes"}`)).toBe("extra_answer");
    expect(read(`{}`)).toBe("missing_answer");
    expect(read(`{"q1":"yes"`)).toBe("malformed_answer");
    expect(read(`["yes"]`)).toBe("malformed_answer");
    expect(read(`{"__proto__":"yes"}`)).toBe("extra_answer");
  });
  it("refuses tokens that spell something else, or the answer twice", () => {
    expect(read(`{"q1":"yes"}`, spell(`{"q1":"no"}`))).toBe("misaligned");
    expect(read(`{"q1":"yes"}`, spell(`{"q1":"yes"}`, `{"q1":"yes"}`))).toBe("misaligned");
  });
  it("allows special tokens around the answer", () => {
    const reading = readValues(`{"q1":"yes"}`, spell("<s>", `{"q1":"`, "yes", `"}`, "</s>"), options);
    expect(reading["q1"]?.p).toEqual([1, 0]);
  });
  it("refuses impossible logprobs", () => {
    const [token] = spell(`{"q1":"yes"}`);
    expect(read(`{"q1":"yes"}`, [{ ...token!, logprob: NaN }])).toBe("bad_logprob");
    expect(read(`{"q1":"yes"}`, [{ ...token!, logprob: 0.5 }])).toBe("bad_logprob");
  });
});

function code(run: () => unknown): string {
  try {
    run();
  } catch (error) {
    if (error instanceof AssayError) return error.code;
    throw error;
  }
  return "no error";
}
