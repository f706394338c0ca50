import { createHash } from "node:crypto";

/**
 * SHA-256 of raw bytes, or of a string's UTF-8, in lower-case hex. Browser bundles take `sha256-browser.ts` in its place,
 * by the `browser` field of package.json.
 */
export function sha256(bytes: string | Uint8Array): string {
  return createHash("sha256").update(bytes).digest("hex");
}
