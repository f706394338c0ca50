/** Exit codes of the command line: 1 findings, 2 could not run, 130 interrupted. */
export type ExitCode = 1 | 2 | 130;

export interface ErrorDetails {
  /** File the problem is in, with `line` and `column` (1-based) where known. */
  file?: string;
  line?: number;
  column?: number;
  /** One sentence: what to do about it. */
  fix?: string;
  /** The numbers and names that explain the problem; part of `--json` output. */
  [detail: string]: unknown;
}

/**
 * The one error class users meet. `code` is stable and what tests match; the message is one line that names
 * the file and the fix.
 */
export class AssayError extends Error {
  override readonly name = "AssayError";
  readonly code: string;
  /** The message without its place and fix. */
  readonly problem: string;
  readonly details: ErrorDetails;
  readonly exitCode: ExitCode;

  constructor(code: string, problem: string, details: ErrorDetails = {}, exitCode: ExitCode = 2) {
    super(oneLine(problem, details));
    this.code = code;
    this.problem = printable(problem);
    this.details = details;
    this.exitCode = exitCode;
  }
}

function oneLine(problem: string, { file, line, column, fix }: ErrorDetails): string {
  const place =
    file === undefined
      ? ""
      : `${file}${line === undefined ? "" : `:${line}${column === undefined ? "" : `:${column}`}`}: `;
  return printable(`${place}${problem}${fix === undefined ? "" : `; ${fix}`}`);
}

/** Control characters (terminal escapes, newlines, bidi marks) of quoted input must not reach a terminal. */
export function printable(text: string): string {
  return text.replace(
    /[\p{Cc}\u2028\u2029\u061c\u200b\u200e\u200f\ufeff\u202a-\u202e\u2066-\u2069]/gu,
    (char) => `\\u${char.codePointAt(0)!.toString(16).padStart(4, "0")}`,
  );
}
