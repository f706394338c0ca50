import type { DimensionLexicon } from "./entry.ts";

export const relational: DimensionLexicon = {};
