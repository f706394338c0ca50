import { AssayError } from "../canon/errors.ts";
import { readJsonl } from "../canon/lines.ts";
import { Expectation } from "../schema/expectation.ts";
import { expectationKey } from "./expectations.ts";

/**
 * An explicit JSONL file of expectations. A malformed line is `bad_record`, `bad_json` or `blank_line`, a repeated
 * label `duplicate_expectation`, an empty file `no_expectations`; each names the line.
 */
export async function readExpectations(file: string): Promise<Expectation[]> {
  const rows: Expectation[] = [];
  const seen = new Map<string, number>();
  for await (const row of readJsonl(file, Expectation)) {
    rows.push(row);
    const first = seen.get(expectationKey(row));
    if (first !== undefined)
      throw new AssayError("duplicate_expectation", `repeats line ${first}: same identity and digests`, {
        file,
        line: rows.length,
        fix: "keep one of them",
      });
    seen.set(expectationKey(row), rows.length);
  }
  if (rows.length === 0)
    throw new AssayError("no_expectations", "holds no expectation", { file, fix: "add one JSON object a line" });
  return rows;
}
