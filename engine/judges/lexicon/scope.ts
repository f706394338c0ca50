import type { DimensionLexicon } from "./entry.ts";

export const scope: DimensionLexicon = {};
