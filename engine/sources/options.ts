import { AssayError } from "../canon/errors.ts";
import type { ImportOptions } from "./imported.ts";
import { FIELDS } from "./table.ts";

const FLAGS = [
  ["model", "--model"],
  ["model_id", "--model-id"],
  ["run_date", "--run-date"],
  ["delimiter", "--delimiter"],
] as const;

/** What a command line says, as texts: `--role human=user`, `--column content=text`. */
export interface RawOptions {
  model?: string | undefined;
  modelId?: string | undefined;
  runDate?: string | undefined;
  delimiter?: string | undefined;
  role?: readonly string[] | undefined;
  column?: readonly string[] | undefined;
}

/** Throws `bad_option`, naming the flag. */
export function parseOptions({ model, modelId, runDate, delimiter, role, column }: RawOptions): ImportOptions {
  for (const [flag, text] of Object.entries({ "--model": model, "--model-id": modelId }))
    if (text?.trim() === "") throw badOption(flag, text, "give a name");
  if (runDate !== undefined && !isDate(runDate))
    throw badOption("--run-date", runDate, "give YYYY-MM-DD, a time after it if you like, or unknown");
  const character = delimiter === "tab" ? "\t" : delimiter;
  if (character !== undefined && (character.length !== 1 || /["\r\n]/.test(character)))
    throw badOption("--delimiter", character, "give one character, or tab");
  const columns = pairs("--column", column, FIELDS);
  return {
    ...(model === undefined ? {} : { model }),
    ...(modelId === undefined ? {} : { model_id: modelId }),
    ...(runDate === undefined ? {} : { run_date: runDate }),
    ...(character === undefined ? {} : { delimiter: character }),
    roles: pairs("--role", role),
    columns,
  };
}

/** An option that nothing needed says something else than its author thinks. Throws `unused_option`. */
export function refuseUnused(options: ImportOptions, used: ReadonlySet<string>, from: string): void {
  const unused = [
    ...FLAGS.flatMap(([name, flag]) => (options[name] !== undefined && !used.has(name) ? [flag] : [])),
    ...[...(options.roles ?? [])].flatMap(([name, role]) =>
      used.has(`role ${name}`) ? [] : [`--role ${name}=${role}`],
    ),
    ...[...(options.columns ?? [])].flatMap(([field, name]) =>
      used.has(`column ${field}`) ? [] : [`--column ${field}=${name}`],
    ),
  ];
  if (unused.length > 0)
    throw new AssayError("unused_option", `${unused.join(", ")} changed nothing: the ${from} input says it itself`, {
      fix: "leave it out",
      unused,
    });
}

function pairs(flag: string, texts: readonly string[] = [], left?: readonly string[]): Map<string, string> {
  const found = new Map<string, string>();
  for (const text of texts) {
    const at = text.indexOf("=");
    const [name, value] = [text.slice(0, at), text.slice(at + 1)];
    if (at < 1 || value === "") throw badOption(flag, text, "write it as name=value");
    if (left !== undefined && !left.includes(name)) throw badOption(flag, text, `the left side is ${left.join(", ")}`);
    if (found.has(name)) throw badOption(flag, text, "give each name once");
    found.set(name, value);
  }
  return found;
}

function isDate(text: string): boolean {
  if (text === "unknown") return true;
  return /^\d{4}-\d{2}-\d{2}(?:T[\d:.]+(?:Z|[+-]\d{2}:?\d{2})?)?$/.test(text) && !Number.isNaN(Date.parse(text));
}

function badOption(flag: string, text: string, fix: string): AssayError {
  return new AssayError("bad_option", `${flag} ${JSON.stringify(text)} cannot be used`, { flag, fix });
}
