import { AssayError, type ErrorDetails } from "../canon/errors.ts";
import type { Turn } from "../schema/transcript.ts";
import { conversationOf, isTool, roleOf, type Draft } from "./conversation.ts";
import type { ImportedConversation, Reading } from "./imported.ts";
import { MAX_CONVERSATION, tooLarge } from "./limits.ts";
import { numberTurns, type Message } from "./messages.ts";

/** What a table's columns mean here, and their usual names. The first three are needed. */
export const COLUMNS = {
  id: "conversation_id",
  role: "role",
  content: "content",
  turn: "turn",
  model: "model",
  category: "category",
  finish_reason: "finish_reason",
} as const;
export type Field = keyof typeof COLUMNS;
const NEEDED: readonly Field[] = ["id", "role", "content"];
export const FIELDS: readonly Field[] = [...NEEDED, "turn", "model", "category", "finish_reason"];

/** A row of a table: null where its cell is empty. `place` is where it stands, for messages. */
export interface TableRow {
  cells: Readonly<Partial<Record<Field, string | null>>>;
  where: ErrorDetails & { file: string };
  /** 1-based among the data rows. */
  number: number;
}

export interface TableColumns {
  /** Where a field's column stands, from 0. */
  found: ReadonlyMap<Field, number>;
  left: readonly string[];
}

/**
 * Which of a table's columns hold which field. `left` names the others. Throws `bad_columns` where a needed
 * or named column is missing or occurs twice.
 */
export function mapColumns(reading: Reading, names: readonly string[]): TableColumns {
  const { file, options, used } = reading;
  const found = new Map<Field, number>();
  for (const field of FIELDS) {
    const named = options.columns?.get(field);
    if (named !== undefined) used.add(`column ${field}`);
    const name = named ?? COLUMNS[field];
    const at = names.indexOf(name);
    if (at === -1) {
      if (named === undefined && !NEEDED.includes(field)) continue;
      throw new AssayError("bad_columns", `has no column ${JSON.stringify(name)} for the ${field}`, {
        file,
        columns: names.slice(0, 100),
        fix: `its columns are ${shown(names)}; say which, as --column ${field}=<name>`,
      });
    }
    if (names.includes(name, at + 1))
      throw new AssayError("bad_columns", `has two columns ${JSON.stringify(name)}`, { file, fix: "rename one" });
    found.set(field, at);
  }
  const kept = new Set(found.values());
  return { found, left: names.filter((_, i) => !kept.has(i)) };
}

function shown(names: readonly string[]): string {
  const some = names.slice(0, 12).map((name) => JSON.stringify(name.slice(0, 40)));
  return some.join(", ") + (names.length > some.length ? ` and ${names.length - some.length} more` : "");
}

interface Open {
  id: string;
  model: string | null;
  /** A row that names no model: were the model to change, nobody could say whose row it was. */
  unnamed: boolean;
  category: string | null;
  where: ErrorDetails & { file: string };
  messages: Message[];
  /** The recorded turn numbers of `messages`; as many or none. */
  numbers: number[];
  size: number;
}

/**
 * Conversations of rows that stand together. Rows of one id follow each other; one that comes back later is refused,
 * since memory holds one conversation. Throws `bad_row`, `scattered`, and what a conversation throws, naming the row.
 */
export async function* conversationsOf(
  reading: Reading,
  rows: AsyncIterable<TableRow>,
): AsyncGenerator<ImportedConversation> {
  let open: Open | undefined;
  const seen = new Set<string>();
  for await (const row of rows) {
    const id = need(row, "id");
    const model = row.cells.model ?? null;
    if (open !== undefined && (open.id !== id || changesModel(open, model, row))) {
      yield closed(reading, open, seen);
      open = undefined;
    }
    open ??= {
      id,
      model,
      unnamed: false,
      category: null,
      where: row.where,
      messages: [],
      numbers: [],
      size: 0,
    };
    add(reading, open, row);
  }
  if (open === undefined) throw new AssayError("bad_source", "holds no rows", { file: reading.file });
  yield closed(reading, open, seen);
}

function changesModel(open: Open, model: string | null, row: TableRow): boolean {
  if (open.model === null || model === null || open.model === model) return false;
  if (open.unnamed)
    throw bad(row, `names a second model in conversation ${quote(open.id)}`, "put the model on every row of it");
  return true;
}

function add(reading: Reading, open: Open, row: TableRow): void {
  const { cells, where } = row;
  if (cells.model) open.model ??= cells.model;
  else open.unnamed = true;
  if (cells.category) {
    if (open.category !== null && open.category !== cells.category)
      throw bad(row, `names a second category in conversation ${quote(open.id)}`, "give each conversation one");
    open.category = cells.category;
  }
  const role = roleOf(reading, need(row, "role"), where);
  if (isTool(role)) {
    reading.dropped.add(`rows with role ${role}`);
    return;
  }
  const content = cells.content ?? (role === "assistant" ? "" : need(row, "content"));
  open.size += content.length;
  if (open.size > MAX_CONVERSATION || open.messages.length > 1e6)
    throw tooLarge(`conversation ${quote(open.id)}`, MAX_CONVERSATION, where, "check the column of conversation ids");
  if (cells.turn) open.numbers.push(turnOf(row, cells.turn, open.numbers.at(-1) ?? 1));
  if (open.numbers.length !== 0 && open.numbers.length !== open.messages.length + 1)
    throw bad(row, `has ${cells.turn ? "a" : "no"} turn, unlike the row before it`, "number all rows, or none");
  const reason = cells.finish_reason;
  if (reason && role !== "assistant") reading.dropped.add(`finish_reason of rows with role ${role}`);
  open.messages.push({ role, content, ...(reason && role === "assistant" ? { finish_reason: reason } : {}) });
}

/** A whole number from 1; tables hold it as 3, "3" or 3.0. */
function turnOf(row: TableRow, text: string, before: number): number {
  const turn = /^0*([1-9]\d{0,8})(?:\.0+)?$/.exec(text)?.[1];
  if (turn === undefined) throw bad(row, `has the turn ${quote(text)}`, "turns are whole numbers from 1");
  if (Number(turn) < before)
    throw bad(row, `goes back from turn ${before} to ${turn}`, "sort the rows of a conversation by turn");
  return Number(turn);
}

function closed(reading: Reading, open: Open, seen: Set<string>): ImportedConversation {
  const identity = JSON.stringify([open.id, open.model]);
  if (seen.has(identity))
    throw new AssayError("scattered", `conversation ${quote(open.id)} goes on here, apart from its other rows`, {
      ...open.where,
      scenario_id: open.id,
      fix: "sort the rows by conversation",
    });
  seen.add(identity);
  const numbered: Turn[] = numberTurns(open.messages);
  const draft: Draft = {
    ...(open.model === null ? {} : { model: open.model }),
    scenario_id: open.id,
    ...(open.category === null ? {} : { category: open.category }),
    turns: numbered.map((turn, i) => ({ ...turn, turn: open.numbers[i] ?? turn.turn })),
  };
  return conversationOf(reading, draft, open.where);
}

function need(row: TableRow, field: Field): string {
  const cell = row.cells[field];
  if (cell === undefined || cell === null || (cell === "" && field !== "content"))
    throw bad(row, `has no ${field}`, "fill the cell");
  return cell;
}

function bad(row: TableRow, problem: string, fix: string): AssayError {
  return new AssayError("bad_row", `row ${row.number} ${problem}`, { ...row.where, row: row.number, fix });
}

function quote(text: string): string {
  return JSON.stringify(text.slice(0, 80));
}
