/** A Markdown table; cells are already escaped. Columns named in `right` are aligned to the right. */
export function markdownTable(
  header: readonly string[],
  rows: readonly (readonly (string | number)[])[],
  right: readonly number[] = header.map((_, index) => index).slice(1),
): string {
  const line = (cells: readonly (string | number)[]): string => `| ${cells.join(" | ")} |`;
  const rule = header.map((_, index) => (right.includes(index) ? "---:" : "---"));
  return [line(header), line(rule), ...rows.map(line)].join("\n");
}
