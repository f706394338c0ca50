import { schemaDocument } from "../../engine/tables/publish.ts";
import { escaped } from "./navigation.ts";

/** The reference of tables and views, from the one schema that loaders, pages, exports and the SQL console share. */
export function tablesPage(): string {
  const { version, tables, views } = schemaDocument();
  return [
    "# Tables and views",
    `Made from the table schema itself (\`${version}\`) when this site is built: the Parquet files below \`data/\`, the tables of \`bench tables\`, of \`bench sql\` and of the SQL page are these.`,
    ...tables.map(({ name, description, scope, key, columns }) =>
      [
        `## ${name}`,
        `${escaped(description)}. ${SCOPES[scope]} Key: ${key.map((column) => `\`${column}\``).join(", ")}.`,
        [
          "| column | type | meaning |",
          "| --- | --- | --- |",
          ...columns.map(
            (column) =>
              `| \`${column.name}\` | ${escaped(typeOf(column))} | ${escaped(column.description)}${"unit" in column ? ` (${escaped(String(column.unit))})` : ""} |`,
          ),
        ].join("\n"),
      ].join("\n\n"),
    ),
    "# Views",
    ...views.map(({ name, description, reads, sql }) =>
      [
        `## ${name}`,
        `${escaped(description)} Reads ${reads.map((table) => `\`${table}\``).join(", ")}.`,
        `\`\`\`sql\n${sql}\n\`\`\``,
      ].join("\n\n"),
    ),
  ].join("\n\n");
}

const SCOPES: Record<string, string> = {
  content: "One row a fact, however many scans froze it.",
  scan: "One set of rows a scan.",
};

function typeOf({ type, nullable }: { type: string; nullable: boolean }): string {
  return nullable ? `${type}, may be null` : type;
}
