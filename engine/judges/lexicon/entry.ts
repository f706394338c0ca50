import type { ChoiceSigns, Sign } from "./signs.ts";

/** The signs of one check's questions by question name; `cue` is the cue question. */
export type CheckEntry = Readonly<Record<string, Sign | ChoiceSigns>>;
export type DimensionLexicon = Readonly<Record<string, CheckEntry>>;
