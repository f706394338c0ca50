/**
 * One fully resolved world: what every observation says. The four files beside this one state each rule in such a
 * world, reading place by place as the protocol words it. They are the meaning of the rules; `../clauses.ts` and
 * its siblings compute the verdicts over all worlds at once and are tested against these.
 */
export interface World {
  /** A yes/no observation at `role:turn`. */
  yes(role: string, turn: number, key: string): boolean;
  /** The one option of a choice. */
  chosen(role: string, turn: number, key: string): string;
}
