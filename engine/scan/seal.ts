import { lstatSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { sealedCardBytes } from "../canon/commentary.ts";
import { AssayError } from "../canon/errors.ts";
import { readBytes } from "../canon/files.ts";
import { canonicalJson, digestOf, parseJson, parseWith, sha256 } from "../canon/json.ts";
import { confined } from "../canon/paths.ts";
import { sha256OfFile } from "../canon/stream.ts";
import { decodeUtf8 } from "../canon/utf8.ts";
import { SEAL_FORMAT, Seal } from "../schema/seal.ts";
import { CARD_FILE, SEAL_FILE, type Bundle } from "./bundle.ts";
import { isLockFile } from "./lock.ts";

/** Every file of a bundle but the seal and run locks: relative POSIX paths, sorted. Symbolic links count as files. */
export function bundleFiles(directory: string): string[] {
  const files: string[] = [];
  const walk = (below: string): void => {
    for (const entry of readdirSync(join(directory, below), { withFileTypes: true })) {
      const path = below === "" ? entry.name : `${below}/${entry.name}`;
      if (entry.isDirectory()) walk(path);
      else if (path !== SEAL_FILE && !isLockFile(path)) files.push(path);
    }
  };
  walk("");
  return files.sort();
}

/** The digest a seal keeps of a file: of its bytes, and for the card of those before its commentary. */
export async function sealedDigest(directory: string, path: string): Promise<string> {
  const file = confined(directory, path);
  return path === CARD_FILE ? sha256(sealedCardBytes(readBytes(file))) : await sha256OfFile(file);
}

/** The bytes of `seal.json` for a bundle in which everything else is written. */
export async function makeSeal({ directory, plan_sha256 }: Bundle): Promise<string> {
  const files: Record<string, string> = {};
  for (const path of bundleFiles(directory)) files[path] = await sealedDigest(directory, path);
  const body = { format: SEAL_FORMAT, plan_sha256, files } as const;
  return `${canonicalJson({ ...body, self_sha256: digestOf(body) } satisfies Seal)}\n`;
}

/** A seal that is whole by its own digest, and the digest people publish; undefined where a scan is not sealed. */
export function readSeal(directory: string): { seal: Seal; seal_sha256: string } | undefined {
  const file = confined(directory, SEAL_FILE);
  if (lstatSync(file, { throwIfNoEntry: false }) === undefined) return undefined;
  const bytes = readBytes(file);
  const seal = parseWith(Seal, parseJson(decodeUtf8(bytes, file), { file }), { file }, "bad_seal");
  const { self_sha256, ...body } = seal;
  if (digestOf(body) !== self_sha256 || !bytes.equals(Buffer.from(`${canonicalJson(seal)}\n`)))
    throw new AssayError("bad_seal", "does not match its own digest", { file, fix: "restore it from a copy" });
  return { seal, seal_sha256: sha256(bytes) };
}
