import { h, uid } from "../dom.js";
import type { Child } from "../dom.js";
import type { Path } from "./engine.js";
import type { Places } from "./places.js";
import type { DraftStore } from "./store.js";

/** What a part of the form works with: the draft, and where its problems go. */
export interface Form {
  store: DraftStore;
  places: Places;
}

/** A text of the draft; `rows` above 1 for one of several lines. */
export function textField({ store, places }: Form, path: Path, label: string, rows = 1): HTMLElement {
  const id = uid("field");
  const slot = places.slot(path);
  const input = h(rows === 1 ? "input" : "textarea", {
    id,
    "aria-describedby": slot.id,
    on: { input: () => store.set(path, input.value) },
    ...(rows === 1 ? { type: "text" } : { rows, dir: "auto" }),
  });
  input.value = store.text(path);
  return h(
    "div",
    { class: `field field-${rows === 1 ? "line" : "text"}` },
    h("label", { for: id }, label),
    input,
    slot,
  );
}

/** One of `options`; a value that is none of them stays, and is shown as it is. */
export function choiceField(
  { store, places }: Form,
  path: Path,
  label: string,
  options: readonly (string | readonly [value: string, shown: string])[],
): HTMLElement {
  const slot = places.slot(path);
  const change = (value: string): void => store.reshape((yaml) => yaml.set(path, value));
  return h("div", { class: "field" }, chooser(label, options, store.text(path), change, slot.id), slot);
}

/** A labelled select that is not a value of the draft. */
export function chooser(
  label: string,
  options: readonly (string | readonly [value: string, shown: string])[],
  chosen: string,
  onChange: (value: string) => void,
  describedBy?: string,
): Child[] {
  const id = uid("field");
  const pairs = options.map((option) => (typeof option === "string" ? ([option, option] as const) : option));
  const known = pairs.some(([value]) => value === chosen) ? pairs : [[chosen, chosen] as const, ...pairs];
  const select = h(
    "select",
    { id, "aria-describedby": describedBy, on: { change: () => onChange(select.value) } },
    known.map(([value, shown]) => h("option", { value, selected: value === chosen }, shown)),
  );
  return [h("label", { for: id }, label), select];
}

export function button(
  label: string,
  click: () => void,
  attributes: { disabled?: boolean; title?: string } = {},
): HTMLElement {
  return h("button", { type: "button", class: "plain", ...attributes, on: { click } }, label);
}

/** Turn places such as `assistant 2`, as a list of {role, turn} in the draft. */
export function placesField({ store, places }: Form, path: Path, label: string, turns: readonly Place[]): HTMLElement {
  const slot = places.slot(path);
  const chosen = new Set(store.list(path).map((place) => placeName(asPlace(place))));
  const all = [...turns, ...store.list(path).map(asPlace)];
  const known = [...new Map(all.map((place) => [placeName(place), place])).values()];
  return h(
    "fieldset",
    { class: "field-places", "aria-describedby": slot.id },
    h("legend", {}, label),
    known.map((place) => {
      const name = placeName(place);
      const box = h("input", {
        type: "checkbox",
        checked: chosen.has(name),
        on: {
          change: () => {
            if (box.checked) chosen.add(name);
            else chosen.delete(name);
            store.set(
              path,
              known.filter((each) => chosen.has(placeName(each))).map(({ role, turn }) => ({ role, turn })),
            );
          },
        },
      });
      return h("label", {}, box, ` ${name}`);
    }),
    slot,
  );
}

export interface Place {
  role: string;
  turn: number;
}

export const placeName = ({ role, turn }: Place): string => `${role} ${turn}`;

/** A {role, turn} of a draft that may hold anything. */
export function asPlace(value: unknown): Place {
  const { role, turn } =
    typeof value === "object" && value !== null ? (value as Partial<Record<keyof Place, unknown>>) : {};
  return { role: typeof role === "string" ? role : "", turn: typeof turn === "number" ? turn : 0 };
}
