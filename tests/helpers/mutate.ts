import fc from "fast-check";

/** Hostile variants of valid inputs: bytes changed, cut, inserted, repeated; members and items of JSON replaced. */
export type Edit = [at: number, kind: "set" | "cut" | "insert" | "repeat", byte: number];

export const edits: fc.Arbitrary<Edit[]> = fc.array(
  fc.tuple(
    fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }),
    fc.constantFrom("set" as const, "cut" as const, "insert" as const, "repeat" as const),
    fc.oneof(fc.nat(255), fc.constantFrom(...Buffer.from('"\\{}[],:\n\r\t -&*!|>01'))),
  ),
  { minLength: 1, maxLength: 6 },
);

export function edited(seed: Uint8Array, changes: readonly Edit[]): Buffer {
  let bytes = Buffer.from(seed);
  for (const [where, kind, byte] of changes) {
    const at = Math.floor(where * bytes.length);
    if (kind === "set" && at < bytes.length) bytes[at] = byte;
    else if (kind === "cut") bytes = Buffer.concat([bytes.subarray(0, at), bytes.subarray(at + byte)]);
    else if (kind === "insert") bytes = Buffer.concat([bytes.subarray(0, at), Buffer.from([byte]), bytes.subarray(at)]);
    else if (kind === "repeat") bytes = Buffer.concat([bytes.subarray(0, at + byte), bytes.subarray(at)]);
  }
  return bytes;
}

/** What stands where something else was expected: other types, edges of numbers, texts that mean something elsewhere. */
const odd: fc.Arbitrary<unknown> = fc.oneof(
  fc.constantFrom<unknown>(
    ...[null, true, 0, -0, -1, 0.5, 1e308, 5e-324, 2 ** 53, 2 ** 31, "", " ", "\0", "\ud800", "\u202e", "NaN"],
    ...["__proto__", "constructor", "toString", "../../etc/passwd", "/", "\u001b[2J", "<script>", "a".repeat(5000)],
    ...[[], {}, [[]], { constructor: 1 }, [null], { length: 1e9 }],
  ),
  fc.jsonValue({ maxDepth: 3 }),
);

type Change = [path: number[], kind: "replace" | "remove" | "rename" | "double", value: unknown];

export const changes: fc.Arbitrary<Change[]> = fc.array(
  fc.tuple(
    fc.array(fc.nat(40), { minLength: 1, maxLength: 8 }),
    fc.constantFrom("replace" as const, "remove" as const, "rename" as const, "double" as const),
    odd,
  ),
  { minLength: 1, maxLength: 3 },
);

/** A copy of a JSON value with some of its members replaced, removed, renamed or doubled; paths wrap around. */
export function changed(value: unknown, list: readonly Change[]): unknown {
  return list.reduce((whole, [path, kind, other]) => changeAt(whole, path, kind, other), structuredClone(value));
}

function changeAt(node: unknown, [step = 0, ...rest]: number[], kind: Change[1], other: unknown): unknown {
  if (typeof node !== "object" || node === null) return other;
  const keys = Object.keys(node);
  if (keys.length === 0) return other;
  const key = keys[step % keys.length]!;
  const entries = Object.entries(node).flatMap(([name, child]: [string, unknown]): [string, unknown][] => {
    if (name !== key) return [[name, child]];
    if (rest.length > 0 && typeof child === "object" && child !== null)
      return [[name, changeAt(child, rest, kind, other)]];
    if (kind === "remove") return [];
    if (kind === "rename") return [[`${name}_`, child]];
    if (kind === "double") return [[name, child], [`${name}2`, child]]; // prettier-ignore
    return [[name, other]];
  });
  return Array.isArray(node) ? entries.map(([, child]) => child) : Object.fromEntries(entries);
}
