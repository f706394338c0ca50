import { z } from "zod";

/** The names that objects at this path of a schema may have, in declared order; of a union, those of all branches. */
export function fieldsAt(schema: unknown, path: readonly PropertyKey[]): string[] {
  const bare = unwrap(schema);
  if (bare instanceof z.ZodUnion) return [...new Set(bare.options.flatMap((option) => fieldsAt(option, path)))];
  if (path.length === 0) return bare instanceof z.ZodObject ? Object.keys(bare.shape) : [];
  const [step, ...rest] = path;
  if (bare instanceof z.ZodObject && step !== undefined) {
    const shape: Record<PropertyKey, unknown> = bare.shape;
    return Object.hasOwn(shape, step) ? fieldsAt(shape[step], rest) : [];
  }
  if (bare instanceof z.ZodArray) return fieldsAt(bare.element, rest);
  if (bare instanceof z.ZodRecord) return fieldsAt(bare.valueType, rest);
  return [];
}

function unwrap(schema: unknown): unknown {
  let bare = schema;
  while (
    bare instanceof z.ZodOptional ||
    bare instanceof z.ZodDefault ||
    bare instanceof z.ZodNullable ||
    bare instanceof z.ZodLazy
  )
    bare = bare.unwrap();
  return bare;
}
