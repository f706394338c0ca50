import type { DimensionLexicon } from "./entry.ts";

export const belonging: DimensionLexicon = {};
