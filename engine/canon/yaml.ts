import { isMap, isScalar, LineCounter, parseDocument, type Document } from "yaml";
import type { z } from "zod";
import { AssayError, type ErrorDetails } from "./errors.ts";

/** A YAML value with the way back to its place in the text. */
export interface PlacedYaml {
  value: unknown;
  /** Where the value at this path begins, else its nearest ancestor; 1-based. */
  place(path: readonly PropertyKey[]): ErrorDetails;
}

/** Parse YAML 1.2; the first problem is a typed error with file, line and column. Aliases are refused. */
export function parsePlacedYaml(text: string, file: string, code: string): PlacedYaml {
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false, uniqueKeys: true, strict: true });
  const problem = document.errors[0] ?? document.warnings[0];
  if (problem !== undefined) {
    const { line, col } = lines.linePos(problem.pos[0]);
    const said = problem.message.split("\n")[0] ?? "is not YAML";
    throw new AssayError(code, said, { file, line, column: col, fix: "correct the YAML there" });
  }
  let value: unknown;
  try {
    value = document.toJS({ maxAliasCount: 0 }) as unknown;
  } catch {
    throw new AssayError(code, "uses a YAML alias", { file, fix: "write the value out where it is used" });
  }
  return { value, place: (path) => ({ file, ...position(document, lines, path) }) };
}

/** Parse a placed value with a schema; the error is the most specific issue, at its place. */
export function parsePlaced<T>(schema: z.ZodType<T>, yaml: PlacedYaml, code: string): T {
  const result = schema.safeParse(yaml.value);
  if (result.success) return result.data;
  const issues = result.error.issues.map(deepest);
  const first = issues[0]!;
  const path = first.path.map(String).join(".");
  const more = issues.length === 1 ? "" : ` (and ${issues.length - 1} more)`;
  throw new AssayError(code, `${path === "" ? "the file" : path}: ${first.message}${more}`, {
    ...yaml.place(first.unknownKey === undefined ? first.path : [...first.path, first.unknownKey]),
    fix: first.unknownKey === undefined ? "correct this field" : `remove or rename ${first.unknownKey}`,
  });
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
    const best = branches[0]?.[0];
    if (best !== undefined) return { ...best, path: [...issue.path, ...best.path] };
  }
  if (issue.code === "unrecognized_keys")
    return { path: [...issue.path], message: `unknown field ${issue.keys.join(", ")}`, unknownKey: issue.keys[0] ?? "" };
  return { path: [...issue.path], message: issue.message };
}

/** Branches whose own fields are all missing or unknown fit worse than one with a fault deep inside. */
function misfit(issues: readonly Issue[]): number {
  return issues.filter((issue) => issue.path.length <= 1).length;
}

function position(document: Document, lines: LineCounter, path: readonly PropertyKey[]): { line?: number; column?: number } {
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
