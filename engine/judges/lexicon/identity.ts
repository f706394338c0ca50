import type { DimensionLexicon } from "./entry.ts";

export const identity: DimensionLexicon = {};
