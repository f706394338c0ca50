import type { Row, Value } from "./db.js";
import { isVerdict } from "./verdict.js";
import type { Verdict } from "./verdict.js";

/* Columns read with their type checked once, here, with the name in the message. */

export function text(row: Row, name: string): string {
  const value = row[name];
  if (typeof value !== "string") throw new Error(`column ${name} holds ${kind(value)}, expected a text`);
  return value;
}

export function maybeText(row: Row, name: string): string | null {
  return row[name] === null || row[name] === undefined ? null : text(row, name);
}

export function number(row: Row, name: string): number {
  const value = row[name];
  if (typeof value !== "number") throw new Error(`column ${name} holds ${kind(value)}, expected a number`);
  return value;
}

export function maybeNumber(row: Row, name: string): number | null {
  return row[name] === null || row[name] === undefined ? null : number(row, name);
}

export function flag(row: Row, name: string): boolean {
  return row[name] === true;
}

export function texts(row: Row, name: string): string[] {
  const value = row[name];
  if (!Array.isArray(value)) throw new Error(`column ${name} holds ${kind(value)}, expected a list`);
  return value.map(String);
}

/** A list of structs, each as a row. */
export function structs(row: Row, name: string): Row[] {
  const value = row[name];
  if (!Array.isArray(value)) throw new Error(`column ${name} holds ${kind(value)}, expected a list`);
  return value.filter((item): item is Row => typeof item === "object" && item !== null && !Array.isArray(item));
}

/** A verdict, or null where none exists (not judged). */
export function verdict(row: Row, name: string): Verdict | null {
  const value = row[name];
  return isVerdict(value) ? value : null;
}

function kind(value: Value | undefined): string {
  return value === undefined ? "nothing" : value === null ? "null" : typeof value;
}
