import { existsSync } from "node:fs";
import { join } from "node:path";
import { cardWithoutCommentary, commentaryOf, withNoteOf } from "../canon/commentary.ts";
import { AssayError } from "../canon/errors.ts";
import { readText, writeAtomic } from "../canon/files.ts";
import { sha256 } from "../canon/json.ts";
import { CARD_FILE, readPlan } from "../scan/bundle.ts";
import { readSeal } from "../scan/seal.ts";
import { writeCard } from "./card.ts";
import { requireFinished } from "./finished.ts";

export interface WrittenCard {
  card: string;
  /** False where the file already held these bytes. */
  changed: boolean;
}

/**
 * Write the card of a finished scan again, from the same evidence, keeping its commentary; a damaged card is
 * repaired. Throws `unfinished_scan`, `failed_verification`, and `card_sealed` where this engine words the sealed
 * part otherwise.
 */
export async function rewriteCard(path: string): Promise<WrittenCard> {
  const { directory } = readPlan(path);
  await requireFinished(directory, CARD_FILE);
  const file = join(directory, CARD_FILE);
  const text = await writeCard(directory);
  const sealed = readSeal(directory)?.seal.files[CARD_FILE];
  if (sealed !== sha256(cardWithoutCommentary(text)))
    throw new AssayError("card_sealed", "was sealed with the words of another engine version", {
      file,
      fix: "read the sealed card, or use the engine version the plan names",
    });
  const before = existsSync(file) ? readText(file) : "";
  const kept = commentaryOf(before);
  const after = kept === "" ? text : cardWithoutCommentary(text) + withNoteOf(commentaryOf(text), kept);
  if (after !== before) writeAtomic(file, after);
  return { card: file, changed: after !== before };
}
