import { existsSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { AssayError } from "../engine/canon/errors.ts";
import { readText } from "../engine/canon/files.ts";
import { CARD_FILE } from "../engine/scan/bundle.ts";
import { readPlan, scanIdOf } from "../engine/scan/index.ts";
import { findBundles } from "./bundles.ts";

/** The Jury Card of a scan, as it stands in its bundle; undefined where no bundle has that id or it has no card. */
export function cardOf(scan: string, environment: NodeJS.ProcessEnv = process.env): string | undefined {
  const directory = findBundles(environment).find((candidate) => {
    if (!existsSync(join(candidate, CARD_FILE))) return false;
    const { plan, plan_sha256 } = readPlan(candidate);
    return scanIdOf(plan, plan_sha256) === scan;
  });
  return directory === undefined ? undefined : readText(join(directory, CARD_FILE));
}

/** The whole of a data loader: the card of the scan that Framework names, to stdout. */
export async function emitCard(argv: readonly string[] = process.argv.slice(2)): Promise<void> {
  const { values } = parseArgs({ args: [...argv], options: { scan: { type: "string", default: "" } }, strict: false });
  try {
    const card = cardOf(String(values.scan));
    if (card === undefined) throw new AssayError("no_card", `no bundle of ${String(values.scan)} holds a card`, {});
    await new Promise<void>((done) => process.stdout.write(card, () => done()));
  } catch (error) {
    process.stderr.write(`${error instanceof AssayError ? error.message : String(error)}\n`);
    process.exitCode = 2;
  }
}
