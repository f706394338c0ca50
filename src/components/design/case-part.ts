import { h } from "../dom.js";
import type { Path } from "./engine.js";
import { expectationPart } from "./expectation.js";
import { textField } from "./fields.js";
import type { Form } from "./fields.js";
import { operationsPart, turnFields } from "./operations.js";
import type { BaseTurn } from "./operations.js";

/** One case of a pair: its words or its edits, and what a judge should say of it. `turnsOf` gives a case's turns. */
export function casePart(
  form: Form,
  id: string,
  check: string,
  side: "before" | "after",
  turnsOf: (id: string) => readonly BaseTurn[],
): HTMLElement {
  const { store, places } = form;
  const index = caseIndex(form, id);
  const heading = h("h3", {}, side === "before" ? "Before the change: " : "After the change: ", h("code", {}, id));
  if (index < 0)
    return h("section", { class: "design-case" }, heading, h("p", {}, "The study has no case of this name."));
  const at: Path = ["cases", index];
  const from = store.text([...at, "from"]);
  const file = store.text([...at, "file"]);
  const words =
    from !== ""
      ? [
          h("p", { class: "quiet" }, "Derived from ", h("code", {}, from), " by these edits:"),
          operationsPart(form, at, turnsOf(from)),
        ]
      : file !== ""
        ? h("p", { class: "quiet" }, "Its turns lie in ", h("code", {}, file), ".")
        : turnFields(form, [...at, "turns"]);
  return h(
    "section",
    { class: "design-case", "aria-label": `Case ${id}` },
    heading,
    places.slot(at),
    textField(form, [...at, "title"], "Title"),
    words,
    expectationPart(form, at, check),
  );
}

export function caseIndex({ store }: Form, id: string): number {
  return store.list(["cases"]).findIndex((_, i) => store.text(["cases", i, "id"]) === id);
}
