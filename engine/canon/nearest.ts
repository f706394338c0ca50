/** The known word that is fewest edits away; undefined where nothing is near enough to be what was meant. */
export function nearest(word: string, known: readonly string[]): string | undefined {
  let best: string | undefined;
  let distance = Infinity;
  // A pasted paragraph is no misspelling, and comparing it would cost its length times every known word's.
  if (word.length > 80) return undefined;
  for (const candidate of known) {
    const edits = editDistance(word, candidate);
    if (edits < distance) [best, distance] = [candidate, edits];
  }
  return best !== undefined && distance <= Math.max(2, Math.ceil(Math.max(word.length, best.length) / 2))
    ? best
    : undefined;
}

function editDistance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, j) => j);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      const change = row[j - 1]! + (a[i - 1] === b[j - 1] ? 0 : 1);
      next.push(Math.min(change, row[j]! + 1, next[j - 1]! + 1));
    }
    row = next;
  }
  return row[b.length]!;
}
