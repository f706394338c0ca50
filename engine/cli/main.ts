import { Command, CommanderError } from "commander";
import { AssayError } from "../canon/errors.ts";
import { engineVersion } from "../canon/root.ts";
import { globals, reportError } from "./output.ts";
import { register as checks } from "./checks.ts";
import { register as compare } from "./compare.ts";
import { register as demo } from "./demo.ts";
import { register as exemplars } from "./exemplars.ts";
import { register as judges } from "./judges.ts";
import { register as scan } from "./scan.ts";
import { register as source } from "./source.ts";
import { register as sql } from "./sql.ts";
import { register as study } from "./study.ts";
import { register as tables } from "./tables.ts";

/** Command groups only declare arguments and help here; each handler imports its engine module when it runs. */
const groups = [checks, exemplars, source, study, scan, compare, judges, tables, sql, demo];

export async function main(argv: readonly string[]): Promise<void> {
  const program = new Command("bench")
    .description("Validate an evaluator: freeze control cases, judge them, compare verdicts with what was declared.")
    .version(engineVersion)
    .exitOverride()
    .configureOutput({ outputError: () => undefined })
    .addHelpText("after", "\nGlobal flags: --json (one JSON object on stdout), --debug (stack traces)\n");
  for (const register of groups) register(program);
  inheritSettings(program);
  try {
    await program.parseAsync(takeGlobals(argv), { from: "user" });
  } catch (error) {
    if (!(error instanceof CommanderError)) return reportError(error, "");
    if (error.exitCode === 0) return;
    const message = error.message.replace(/^error: /, "");
    reportError(
      new AssayError("usage", message === "(outputHelp)" ? "name a command" : message, { fix: "see bench --help" }),
      argv.filter((word) => /^[a-z]/.test(word)).slice(0, 2).join(" "),
    );
  }
}

function takeGlobals(argv: readonly string[]): string[] {
  const end = argv.indexOf("--");
  return argv.filter((word, i) => {
    if (end !== -1 && i >= end) return true;
    if (word === "--json") globals.json = true;
    else if (word === "--debug") globals.debug = true;
    else return true;
    return false;
  });
}

/** commander does not pass exitOverride and output settings on to commands added before them. */
function inheritSettings(command: Command): void {
  for (const child of command.commands) {
    child.copyInheritedSettings(command);
    inheritSettings(child);
  }
}
