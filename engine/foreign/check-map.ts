import { z } from "zod";
import { AssayError } from "../canon/errors.ts";
import { readText } from "../canon/files.ts";
import { parsePlaced, parsePlacedYaml } from "../canon/yaml.ts";
import { CheckMapEntry } from "../schema/foreign.ts";

/** Foreign ids by the check they are declared to be about, one to one. */
export interface CheckMap {
  entries: CheckMapEntry[];
  checkOf(foreignId: string): string | undefined;
}

/**
 * A declared map, YAML or JSON: a list of `{foreign_id, check_id, author, reason}`. One to one, so that every joined
 * pair of verdicts is one judgment of each side. Throws `bad_map` with file, line and column.
 */
export function readCheckMap(file: string): CheckMap {
  const yaml = parsePlacedYaml(readText(file), file, "bad_map");
  const entries = parsePlaced(z.array(CheckMapEntry).min(1), yaml, "bad_map");
  for (const field of ["foreign_id", "check_id"] as const) {
    const seen = new Map<string, number>();
    entries.forEach((entry, i) => {
      const before = seen.get(entry[field]);
      if (before !== undefined)
        throw new AssayError("bad_map", `maps ${entry[field]} twice, as in entry ${before + 1}`, {
          ...yaml.place([i, field]),
          fix: "a map is one to one; keep the closer definition",
        });
      seen.set(entry[field], i);
    });
  }
  const checks = new Map(entries.map(({ foreign_id, check_id }) => [foreign_id, check_id]));
  return { entries, checkOf: (foreignId) => checks.get(foreignId) };
}
