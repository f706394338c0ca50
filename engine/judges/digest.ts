import { digestOf } from "../canon/json.ts";
import type { RequestQuestion } from "../schema/request.ts";

type Asked = Pick<RequestQuestion, "type" | "instructions" | "criteria">;

const KEPT = 4096;
const byText = new Map<string, string>();
/** A frozen check hands the same instructions object to every request; looking that up beats writing it out. */
const byObject = new WeakMap<object, { asked: Asked; digest: string }>();

/**
 * What a question asks, wherever and under whatever name it is asked: the digest of {type, instructions,
 * criteria}. The lexicon's key.
 */
export function questionDigest({ type, instructions, criteria }: Asked): string {
  if (typeof instructions === "string") return digestOfText({ type, instructions, criteria });
  const known = byObject.get(instructions);
  if (known?.asked.type === type && known.asked.criteria === criteria) return known.digest;
  const asked = { type, instructions, criteria };
  const digest = digestOfText(asked);
  byObject.set(instructions, { asked, digest });
  return digest;
}

function digestOfText(asked: Asked): string {
  const text = JSON.stringify([asked.type, asked.instructions, asked.criteria]);
  let digest = byText.get(text);
  if (digest === undefined) {
    if (byText.size >= KEPT) byText.clear();
    byText.set(text, (digest = digestOf(asked)));
  }
  return digest;
}
