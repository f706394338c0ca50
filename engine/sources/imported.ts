import type { Turn } from "../schema/transcript.ts";
import type { Tally } from "./tally.ts";

/** Something the target format has no place for, and how often it was left behind. */
export interface Dropped {
  field: string;
  count: number;
}

/** A fact that the input lacks and the command line gave, or that a documented rule made, and for how many conversations. */
export type Assumed = Dropped;

/** A conversation as an importer rebuilt it: the bytes of its transcript file, and what they parse to. */
export interface ImportedConversation {
  model: string;
  model_id: string;
  scenario_id: string;
  category: string;
  /** The scenario's title, where the source has one. */
  scenario?: string;
  bytes: Uint8Array;
  sha256: string;
  /** The source recorded this digest of the bytes, and they have it. */
  checked: boolean;
  turns: readonly Turn[];
}

/** What one input file says of itself, known when its last conversation was read. */
export interface FileFacts {
  /** When the recorded conversations were made, as the source writes it. */
  run_dates: readonly string[];
  /** null: not recorded. */
  cost_usd: number | null;
  /** Version of what made the conversations; null where the format has none. */
  version: string | null;
  /** What else the source says of itself, kept in the manifest. */
  about: Record<string, unknown>;
}

/** What the command line says where a format does not. Each is refused where nothing needed it. */
export interface ImportOptions {
  model?: string;
  model_id?: string;
  /** A date, or "unknown". */
  run_date?: string;
  /** Names of roles in the input, and what they are: `human` -> `user`. */
  roles?: ReadonlyMap<string, string>;
  /** Fields of a table, and the names of their columns. */
  columns?: ReadonlyMap<string, string>;
  /** One character between the cells of a CSV file. */
  delimiter?: string;
}

/** One file while it is read. */
export interface Reading {
  file: string;
  options: ImportOptions;
  /** Options that something asked for; roles and columns as `role human`, `column content`. */
  used: Set<string>;
  dropped: Tally;
  assumed: Tally;
}

/** Yields conversations one at a time, so that memory holds one, and returns what the file says of itself. */
export type Read = (reading: Reading) => AsyncGenerator<ImportedConversation, FileFacts>;
