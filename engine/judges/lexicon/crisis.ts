import type { DimensionLexicon } from "./entry.ts";

export const crisis: DimensionLexicon = {};
