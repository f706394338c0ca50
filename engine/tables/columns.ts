/** DuckDB types the tables use. All integers are 32 bit, so that a page never meets a BigInt. */
export type ColumnType =
  | "VARCHAR"
  | "INTEGER"
  | "DOUBLE"
  | "BOOLEAN"
  | "VARCHAR[]"
  | "STRUCT(option VARCHAR, description VARCHAR)[]"
  | "STRUCT(boundary_id VARCHAR, change VARCHAR, expected_effect VARCHAR, prohibited VARCHAR, legitimate VARCHAR)[]";

/** One documented column; `Value` is what a row holds in it. */
export interface Column<Value = unknown> {
  type: ColumnType;
  nullable: boolean;
  unit?: string;
  description: string;
  /** Carries `Value` for the compiler; never set. */
  readonly value?: Value;
}

export interface Table {
  description: string;
  /** `scan`: rows of one scan, kept in its partition. `content`: facts keyed by digest, the same whoever reads them, written once. */
  scope: "scan" | "content";
  /** Unique together. Also the first part of the order in the file. */
  key: readonly string[];
  /** The order of rows in a file, where it is not the key. */
  sort?: readonly string[];
  columns: Readonly<Record<string, Column>>;
}

export type RowOf<T extends { columns: Readonly<Record<string, Column>> }> = {
  [Name in keyof T["columns"]]: T["columns"][Name] extends Column<infer Value> ? Value : never;
};

const make =
  <Value>(type: ColumnType) =>
  (description: string, unit?: string): Column<Value> => ({
    type,
    nullable: false,
    description,
    ...(unit === undefined ? {} : { unit }),
  });

export const text = make<string>("VARCHAR");
export const integer = make<number>("INTEGER");
export const real = make<number>("DOUBLE");
export const flag = make<boolean>("BOOLEAN");
export const texts = make<readonly string[]>("VARCHAR[]");
export const options = make<readonly { option: string; description: string }[]>(
  "STRUCT(option VARCHAR, description VARCHAR)[]",
);
export const boundaries = make<
  readonly { boundary_id: string; change: string; expected_effect: string; prohibited: string; legitimate: string }[]
>("STRUCT(boundary_id VARCHAR, change VARCHAR, expected_effect VARCHAR, prohibited VARCHAR, legitimate VARCHAR)[]");

export function nullable<Value>(column: Column<Value>): Column<Value | null> {
  const { type, description, unit } = column;
  return { type, nullable: true, description, ...(unit === undefined ? {} : { unit }) };
}

export function table<const T extends Table>(definition: T): T {
  const names = Object.keys(definition.columns);
  for (const name of [...definition.key, ...(definition.sort ?? [])])
    if (!names.includes(name)) throw new Error(`a table sorts by ${name}, which it does not have`);
  return definition;
}
