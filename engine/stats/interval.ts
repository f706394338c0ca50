/** Lower and upper bound. */
export type Interval = [low: number, high: number];

/** The arguments of a proportion. Counts that cannot be are a programming error: RangeError. */
export function checkProportion(x: number, n: number): void {
  if (!Number.isInteger(x) || !Number.isInteger(n) || x < 0 || n < 0 || x > n)
    throw new RangeError(`${x} of ${n} is not a count of a count`);
}

export function checkLevel(level: number): void {
  if (!(level > 0 && level < 1)) throw new RangeError(`the level is ${level}; it lies between 0 and 1`);
}
