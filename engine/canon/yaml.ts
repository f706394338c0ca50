import { isMap, isScalar, Lexer, LineCounter, parseDocument, Parser, visit, type Document } from "yaml";
import type { z } from "zod";
import { AssayError, type ErrorDetails } from "./errors.ts";
import { fieldsAt } from "./fields.ts";
import { nearest } from "./nearest.ts";

/** Open brackets and blocks at once; no definition comes near it. */
const MAX_DEPTH = 100;

/** A YAML value with the way back to its place in the text. */
export interface PlacedYaml {
  value: unknown;
  /** Where the value at this path begins, else its nearest ancestor; 1-based. */
  place: (path: readonly PropertyKey[]) => ErrorDetails;
}

/** Parse YAML 1.2; the first problem is a typed error with file, line and column. Aliases are refused. */
export function parsePlacedYaml(text: string, file: string, code: string): PlacedYaml {
  refuseDeep(text, file, code);
  const lines = new LineCounter();
  const document = parseDocument(text, {
    lineCounter: lines,
    prettyErrors: false,
    uniqueKeys: true,
    strict: true,
    stringKeys: true,
    logLevel: "error",
  });
  const problem = document.errors[0] ?? document.warnings[0];
  if (problem !== undefined) {
    const { line, col } = lines.linePos(problem.pos[0]);
    const said = problem.message.split("\n")[0] ?? "is not YAML";
    throw new AssayError(code, said, { file, line, column: col, fix: "correct the YAML there" });
  }
  visit(document, {
    Pair(_key, { key }) {
      if (!isScalar(key) || key.value !== "__proto__") return;
      const { line, col } = lines.linePos(key.range?.[0] ?? 0);
      throw new AssayError(code, "has a key named __proto__", { file, line, column: col, fix: "rename it" });
    },
  });
  let value: unknown;
  try {
    value = document.toJS({ maxAliasCount: 0 }) as unknown;
  } catch {
    throw new AssayError(code, "uses a YAML alias", { file, fix: "write the value out where it is used" });
  }
  return { value, place: (path) => ({ file, ...position(document, lines, path) }) };
}

/** The composer recurses, and a deep enough file ends the process; the token parser before it keeps its own stack. */
function refuseDeep(text: string, file: string, code: string): void {
  const parser = new Parser();
  let offset = 0;
  for (const lexeme of new Lexer().lex(text)) {
    offset += lexeme.length;
    for (const _token of parser.next(lexeme)) if (parser.stack.length > MAX_DEPTH) break;
    if (parser.stack.length > MAX_DEPTH)
      throw new AssayError(code, `is nested more than ${MAX_DEPTH} deep`, {
        file,
        line: text.slice(0, offset).split("\n").length,
        fix: "write it flatter",
      });
  }
}

/** What keeps a value from being of a schema: where, and in words. */
export interface SchemaIssue {
  path: readonly PropertyKey[];
  /** The path and what is wrong there. */
  problem: string;
  fix: string;
}

/** Every issue of a value, what to mend first before the others; none where the schema takes it. */
export function schemaIssues(schema: z.ZodType, value: unknown): SchemaIssue[] {
  const result = schema.safeParse(value);
  return result.success ? [] : issuesOf(schema, result.error);
}

function issuesOf(schema: z.ZodType, error: z.ZodError): SchemaIssue[] {
  const issues = error.issues.map(deepest);
  // A misspelt field is also a missing one; the spelling is what to mend.
  const misspelt = issues.findIndex(({ unknownKey }) => unknownKey !== undefined);
  if (misspelt > 0) issues.unshift(...issues.splice(misspelt, 1));
  return issues.map(({ path, message, unknownKey }) => ({
    path: unknownKey === undefined ? path : [...path, unknownKey],
    problem: `${path.length === 0 ? "the file" : path.map(String).join(".")}: ${message}`,
    fix: unknownKey === undefined ? "correct this field" : renaming(unknownKey, fieldsAt(schema, path)),
  }));
}

/** Parse a placed value with a schema; the error is the most specific issue, at its place. */
export function parsePlaced<T>(schema: z.ZodType<T>, yaml: PlacedYaml, code: string): T {
  const result = schema.safeParse(yaml.value);
  if (result.success) return result.data;
  const issues = issuesOf(schema, result.error);
  const first = issues[0]!;
  const more = issues.length === 1 ? "" : ` (and ${issues.length - 1} more)`;
  throw new AssayError(code, `${first.problem}${more}`, { ...yaml.place(first.path), fix: first.fix });
}

function renaming(field: string, known: readonly string[]): string {
  const near = nearest(field, known);
  if (near !== undefined) return `did you mean ${near}?`;
  return `remove it${known.length === 0 ? "" : `; the fields here are ${known.join(", ")}`}`;
}

interface Issue {
  path: PropertyKey[];
  message: string;
  unknownKey?: string;
}

/** An issue of a union says only that nothing matched; the branch that fits best says why. */
function deepest(issue: z.core.$ZodIssue): Issue {
  if (issue.code === "invalid_union" && issue.errors.length > 0) {
    const branches = issue.errors.map((errors) => errors.map(deepest));
    branches.sort((a, b) => misfit(a) - misfit(b) || a.length - b.length);
    const best = branches[0]?.find(({ unknownKey }) => unknownKey !== undefined) ?? branches[0]?.[0];
    if (best !== undefined) return { ...best, path: [...issue.path, ...best.path] };
  }
  if (issue.code === "unrecognized_keys")
    return {
      path: [...issue.path],
      message: `unknown field ${issue.keys.join(", ")}`,
      unknownKey: issue.keys[0] ?? "",
    };
  return { path: [...issue.path], message: issue.message };
}

/** Branches whose own fields are all missing or unknown fit worse than one with a fault deep inside. */
function misfit(issues: readonly Issue[]): number {
  return issues.filter((issue) => issue.path.length <= 1).length;
}

function position(
  document: Document,
  lines: LineCounter,
  path: readonly PropertyKey[],
): { line?: number; column?: number } {
  for (let length = path.length; length >= 0; length--) {
    const range = rangeAt(document, path.slice(0, length));
    if (range !== undefined) {
      const { line, col } = lines.linePos(range);
      return { line, column: col };
    }
  }
  return {};
}

/** Of a map's member, the key: that is where a reader looks for it. */
function rangeAt(document: Document, path: readonly PropertyKey[]): number | undefined {
  const parent = path.length === 0 ? document.contents : document.getIn(path.slice(0, -1), true);
  const last = path.at(-1);
  if (isMap(parent) && last !== undefined) {
    const key = parent.items.find((item) => isScalar(item.key) && item.key.value === last)?.key;
    return isScalar(key) ? key.range?.[0] : undefined;
  }
  const node = document.getIn(path, true) as { range?: [number, number, number] | null } | undefined;
  return node?.range?.[0];
}
