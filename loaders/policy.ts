import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { writeAtomic } from "../engine/canon/files.ts";

/*
 * A built page says itself what it may do: run its own scripts and no other, reach its own origin and no other. Text
 * that a model wrote is never markup here; should it ever become some, it still runs nothing and tells no one.
 */

const INLINE = /<script(?![^>]*\ssrc=)[^>]*>([\s\S]*?)<\/script>/g;

/** The page with its Content-Security-Policy, which names each of its inline scripts by digest. */
export function withPolicy(html: string): string {
  const digests = [...html.matchAll(INLINE)].map(([, script = ""]) => {
    return `'sha256-${createHash("sha256").update(script).digest("base64")}'`;
  });
  const policy = [
    "default-src 'none'",
    // DuckDB is WebAssembly, in a worker that its loader makes from a blob.
    `script-src 'self' 'wasm-unsafe-eval' ${[...new Set(digests)].join(" ")}`.trimEnd(),
    "worker-src blob:",
    "connect-src 'self'",
    // Plot and the editor write style elements.
    "style-src 'self' 'unsafe-inline'",
    "font-src 'self'",
    "img-src 'self' data:",
    "base-uri 'self'",
    "form-action 'none'",
  ].join("; ");
  // After the charset, which has to come early, and before everything that the policy is about.
  return html.replace(/<meta charset="utf-8">/, (charset) => {
    return `${charset}\n<meta http-equiv="Content-Security-Policy" content="${policy}">`;
  });
}

/** Every page below a built site's directory. */
export function protectPages(directory: string): void {
  if (!existsSync(directory)) return;
  for (const name of readdirSync(directory, { recursive: true, encoding: "utf8" })) {
    if (!name.endsWith(".html")) continue;
    const file = join(directory, name);
    writeAtomic(file, withPolicy(readFileSync(file, "utf8")));
  }
}
