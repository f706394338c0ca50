import type { DimensionLexicon } from "./entry.ts";

export const autonomy: DimensionLexicon = {};
