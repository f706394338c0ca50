import { sha256 as digest } from "@noble/hashes/sha2.js";
import { bytesToHex, utf8ToBytes } from "@noble/hashes/utils.js";

/** The same for a browser: its own digests are promises, and canonical values are digested where no one can wait. */
export function sha256(bytes: string | Uint8Array): string {
  return bytesToHex(digest(typeof bytes === "string" ? utf8ToBytes(bytes) : bytes));
}
