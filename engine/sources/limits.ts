import { statSync } from "node:fs";
import { AssayError, type ErrorDetails } from "../canon/errors.ts";
import { fileError } from "../canon/files.ts";

const MIB = 1 << 20;

/** Bytes of one conversation as its source writes it: a line, a sample, the rows of a table. */
export const MAX_CONVERSATION = 64 * MIB;
/** Bytes of a JSON text that has to be read whole, unpacked where it was packed. */
export const MAX_DOCUMENT = 256 * MIB;

export function tooLarge(what: string, most: number, where: ErrorDetails, fix: string): AssayError {
  return new AssayError("too_large", `${what} is larger than ${Math.round(most / MIB)} MiB`, {
    ...where,
    most_bytes: most,
    fix,
  });
}

/** Size of a regular file in bytes; anything else is a typed error. A pipe or device has no size that could be checked. */
export function sizeOf(file: string): number {
  let found;
  try {
    found = statSync(file);
  } catch (error) {
    throw fileError(error, file);
  }
  if (found.isDirectory()) throw new AssayError("file_error", "is a directory, not a file", { file });
  if (!found.isFile())
    throw new AssayError("file_error", "is not a regular file", { file, fix: "save it as a file first" });
  return found.size;
}
