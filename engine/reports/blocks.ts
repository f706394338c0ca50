import { markdown, visible } from "./escape.ts";
import { markdownTable } from "./markdown-table.ts";
import { isCount, textTable } from "./text-table.ts";

type Cell = string | number;

/**
 * A part of a report before it is printed: cells and lines are raw text, which each printer makes inert in its own way.
 * Lines begin with the report's own words.
 */
export interface Block {
  title?: string;
  lines?: readonly string[];
  /** The first row is the header. */
  table?: readonly (readonly Cell[])[];
  /** Below the table: what it leaves out, or how to read it. */
  notes?: readonly string[];
}

export function blocksAsText(blocks: readonly Block[]): string {
  const parts = blocks.map(({ title, lines = [], table, notes = [] }) =>
    [
      ...(title === undefined ? [] : [visible(title)]),
      ...lines.map(visible),
      ...(table === undefined ? [] : [textTable(table)]),
      ...notes.map(visible),
    ].join("\n"),
  );
  return `${parts.join("\n\n")}\n`;
}

export function blocksAsMarkdown(heading: string, blocks: readonly Block[]): string {
  const parts = blocks.flatMap(({ title, lines = [], table, notes = [] }) => [
    ...(title === undefined ? [] : [`## ${markdown(title)}`]),
    ...list(lines),
    ...(table === undefined ? [] : [asMarkdownTable(table)]),
    ...list(notes),
  ]);
  return `${[`# ${markdown(heading)}`, ...parts].join("\n\n")}\n`;
}

function list(lines: readonly string[]): string[] {
  if (lines.length <= 1) return lines.map(markdown);
  return [lines.map((line) => `- ${markdown(line)}`).join("\n")];
}

function asMarkdownTable([header = [], ...rows]: readonly (readonly Cell[])[]): string {
  const right = header.flatMap((_, column) => {
    const cells = rows.map((row) => String(row[column] ?? ""));
    return cells.every(isCount) && cells.some((cell) => cell !== "") ? [column] : [];
  });
  const cells = (row: readonly Cell[]): string[] => header.map((_, column) => markdown(String(row[column] ?? "")));
  return markdownTable(cells(header), rows.map(cells), right);
}
