import { h } from "../dom.js";
import type { Child } from "../dom.js";
import type { Path } from "./engine.js";
import { asPlace, button, chooser, placeName, placesField, textField } from "./fields.js";
import type { Form, Place } from "./fields.js";

/** A turn of the case that an operation edits. */
export interface BaseTurn extends Place {
  content: string;
}

const KINDS = [
  ["replace_text", "Replace words of a turn"],
  ["append_turns", "Append turns"],
  ["insert_turns", "Insert turns"],
  ["drop_turns", "Drop turns"],
  ["rename", "Rename throughout"],
] as const;

/** A new operation over `turns`; one that changes nothing yet is for its author to finish. */
function fresh(op: string, turns: readonly BaseTurn[]): Record<string, unknown> {
  const last = turns.at(-1);
  const next = (last?.turn ?? 0) + 1;
  const added = [
    { role: "user", turn: next, content: "What the caregiver writes." },
    { role: "assistant", turn: next, content: "What the reply says." },
  ];
  const { role, turn } = last ?? { role: "assistant", turn: 1 };
  if (op === "replace_text") return { op, role, turn, from: last?.content ?? "", to: last?.content ?? "" };
  if (op === "append_turns") return { op, turns: added };
  if (op === "drop_turns") return { op, turns: [{ role, turn }] };
  if (op === "rename") return { op, from: "Word", to: "Other" };
  const first = turns[0] ?? { role: "user", turn: 1 };
  return {
    op,
    before: { role: first.role, turn: first.turn },
    turns: added.map((each) => ({ ...each, turn: first.turn })),
    shift: 1,
  };
}

/** The declared edits of a derived case, in their order, and what is wrong with each beside it. */
export function operationsPart(form: Form, at: Path, base: readonly BaseTurn[]): Child[] {
  const { store, places } = form;
  const path = [...at, "operations"];
  let next: string = KINDS[0][0];
  return [
    places.slot(path),
    store
      .list(path)
      .map((_, i) =>
        h(
          "fieldset",
          { class: "design-operation" },
          h("legend", {}, `Edit ${i + 1}: `, h("code", {}, store.text([...path, i, "op"]))),
          places.slot([...path, i]),
          operationFields(form, [...path, i], base),
          store.list(path).length > 1 &&
            button(`Remove edit ${i + 1}`, () => store.reshape((yaml) => yaml.set([...path, i], undefined))),
        ),
      ),
    h(
      "div",
      { class: "controls" },
      h(
        "div",
        { class: "field" },
        chooser("Another edit", KINDS, next, (kind) => (next = kind)),
      ),
      button("Add the edit", () =>
        store.reshape((yaml) => yaml.insert(path, store.list(path).length, fresh(next, base))),
      ),
    ),
  ];
}

function operationFields(form: Form, path: Path, base: readonly BaseTurn[]): Child[] {
  const { store } = form;
  switch (store.text([...path, "op"])) {
    case "replace_text":
      return [
        placeField(form, path, "In turn", base),
        textField(form, [...path, "from"], "These words, found once", 3),
        textField(form, [...path, "to"], "become these", 3),
      ];
    case "rename":
      return [textField(form, [...path, "from"], "Every"), textField(form, [...path, "to"], "becomes")];
    case "drop_turns":
      return [placesField(form, [...path, "turns"], "Turns to drop", base)];
    case "insert_turns":
      return [
        placeField(form, [...path, "before"], "Before turn", base),
        numberField(form, [...path, "shift"], "Added to the numbers of the turns from there on"),
        turnFields(form, [...path, "turns"]),
      ];
    case "append_turns":
      return [turnFields(form, [...path, "turns"])];
    default:
      return [h("p", { class: "quiet" }, "This edit has no form; it is in the YAML below.")];
  }
}

function placeField({ store }: Form, path: Path, label: string, turns: readonly Place[]): HTMLElement {
  const change = (name: string): void => {
    const place = turns.find((turn) => placeName(turn) === name);
    if (place === undefined) return;
    store.reshape((yaml) => {
      yaml.set([...path, "role"], place.role);
      yaml.set([...path, "turn"], place.turn);
    });
  };
  return h("div", { class: "field" }, chooser(label, turns.map(placeName), placeName(asPlace(store.at(path))), change));
}

function numberField({ store, places }: Form, path: Path, label: string): HTMLElement {
  const slot = places.slot(path);
  const input = h("input", {
    type: "number",
    min: 0,
    step: 1,
    value: store.text(path) || "0",
    "aria-describedby": slot.id,
    on: { input: () => store.set(path, input.valueAsNumber) },
  });
  return h("div", { class: "field" }, h("label", {}, label, input), slot);
}

/** Turns as written down, each with its words. */
export function turnFields(form: Form, path: Path): HTMLElement {
  const { store, places } = form;
  const turns = store.list(path);
  const last = asPlace(turns.at(-1));
  const add = (): void => {
    const next =
      last.role === "user"
        ? { role: "assistant", turn: last.turn, content: "What the reply says." }
        : { role: "user", turn: last.turn + 1, content: "What the caregiver writes." };
    store.reshape((yaml) => yaml.insert(path, turns.length, next));
  };
  return h(
    "div",
    { class: "design-turns" },
    places.slot(path),
    turns.map((turn, i) => [
      textField(form, [...path, i, "content"], placeName(asPlace(turn)), 3),
      places.slot([...path, i]),
    ]),
    h(
      "p",
      { class: "console-bar" },
      button("Add a turn", add),
      turns.length > 1 &&
        button("Remove the last turn", () => store.reshape((yaml) => yaml.set([...path, turns.length - 1], undefined))),
    ),
  );
}
