import type * as designer from "../../../engine/studies/designer.js";
import type { DesignDocument } from "../../../loaders/design.js";

/** engine/studies/designer.ts, as the page loads it: the code behind `bench study lint`, and no other. */
export type Engine = typeof designer;

export type { DesignDocument };
export type { Draft, DraftProblem, ExaminedDraft } from "../../../engine/studies/draft.js";
export type Path = readonly (string | number)[];
