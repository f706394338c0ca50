import { isCollection, isSeq, parseDocument, type Document } from "yaml";

export type YamlPath = readonly (string | number)[];

/**
 * YAML text that is edited value by value: comments, and the form of what is not edited, stay. Reads what
 * `parsePlacedYaml` reads; whether that is anything is for its reader to say.
 */
export class YamlText {
  readonly #document: Document;

  /** Throws nothing: of broken text `isBroken` is true, and nothing in it can be edited. */
  constructor(text: string) {
    this.#document = parseDocument(text, { stringKeys: true, strict: true, logLevel: "error" });
  }

  get isBroken(): boolean {
    const { errors, warnings } = this.#document;
    return errors.length + warnings.length > 0;
  }

  /** The value as it stands, of no schema. */
  value(): unknown {
    return this.#document.toJS({ maxAliasCount: 0 }) as unknown;
  }

  /** Put a value at a path, with the maps and lists that lead there; undefined removes what is there. */
  set(path: YamlPath, value: unknown): void {
    if (value === undefined) this.#document.deleteIn(path);
    else if (path.length === 0) this.#document.contents = this.#document.createNode(value);
    else if (isCollection(this.#document.getIn(path.slice(0, -1), true)))
      this.#document.setIn(path, plain(value) ? value : this.#document.createNode(value));
    else this.set(path.slice(0, -1), typeof path.at(-1) === "number" ? [value] : { [String(path.at(-1))]: value });
  }

  /** Put a value into a list before the item at `index`; the list is made where there is none. */
  insert(list: YamlPath, index: number, value: unknown): void {
    const items = this.#document.getIn(list, true);
    if (!isSeq(items)) this.set(list, [value]);
    else items.items.splice(index, 0, this.#document.createNode(value));
  }

  /** Put the item at `from` of a list where the item at `to` is. */
  move(list: YamlPath, from: number, to: number): void {
    const items = this.#document.getIn(list, true);
    if (isSeq(items)) items.items.splice(to, 0, ...items.items.splice(from, 1));
  }

  toString(): string {
    return this.#document.toString({ lineWidth: 100, flowCollectionPadding: false });
  }
}

/** A plain value put over another keeps the way that one is written. */
function plain(value: unknown): boolean {
  return typeof value !== "object" || value === null;
}
