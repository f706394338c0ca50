import canonicalize from "canonicalize";
import type { z } from "zod";
import { AssayError, type ErrorDetails } from "./errors.ts";
import { sha256 } from "./sha256.ts";

export { sha256 };

/**
 * RFC 8785 canonical JSON. Refuses what has no canonical form: lone surrogates, NaN, infinities, undefined
 * members of arrays. Object members that are `undefined` are omitted.
 */
export function canonicalJson(value: unknown): string {
  assertCanonical(value, "$");
  const text = canonicalize(value);
  if (text === undefined) throw new AssayError("not_canonical", "a value without a JSON form cannot be digested");
  return text;
}

const written = new WeakMap<object, string>();

/** The same of an object that nobody modifies, written once however often it is asked for. */
export function canonicalOnce(value: object): string {
  let text = written.get(value);
  if (text === undefined) written.set(value, (text = canonicalJson(value)));
  return text;
}

function assertCanonical(value: unknown, path: string): void {
  if (typeof value === "string") {
    if (!value.isWellFormed())
      throw new AssayError("lone_surrogate", `${path} holds a lone surrogate, which has no UTF-8 form`);
  } else if (typeof value === "number") {
    if (!Number.isFinite(value)) throw new AssayError("not_canonical", `${path} is ${value}, which JSON cannot hold`);
  } else if (Array.isArray(value)) {
    value.forEach((item, i) => {
      if (item === undefined) throw new AssayError("not_canonical", `${path}[${i}] is undefined`);
      assertCanonical(item, `${path}[${i}]`);
    });
  } else if (typeof value === "object" && value !== null) {
    for (const [key, member] of Object.entries(value)) {
      assertCanonical(key, `a key of ${path}`);
      assertCanonical(member, `${path}.${key}`);
    }
  } else if (typeof value === "bigint" || typeof value === "function" || typeof value === "symbol") {
    throw new AssayError("not_canonical", `${path} is a ${typeof value}`);
  }
}

/** SHA-256 of a value's canonical JSON. */
export function digestOf(value: unknown): string {
  return sha256(canonicalJson(value));
}

/** JSON.parse that names the file and refuses `__proto__` members. */
export function parseJson(text: string, where: ErrorDetails): unknown {
  try {
    // A reviver makes parsing several times slower, and only text that spells the name, or escapes a letter, needs it.
    if (!/__proto__|\\u00[567]/.test(text)) return JSON.parse(text);
    return JSON.parse(text, (key, value: unknown) => {
      if (key === "__proto__") throw new SyntaxError("a member named __proto__ is refused");
      return value;
    });
  } catch (error) {
    throw new AssayError("bad_json", `not JSON: ${(error as Error).message}`, where);
  }
}

/** Parse a value at a boundary; the error lists every bad field in one line. */
export function parseWith<T>(schema: z.ZodType<T>, value: unknown, where: ErrorDetails, code = "bad_input"): T {
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  const issues = result.error.issues.map((issue) => `${issue.path.map(String).join(".") || "value"}: ${issue.message}`);
  const shown = issues.slice(0, 5).join("; ") + (issues.length > 5 ? `; and ${issues.length - 5} more` : "");
  throw new AssayError(code, shown, { ...where, issues });
}

/** One line of a JSONL file. Refuses a blank one. */
export function parseLine<T>(text: string, schema: z.ZodType<T>, where: ErrorDetails): T {
  if (text.trim() === "")
    throw new AssayError("blank_line", "is a blank line", { ...where, fix: "remove it; one JSON value a line" });
  return parseWith(schema, parseJson(text, where), where, "bad_record");
}
