import { visible } from "./escape.ts";

/** Rows as aligned columns; numbers and `n/N` to the right. The first row is the header. */
export function textTable(rows: readonly (readonly (string | number)[])[]): string {
  const cells = rows.map((row) => row.map((cell) => visible(String(cell))));
  const widths = cells[0]!.map((_, column) => Math.max(...cells.map((row) => length(row[column] ?? ""))));
  const right = widths.map((_, column) => cells.slice(1).every((row) => isCount(row[column] ?? "")));
  return cells
    .map((row) =>
      row
        .map((cell, column) => {
          const pad = " ".repeat(widths[column]! - length(cell));
          return right[column] ? pad + cell : cell + pad;
        })
        .join("  ")
        .trimEnd(),
    )
    .join("\n");
}

/** A number, `n/N`, or nothing: what is aligned to the right. */
export function isCount(cell: string): boolean {
  return /^(?:-|- \(0\/0\)|<?[\d.]+(?:\/\d+)?)?$/.test(cell);
}

function length(text: string): number {
  return [...text].length;
}
