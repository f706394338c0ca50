import { AssayError } from "./errors.ts";

export interface CsvRecord {
  cells: string[];
  /** 1-based line of its first character; a quoted cell may span lines. */
  line: number;
}

/** Comma-separated values (RFC 4180), records ended by a newline with or without a return. Throws `bad_csv`. */
export function parseCsv(text: string, file: string): CsvRecord[] {
  const records: CsvRecord[] = [];
  let at = 0;
  let line = 1;
  while (at < text.length) {
    const record: CsvRecord = { cells: [], line };
    for (;;) {
      let cell = "";
      if (text[at] === '"') {
        const opened = line;
        for (at += 1; ; at++) {
          const char = text[at];
          if (char === undefined)
            throw new AssayError("bad_csv", "a quoted cell is never closed", {
              file,
              line: opened,
              fix: 'end it with "',
            });
          if (char === '"' && text[at + 1] !== '"') break;
          if (char === '"') at += 1;
          if (char === "\n") line += 1;
          cell += char;
        }
        at += 1;
        if (at < text.length && !/[,\r\n]/.test(text[at]!))
          throw new AssayError("bad_csv", "text follows a quoted cell", {
            file,
            line,
            fix: 'double each " within a cell',
          });
      } else {
        const end = /[,\r\n]/g;
        end.lastIndex = at;
        const stop = end.exec(text)?.index ?? text.length;
        cell = text.slice(at, stop);
        at = stop;
      }
      record.cells.push(cell);
      if (text[at] !== ",") break;
      at += 1;
    }
    if (text[at] === "\r") at += 1;
    if (text[at] === "\n") at += 1;
    line += 1;
    records.push(record);
  }
  return records;
}
