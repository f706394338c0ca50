/** Consecutive items of equal index, asked for in rising order. */
export function groups<T>(items: AsyncGenerator<T>, indexOf: (item: T) => number): (index: number) => Promise<T[]> {
  let held: T | undefined;
  return async (index) => {
    const group: T[] = [];
    for (;;) {
      if (held === undefined) {
        const next = await items.next();
        if (next.done === true) return group;
        held = next.value;
      }
      if (indexOf(held) !== index) return group;
      group.push(held);
      held = undefined;
    }
  };
}

/** The item of an index, or undefined; asked for in rising order. */
export function inOrder<T>(
  items: AsyncGenerator<T>,
  indexOf: (item: T) => number,
): (index: number) => Promise<T | undefined> {
  const group = groups(items, indexOf);
  return async (index) => (await group(index))[0];
}
