import { getDefaultClient } from "npm:@observablehq/duckdb";

export type Value = string | number | boolean | null | Value[] | { [name: string]: Value };
export type Row = Record<string, Value>;

/** Rows of a query over the page's tables, on the page's one connection, as plain values. */
export async function rows(text: string, parameters: unknown[] = []): Promise<Row[]> {
  const client = await getDefaultClient();
  const table = await client.query(text, parameters);
  return table
    .toArray()
    .map((row) => Object.fromEntries(Object.entries(row.toJSON()).map(([name, value]) => [name, plain(value)])));
}

/** Arrow's values as JSON-like ones: integers of any width as numbers, lists as arrays, structs as objects. */
export function plain(value: unknown): Value {
  if (value === null || value === undefined) return null;
  if (typeof value === "bigint") return Number(value);
  if (typeof value === "string" || typeof value === "number" || typeof value === "boolean") return value;
  if (value instanceof Date) return value.toISOString();
  if (value instanceof Uint32Array) return wide(value);
  if (Symbol.iterator in Object(value)) return Array.from(value as Iterable<unknown>, plain);
  if (typeof value === "object") {
    const entries = Object.entries(hasToJSON(value) ? value.toJSON() : value);
    return Object.fromEntries(entries.map(([name, item]) => [name, plain(item)]));
  }
  throw new TypeError(`a query returned a ${typeof value}`);
}

/** Arrow's rows and lists turn themselves into plain objects. */
function hasToJSON(value: object): value is { toJSON(): object } {
  return "toJSON" in value && typeof value.toJSON === "function";
}

/** A 128-bit integer as Arrow hands it over: four 32-bit words, the lowest first. */
function wide(words: Uint32Array): number {
  return words.reduce((sum, word, i) => sum + word * 2 ** (32 * i), 0);
}
