import { FAIL, NOT_APPLICABLE, PASS, type VerdictSet } from "./verdicts.ts";

/**
 * What one independent part of a conversation (a reply, a sentence, a detail) does to the verdict, weakest first, so
 * that a conversation is the maximum of its parts: nothing; it applies, and neither fails nor satisfies; it satisfies;
 * it fails.
 */
export const LEVELS = { untouched: 0, applicable: 1, satisfied: 2, failed: 3 } as const;
export const LEVEL_COUNT = 4;

/** A set of levels: bit i is level i. */
export type LevelSet = number;
export const ONLY_UNTOUCHED: LevelSet = 1 << LEVELS.untouched;

/** `STRONGEST[a << 4 | b]`: the maxima of a level of `a` and a level of `b`. */
const STRONGEST = Uint8Array.from({ length: 256 }, (_, pair) => {
  let maxima = 0;
  for (let a = 0; a < LEVEL_COUNT; a++)
    for (let b = 0; b < LEVEL_COUNT; b++)
      if (((pair >> 4) & (1 << a)) !== 0 && (pair & (1 << b)) !== 0) maxima |= 1 << Math.max(a, b);
  return maxima;
});

export function strongest(a: LevelSet, b: LevelSet): LevelSet {
  return STRONGEST[(a << 4) | b]!;
}

/** The verdict of each level, for a set of levels. Parts that apply and of which none satisfies fail by absence. */
const VERDICTS = Uint8Array.from({ length: 16 }, (_, levels) =>
  [NOT_APPLICABLE, FAIL, PASS, FAIL].reduce((set, verdict, i) => ((levels & (1 << i)) === 0 ? set : set | verdict), 0),
);

export function verdictsOfLevels(levels: LevelSet): VerdictSet {
  return VERDICTS[levels]!;
}

/** For each part, what all parts before it and all after it may come to together. Linear in the parts. */
export function othersOf(parts: readonly LevelSet[]): LevelSet[] {
  const others = new Array<LevelSet>(parts.length);
  let before: LevelSet = ONLY_UNTOUCHED;
  parts.forEach((part, i) => {
    others[i] = before;
    before = strongest(before, part);
  });
  let after: LevelSet = ONLY_UNTOUCHED;
  for (let i = parts.length - 1; i >= 0; i--) {
    others[i] = strongest(others[i]!, after);
    after = strongest(after, parts[i]!);
  }
  return others;
}
