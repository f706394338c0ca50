/** Two raters' counts: `matrix[i][j]` items that the first put into category i and the second into j. */
export type Matrix = readonly (readonly number[])[];

export interface Proportions {
  n: number;
  q: number;
  /** Share of the items in each cell, row totals, column totals. */
  cell: (i: number, j: number) => number;
  rows: number[];
  columns: number[];
}

/** A square matrix of counts as proportions of their total. A matrix that is none is a programming error: RangeError. */
export function proportions(matrix: Matrix): Proportions {
  const q = matrix.length;
  for (const row of matrix) {
    if (row.length !== q) throw new RangeError(`a row has ${row.length} cells; the matrix has ${q} rows`);
    for (const count of row)
      if (!Number.isInteger(count) || count < 0) throw new RangeError(`${count} is not a count of items`);
  }
  const n = matrix.reduce((sum, row) => sum + row.reduce((a, b) => a + b, 0), 0);
  const cell = (i: number, j: number) => (matrix[i]?.[j] ?? 0) / n;
  const all = Array.from({ length: q }, (_, i) => i);
  return {
    n,
    q,
    cell,
    rows: all.map((i) => all.reduce((sum, j) => sum + cell(i, j), 0)),
    columns: all.map((j) => all.reduce((sum, i) => sum + cell(i, j), 0)),
  };
}

/** Sum of `term` over all cells. */
export function overCells(q: number, term: (i: number, j: number) => number): number {
  let sum = 0;
  for (let i = 0; i < q; i++) for (let j = 0; j < q; j++) sum += term(i, j);
  return sum;
}
