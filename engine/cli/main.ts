import { Command, CommanderError } from "commander";
import { AssayError } from "../canon/errors.ts";
import { engineVersion } from "../canon/root.ts";
import { globals, reportError, writeOut } from "./output.ts";
import { register as agreement } from "./agreement.ts";
import { register as checks } from "./checks.ts";
import { register as compare } from "./compare.ts";
import { register as demo } from "./demo.ts";
import { register as exemplars } from "./exemplars.ts";
import { register as judges } from "./judges.ts";
import { register as judgments } from "./judgments.ts";
import { register as labels } from "./labels.ts";
import { register as questions } from "./questions.ts";
import { register as scan } from "./scan.ts";
import { register as site } from "./site.ts";
import { register as source } from "./source.ts";
import { register as sql } from "./sql.ts";
import { register as study } from "./study.ts";
import { register as tables } from "./tables.ts";

/** Command groups only declare arguments and help here; each handler imports its engine module when it runs. */
const groups = [
  checks,
  exemplars,
  source,
  study,
  scan,
  compare,
  questions,
  judges,
  judgments,
  agreement,
  labels,
  tables,
  sql,
  demo,
  site,
];

/** Every command, declared. What commander prints (help, the version) goes to `print`. */
export function buildProgram(print: (text: string) => void): Command {
  const program = new Command("bench")
    .description("Validate an evaluator: freeze control cases, judge them, compare verdicts with what was declared.")
    .version(engineVersion)
    .exitOverride()
    .configureOutput({ outputError: () => undefined, writeErr: () => undefined, writeOut: print })
    .addHelpText(
      "after",
      "\nGlobal flags: --json (one JSON object on stdout), --debug (stack traces)\n\nExample:\n  bench demo",
    );
  for (const register of groups) register(program);
  inheritSettings(program);
  for (const group of program.commands) pointToCommands(group);
  return program;
}

export async function main(argv: readonly string[]): Promise<void> {
  let printed = "";
  const program = buildProgram((text) => (printed += text));
  const words = takeGlobals(argv);
  try {
    await program.parseAsync(words, { from: "user" });
  } catch (error) {
    const command = commandOf(program, words);
    if (!(error instanceof CommanderError)) return reportError(error, command);
    if (error.exitCode === 0) return writeOut(command, { text: printed }, printed);
    const fix = `see bench ${command === "" ? "" : `${command} `}--help`;
    const unnamed = error.code === "commander.help" || error.code === "commander.helpDisplayed";
    const problem = unnamed ? "name a command" : error.message.replace(/^error: /, "").replaceAll("\n", " ");
    reportError(new AssayError("usage", problem, { fix }), command);
  }
}

/** The words of the command line that name a command, e.g. `scan plan`. */
function commandOf(program: Command, words: readonly string[]): string {
  const names: string[] = [];
  let at: Command = program;
  for (const word of words) {
    const next = at.commands.find((command) => command.name() === word);
    if (next === undefined) break;
    names.push(word);
    at = next;
  }
  return names.join(" ");
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

/** A group has no example of its own; its help says where to find one. */
function pointToCommands(group: Command): void {
  const [first] = group.commands;
  if (first !== undefined) group.addHelpText("after", `\nExample:\n  bench ${group.name()} ${first.name()} --help`);
}

/** commander does not pass exitOverride and output settings on to commands added before them. */
function inheritSettings(command: Command): void {
  for (const child of command.commands) {
    child.copyInheritedSettings(command);
    inheritSettings(child);
  }
}
