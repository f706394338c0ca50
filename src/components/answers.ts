import { registerTable } from "npm:@observablehq/duckdb";
import { dataFile } from "./links.js";

const loaded = new Map<string, string>();

/** The table that holds one scan's answers; read once a page. Answers are the large table, so nothing else names it. */
export function answersOf(scan: string): string {
  return once(`answers-${scan}.parquet`, `answers_${loaded.size}`);
}

/** A published table that a page reads only when a reader asks for what needs it. */
export function laterTable(name: string): string {
  return once(`${name}.parquet`, name);
}

function once(file: string, name: string): string {
  const known = loaded.get(file);
  if (known !== undefined) return known;
  loaded.set(file, name);
  registerTable(name, dataFile(file));
  return name;
}
