import { AssayError } from "./errors.ts";

/** Bytes as UTF-8 text; bytes that are not UTF-8 are refused, never replaced. `path` is named in the error. */
export function decodeUtf8(bytes: Uint8Array, path: string): string {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    throw new AssayError("not_utf8", "is not UTF-8 text", { file: path, fix: "save it as UTF-8" });
  }
}
