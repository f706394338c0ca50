import type { DimensionLexicon } from "./entry.ts";

export const advocacy: DimensionLexicon = {};
