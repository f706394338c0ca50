import { relative } from "node:path";
import { AssayError } from "../canon/errors.ts";

/** Something wrong with one file of a scan. */
export interface Finding {
  /** Relative to the scan's directory. */
  file: string;
  code: string;
  message: string;
}

export type Report = (finding: Finding) => void;

/** Call `check`; an AssayError it throws becomes a finding about the file it names, else about `file`. */
export async function reporting(
  directory: string,
  file: string,
  report: Report,
  check: () => Promise<void> | void,
): Promise<void> {
  try {
    await check();
  } catch (error) {
    if (!(error instanceof AssayError)) throw error;
    const named = error.details.file;
    const below = named === undefined ? "" : relative(directory, named);
    report({ file: below === "" || below.startsWith("..") ? file : below, code: error.code, message: error.message });
  }
}
