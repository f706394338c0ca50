import type { DimensionLexicon } from "./entry.ts";

export const attunement: DimensionLexicon = {};
