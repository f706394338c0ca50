import { digestOf } from "../canon/json.ts";
import type { RequestQuestion } from "../schema/request.ts";

const KEPT = 4096;
const digests = new Map<string, string>();

/**
 * What a question asks, wherever and under whatever name it is asked: the digest of {type, instructions,
 * criteria}. The lexicon's key.
 */
export function questionDigest({ type, instructions, criteria }: Pick<RequestQuestion, "type" | "instructions" | "criteria">): string {
  const key = JSON.stringify([type, instructions, criteria]);
  let digest = digests.get(key);
  if (digest === undefined) {
    if (digests.size >= KEPT) digests.clear();
    digests.set(key, (digest = digestOf({ type, instructions, criteria })));
  }
  return digest;
}
