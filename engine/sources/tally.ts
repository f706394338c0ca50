/** Names beyond this are counted together: a hostile input may hold a new name in every record. */
const MOST_NAMES = 200;
const LONGEST_NAME = 120;
const REST = "(further names)";

/** Counts by name, in a bounded list. */
export class Tally {
  readonly #counts = new Map<string, number>();

  add(name: string, count = 1): void {
    const shown = name.length > LONGEST_NAME ? `${name.slice(0, LONGEST_NAME)}…` : name;
    // Names end up in the manifest, whose canonical form has no place for half a surrogate pair.
    let key = shown.toWellFormed();
    if (!this.#counts.has(key) && this.#counts.size >= MOST_NAMES) key = REST;
    this.#counts.set(key, (this.#counts.get(key) ?? 0) + count);
  }

  rows(): { field: string; count: number }[] {
    return [...this.#counts].sort(([a], [b]) => (a < b ? -1 : 1)).map(([field, count]) => ({ field, count }));
  }
}

/** A value that says nothing, so that leaving it behind loses nothing. */
export function isEmpty(value: unknown): boolean {
  if (value === undefined || value === null || value === "" || value === false) return true;
  if (Array.isArray(value)) return value.length === 0;
  return typeof value === "object" && Object.keys(value).length === 0;
}

/** Count the members of an object that are not among those kept. */
export function dropMembers(tally: Tally, value: object, kept: ReadonlySet<string>, path: string): void {
  for (const [name, member] of Object.entries(value))
    if (!kept.has(name) && !isEmpty(member)) tally.add(`${path}${name}`);
}
