export { bandOf, MOST_OPTIONS, type Lookup } from "./answers.ts";
export { derive, possibleOf, type Derivation } from "./derive.ts";
export { effectsOf, type Effect } from "./effects.ts";
