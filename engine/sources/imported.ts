import type { Turn } from "../schema/transcript.ts";

/** A field that the target format has no place for, and in how many objects it was left behind. */
export interface Dropped {
  field: string;
  count: number;
}

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
  turns: readonly Turn[];
}

/** One input file, read whole. */
export interface ImportedFile {
  /** File name without its directory: where it lay says nothing about it. */
  name: string;
  sha256: string;
  /** When the recorded conversations were made, as the source writes it. */
  run_dates: readonly string[];
  /** null: not recorded. */
  cost_usd: number | null;
  /** Version of what made the conversations. */
  version: string;
  /** What else the source says of itself, kept in the manifest. */
  about: Record<string, unknown>;
  conversations: readonly ImportedConversation[];
  dropped: readonly Dropped[];
}
