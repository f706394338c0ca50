import { AssayError, type ErrorDetails } from "../canon/errors.ts";
import { parseJson } from "../canon/json.ts";

/**
 * JSON with the spelling of its source kept: members in the order given, numbers as written. `JSON.parse` keeps
 * neither (integer-like keys move to the front, 1.0 becomes 1), and a digest over the original bytes needs both.
 */
export type RawJson =
  | { kind: "scalar"; text: string }
  | { kind: "array"; items: RawJson[] }
  | { kind: "object"; members: [name: string, value: RawJson][] };

/** Nesting beyond this is refused: no transcript has it, and the reader recurses. */
const MAX_DEPTH = 64;

/** Parse JSON text, keeping its spelling. Throws `bad_json` on what JSON does not allow and on repeated members. */
export function parseRawJson(text: string, where: ErrorDetails): RawJson {
  const refuse = (problem: string): never => {
    throw new AssayError("bad_json", problem, where);
  };
  // From here on the text is known to be JSON, so the reader below checks no grammar.
  parseJson(text, where);
  let at = 0;
  const token = /"(?:[^"\\]|\\.)*"|[^\s{}[\],:"]+/y;
  const space = /[ \t\r\n]*/y;
  const skip = (): void => {
    space.lastIndex = at;
    space.test(text);
    at = space.lastIndex;
  };
  const take = (): string => {
    token.lastIndex = at;
    token.test(text);
    const found = text.slice(at, token.lastIndex);
    at = token.lastIndex;
    return found;
  };
  /** Visit the parts of an array or object; `at` is on its opening bracket. */
  const parts = (close: string, part: () => void): void => {
    at++;
    for (skip(); text[at] !== close; skip()) {
      if (text[at] === ",") {
        at++;
        skip();
      }
      part();
    }
    at++;
  };
  const value = (depth: number): RawJson => {
    if (depth > MAX_DEPTH) refuse(`is nested more than ${MAX_DEPTH} deep`);
    if (text[at] === "[") {
      const items: RawJson[] = [];
      parts("]", () => items.push(value(depth + 1)));
      return { kind: "array", items };
    }
    if (text[at] === "{") {
      const members: [string, RawJson][] = [];
      const names = new Set<string>();
      parts("}", () => {
        const name = JSON.parse(take()) as string;
        if (names.has(name)) refuse(`names the member ${JSON.stringify(name)} twice in one object`);
        names.add(name);
        skip();
        at++;
        skip();
        members.push([name, value(depth + 1)]);
      });
      return { kind: "object", members };
    }
    return { kind: "scalar", text: take() };
  };
  skip();
  return value(0);
}

/** One line of JSON with `, ` and `: ` between its parts and non-ASCII kept, as Python's `json.dumps` writes it. */
export function spacedJson(node: RawJson): string {
  switch (node.kind) {
    case "scalar":
      return node.text.startsWith('"') ? JSON.stringify(JSON.parse(node.text)) : node.text;
    case "array":
      return `[${node.items.map(spacedJson).join(", ")}]`;
    case "object":
      return `{${node.members.map(([name, value]) => `${JSON.stringify(name)}: ${spacedJson(value)}`).join(", ")}}`;
  }
}

/** The value of an object's member, or undefined. */
export function memberOf(node: RawJson | undefined, name: string): RawJson | undefined {
  return node?.kind === "object" ? node.members.find(([key]) => key === name)?.[1] : undefined;
}

export function itemsOf(node: RawJson | undefined): readonly RawJson[] {
  return node?.kind === "array" ? node.items : [];
}
