import { createReadStream } from "node:fs";
import { AssayError, type ErrorDetails } from "../canon/errors.ts";
import { fileError } from "../canon/files.ts";
import { tooLarge } from "./limits.ts";

export interface CsvRow {
  cells: string[];
  /** 1-based line on which the row starts. */
  line: number;
}

const enum At {
  Start,
  Plain,
  Quoted,
  /** Behind a quote inside a quoted cell: the end of it, or the first of a doubled pair. */
  Quote,
}

/**
 * The rows of a CSV file (RFC 4180) as a stream: quoted cells keep their newlines, rows end in LF, CRLF or CR, a byte
 * order mark is skipped, empty lines are too. A quote inside an unquoted cell is a character like any other. Throws
 * `bad_csv`, `not_utf8`, `too_large`, naming the line.
 */
export async function* readCsv(file: string, delimiter: string, most: number): AsyncGenerator<CsvRow> {
  const reader = new CsvReader(file, delimiter, most);
  const decoder = new TextDecoder("utf-8", { fatal: true });
  try {
    for await (const chunk of createReadStream(file, { highWaterMark: 1 << 18 }) as AsyncIterable<Buffer>)
      yield* reader.read(decode(decoder, chunk, reader.where()));
    yield* reader.read(decode(decoder, undefined, reader.where()));
    yield* reader.end();
  } catch (error) {
    throw error instanceof AssayError ? error : fileError(error, file);
  }
}

function decode(decoder: TextDecoder, chunk: Buffer | undefined, where: ErrorDetails): string {
  try {
    return chunk === undefined ? decoder.decode() : decoder.decode(chunk, { stream: true });
  } catch {
    throw new AssayError("not_utf8", "is not UTF-8 text from about here", { ...where, fix: "save the file as UTF-8" });
  }
}

class CsvReader {
  readonly #file: string;
  readonly #delimiter: string;
  readonly #most: number;
  #at = At.Start;
  #cells: string[] = [];
  #pieces: string[] = [];
  #line = 1;
  #rowLine = 1;
  #rowSize = 0;
  /** The row has a quoted cell: an empty quoted cell is a cell, an empty line is no row. */
  #quoted = false;
  #quoteLine = 1;
  /** A CR ended the row; an LF right behind it belongs to it. */
  #afterReturn = false;

  constructor(file: string, delimiter: string, most: number) {
    this.#file = file;
    this.#delimiter = delimiter;
    this.#most = most;
  }

  where(): { file: string; line: number } {
    return { file: this.#file, line: this.#line };
  }

  *read(text: string): Generator<CsvRow> {
    let from = 0;
    let counted = 0;
    for (let i = 0; i < text.length; i++) {
      const char = text[i];
      if (this.#afterReturn) {
        this.#afterReturn = false;
        if (char === "\n") {
          from = i + 1;
          continue;
        }
      }
      if (this.#at === At.Quoted) {
        if (char === "\n") this.#line++;
        if (char !== '"') continue;
        this.#pieces.push(text.slice(from, i));
        this.#at = At.Quote;
      } else if (this.#at === At.Quote && char === '"') {
        from = i;
        this.#at = At.Quoted;
      } else if (char === '"' && this.#at === At.Start) {
        from = i + 1;
        this.#quoteLine = this.#line;
        this.#quoted = true;
        this.#at = At.Quoted;
      } else if (char === this.#delimiter || char === "\n" || char === "\r") {
        if (this.#at !== At.Quote) this.#pieces.push(text.slice(from, i));
        from = i + 1;
        this.#endCell();
        if (char === this.#delimiter) continue;
        this.#grow(i - counted);
        counted = i;
        this.#afterReturn = char === "\r";
        yield* this.#endRow();
      } else if (this.#at === At.Quote)
        throw new AssayError("bad_csv", "has text behind a closing quote", {
          ...this.where(),
          fix: "double the quotes inside a quoted cell, or check --delimiter",
        });
      else this.#at = At.Plain;
    }
    this.#grow(text.length - counted);
    if (this.#at !== At.Quote) this.#pieces.push(text.slice(from));
  }

  *end(): Generator<CsvRow> {
    if (this.#at === At.Quoted)
      throw new AssayError("bad_csv", "opens a quote that is never closed", {
        file: this.#file,
        line: this.#quoteLine,
        fix: "get the whole file, or close the quote",
      });
    if (this.#cells.length === 0 && this.#at === At.Start) return;
    this.#endCell();
    yield* this.#endRow();
  }

  #endCell(): void {
    this.#cells.push(this.#pieces.join(""));
    this.#pieces = [];
    this.#at = At.Start;
  }

  *#endRow(): Generator<CsvRow> {
    const row = { cells: this.#cells, line: this.#rowLine };
    const blank = row.cells.length === 1 && row.cells[0] === "" && !this.#quoted;
    this.#cells = [];
    this.#rowSize = 0;
    this.#quoted = false;
    this.#rowLine = ++this.#line;
    if (!blank) yield row;
  }

  #grow(size: number): void {
    this.#rowSize += size;
    if (this.#rowSize > this.#most)
      throw tooLarge("a row", this.#most, { file: this.#file, line: this.#rowLine }, "check for a quote left open");
  }
}
