import type { ErrorDetails } from "../canon/errors.ts";
import { parsePlaced, parsePlacedYaml } from "../canon/yaml.ts";
import { parseWith } from "../canon/json.ts";
import { Check } from "../schema/check.ts";
import { assertConsistent } from "./consistent.ts";

/**
 * A check definition from YAML. Every problem is one AssayError `bad_check` with file, line, column and the fix:
 * broken YAML, unknown fields, and whatever `consistent.ts` refuses.
 */
export function parseCheckYaml(text: string, file: string): Check {
  const yaml = parsePlacedYaml(text, file, "bad_check");
  const check = parsePlaced(Check, yaml, "bad_check");
  assertConsistent(check, yaml.place);
  return check;
}

/** An inline check, as exemplar rows and frozen plans carry it. `where` is named in every error. */
export function parseCheckValue(value: unknown, where: ErrorDetails): Check {
  const check = parseWith(Check, value, where, "bad_check");
  assertConsistent(check, () => where);
  return check;
}
