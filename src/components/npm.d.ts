// Framework resolves these specifiers itself; only what the components use is declared.
declare module "npm:@observablehq/duckdb" {
  interface ArrowTable {
    toArray(): { toJSON(): Record<string, unknown> }[];
    schema: { fields: { name: string; type: unknown }[] };
    numRows: number;
  }
  interface Client {
    query(text: string, parameters?: unknown[]): Promise<ArrowTable>;
    queryStream(text: string): Promise<{
      schema: { fields: { name: string; type: unknown }[] };
      readRows(): AsyncGenerator<{ toJSON(): Record<string, unknown> }[]>;
    }>;
  }
  export function getDefaultClient(): Promise<Client>;
  export function registerTable(name: string, source: unknown): void;
}
declare module "npm:@observablehq/plot" {
  export * from "@observablehq/plot";
}
declare module "npm:diff" {
  export * from "diff";
}
