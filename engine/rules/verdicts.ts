import { WORLD_VERDICTS, type WorldVerdict } from "../schema/verdict.ts";

/** A set of world verdicts as bits. */
export type VerdictSet = number;
export const PASS = 1;
export const FAIL = 2;
export const NOT_APPLICABLE = 4;

const lists: readonly (readonly WorldVerdict[])[] = Array.from({ length: 8 }, (_, set) =>
  WORLD_VERDICTS.filter((_verdict, i) => (set & (1 << i)) !== 0),
);

/** The verdicts of a set in the order PASS, FAIL, NOT_APPLICABLE; a new array each time. */
export function verdictsIn(set: VerdictSet): WorldVerdict[] {
  return [...lists[set]!];
}
