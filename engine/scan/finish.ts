import { readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { commentaryOf, cardWithoutCommentary, countMarkers } from "../canon/commentary.ts";
import { AssayError } from "../canon/errors.ts";
import { readText, writeAtomic } from "../canon/files.ts";
import { canonicalJson, sha256 } from "../canon/json.ts";
import { confined } from "../canon/paths.ts";
import { writeLines } from "../canon/stream.ts";
import { existsSync } from "node:fs";
import { answersOf, requireOneAnswerEach, type JournalIndex } from "./answers.ts";
import { CARD_FILE, JOURNAL_FILE, JUDGMENTS_FILE, SEAL_FILE, type Bundle } from "./bundle.ts";
import { deriveJudgments } from "./judgments.ts";
import { makeSeal } from "./seal.ts";

/** The text of the Jury Card of a scan whose judgments are written. The engine's scan part knows no reports. */
export type WriteCard = (directory: string) => string | Promise<string>;

/**
 * Derive the judgments, write the card, seal. Each file appears whole or not at all and depends only on what is
 * frozen, so that a crash anywhere in between is repaired by doing it again. Returns the seal's SHA-256.
 */
export async function finishScan(bundle: Bundle, index: JournalIndex, writeCard: WriteCard): Promise<string> {
  const { directory } = bundle;
  const journal = confined(directory, JOURNAL_FILE);
  requireOneAnswerEach(index, journal);
  const answers = answersOf(journal, index);
  try {
    await writeLines(confined(directory, JUDGMENTS_FILE), lines(bundle, answers));
  } finally {
    answers.close();
  }
  await writeCardFile(directory, writeCard);
  const seal = await makeSeal(bundle);
  writeAtomic(confined(directory, SEAL_FILE), seal);
  return sha256(seal);
}

async function* lines(...from: Parameters<typeof deriveJudgments>): AsyncGenerator<string> {
  for await (const judgment of deriveJudgments(...from)) yield canonicalJson(judgment);
}

/** What readers wrote below the marker stays; what they wrote above it does not, that part is the scan's. */
async function writeCardFile(directory: string, writeCard: WriteCard): Promise<void> {
  const file = confined(directory, CARD_FILE);
  const text = await writeCard(directory);
  if (countMarkers(text) > 1)
    throw new AssayError("bad_card", "would hold more than one commentary marker", {
      file,
      fix: "escape quoted text before it enters the card",
    });
  const kept = existsSync(file) ? commentaryOf(readText(file)) : "";
  writeAtomic(file, kept === "" ? text : cardWithoutCommentary(text) + kept);
}

/** Remove what a killed writer left: half-written files under their temporary names. The caller holds the lock. */
export function removeLeftovers(directory: string): void {
  for (const name of readdirSync(directory))
    if (/^\..+\.[0-9]+\.tmp$/.test(name)) rmSync(join(directory, name), { force: true });
}
