import { AssayError, type ErrorDetails } from "../canon/errors.ts";
import { canonicalJson } from "../canon/json.ts";
import { parsePlaced, parsePlacedYaml, type PlacedYaml } from "../canon/yaml.ts";
import { Check } from "../schema/check.ts";
import { assertConsistent } from "./consistent.ts";

/**
 * A check definition from YAML. Every problem is one AssayError `bad_check` with file, line, column and the fix:
 * broken YAML, unknown fields, and whatever `consistent.ts` refuses.
 */
export function parseCheckYaml(text: string, file: string): Check {
  return parse(parsePlacedYaml(text, file, "bad_check"));
}

/** An inline check, as exemplar rows and frozen plans carry it. `where` is named in every error. */
export function parseCheckValue(value: unknown, where: ErrorDetails): Check {
  if (isDeep(value)) throw new AssayError("bad_check", `is nested more than ${MAX_DEPTH} deep`, { ...where, fix: "write it flatter" });
  return parse({ value, place: () => where });
}

function parse(placed: PlacedYaml): Check {
  const check = parsePlaced(Check, placed, "bad_check");
  assertConsistent(check, placed.place);
  assertDigestible(check, placed);
  return check;
}

/** A definition whose digest could not be taken could never be planned. */
function assertDigestible(check: Check, { place }: PlacedYaml): void {
  try {
    canonicalJson(check);
  } catch (error) {
    if (!(error instanceof AssayError)) throw error;
    throw new AssayError("bad_check", error.message, { ...place([]), fix: "write the text in whole characters" });
  }
}

/** The schema recurses into formulas; YAML is held to the same bound before it is composed. */
const MAX_DEPTH = 100;

function isDeep(value: unknown): boolean {
  let level: unknown[] = [value];
  for (let depth = 0; level.length > 0; depth++) {
    if (depth > MAX_DEPTH) return true;
    level = level.flatMap((item): unknown[] => (typeof item === "object" && item !== null ? Object.values(item) : []));
  }
  return false;
}
