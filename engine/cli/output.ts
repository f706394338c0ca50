import type { Command } from "commander";
import { AssayError, printable } from "../canon/errors.ts";

/** What a command found: `data` for --json, `text` for people. Exit 1 means findings (differences, unmet gates, lint). */
export interface Outcome {
  data: unknown;
  text: string;
  exitCode?: 0 | 1;
}

/** Flags accepted anywhere on the command line; `main.ts` takes them out before commander parses. */
export const globals = { json: false, debug: false };

/** Human progress and notes; never stdout, so that --json and pipes stay clean. */
export function note(text: string): void {
  process.stderr.write(`${text}\n`);
}

/**
 * Wrap a command's body: its positional arguments and options in, an Outcome out. Prints the outcome, or the
 * error in one line, and sets the exit code.
 */
export function action<Args extends unknown[]>(
  body: (...args: Args) => Promise<Outcome> | Outcome,
): (...args: [...Args, Command]) => Promise<void> {
  return async (...all) => {
    const command = all.at(-1) as Command;
    try {
      const outcome = await body(...(all.slice(0, -1) as Args));
      await writeOut(fullName(command), outcome.data, outcome.text);
      process.exitCode = outcome.exitCode ?? 0;
    } catch (error) {
      reportError(error, fullName(command));
    }
  };
}

/** The result on stdout: the envelope under --json, else the text. */
export async function writeOut(command: string, data: unknown, text: string): Promise<void> {
  // In JSON the escapes that a screen needs are the ones JSON has: the same value, safe wherever it is printed.
  if (globals.json) await write(`${printable(JSON.stringify({ status: "ok", command, data }))}\n`);
  else if (text !== "") await write(onScreen(text.endsWith("\n") ? text : `${text}\n`));
}

/** Quoted input may hold terminal escapes and bidi marks, whichever command prints it; only line breaks and tabs pass. */
export function onScreen(text: string): string {
  return text
    .split(/([\n\t])/)
    .map((part) => (part === "\n" || part === "\t" ? part : printable(part)))
    .join("");
}

/** One line on stderr, or the error object on stdout under --json; a stack only under --debug. */
export function reportError(error: unknown, command: string): void {
  const known = error instanceof AssayError;
  const code = known ? error.code : "internal";
  const message = known
    ? error.message
    : printable(`internal error: ${error instanceof Error ? error.message : String(error)}`);
  if (globals.json) {
    const details = known ? error.details : {};
    const envelope = { status: "error", command, error: { ...details, code, message } };
    process.stdout.write(`${printable(JSON.stringify(envelope))}\n`);
  } else {
    process.stderr.write(`${command === "" ? "bench" : `bench ${command}`}: ${message}\n`);
  }
  if (globals.debug && error instanceof Error) process.stderr.write(`${error.stack ?? ""}\n`);
  process.exitCode = known ? error.exitCode : 2;
}

function fullName(command: Command): string {
  const names: string[] = [];
  for (let at: Command | null = command; at?.parent; at = at.parent) names.unshift(at.name());
  return names.join(" ");
}

/** Text to stdout as it is; resolves when it is written. */
export function write(text: string): Promise<void> {
  return new Promise((done, fail) => {
    process.stdout.write(text, (error) => {
      if (!error) done();
      // A reader that closes the pipe early (`bench sql ... | head`) has what it wanted.
      else if ((error as NodeJS.ErrnoException).code === "EPIPE") process.exit(0);
      else fail(error);
    });
  });
}
