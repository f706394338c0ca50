import { h } from "./dom.js";
import type { Child } from "./dom.js";

/** Names and values, for a preregistration or a provenance. Entries without a value are left out. */
export function facts(entries: readonly (readonly [name: string, value: Child] | null)[]): HTMLElement {
  return h(
    "dl",
    { class: "facts" },
    entries
      .filter((entry) => entry !== null)
      .flatMap(([name, value]) =>
        value === null || value === undefined || value === false ? [] : [h("dt", {}, name), h("dd", {}, value)],
      ),
  );
}

export function list(items: readonly Child[]): HTMLElement {
  return h(
    "ul",
    {},
    items.map((item) => h("li", {}, item)),
  );
}
