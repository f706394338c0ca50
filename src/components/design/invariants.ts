import { h } from "../dom.js";
import type { Child } from "../dom.js";
import type { Path } from "./engine.js";
import { button, chooser, placesField, textField } from "./fields.js";
import type { Form, Place } from "./fields.js";

const FACTS = [
  ["identical_user_turns", "every caregiver turn is identical"],
  ["identical_assistant_turns", "every reply is identical"],
  ["identical_final_pair", "the last message and reply are identical"],
  ["prefix_of", "the first case is the beginning of the second"],
  ["only_differs_at", "they differ at these turns and nowhere else"],
  ["only_differs_by", "they differ by one renamed word and nothing else"],
] as const;

/** What planning will prove of a pair or refuse, each with what the engine says of it now. */
export function invariantsPart(
  form: Form,
  path: Path,
  differing: readonly Place[],
  turns: readonly Place[],
): { element: Child; refresh: (isRendered: boolean) => void } {
  const { store, places } = form;
  let next: string = FACTS[0][0];
  const rows = store.list(path).map((value, i) => {
    const state = h("span", { class: "design-proof" });
    const fields =
      typeof value !== "object" || value === null
        ? undefined
        : "only_differs_at" in value
          ? placesField(form, [...path, i, "only_differs_at"], "Turns that differ", turns)
          : [
              textField(form, [...path, i, "only_differs_by", "rename", "from"], "Every"),
              textField(form, [...path, i, "only_differs_by", "rename", "to"], "became"),
            ];
    const name = typeof value === "string" ? value : Object.keys(value ?? {}).join();
    const element = h(
      "li",
      { class: "design-invariant" },
      h("p", {}, h("code", {}, name), " ", state),
      fields,
      places.slot([...path, i]),
      store.list(path).length > 1 &&
        button(`Withdraw ${name}`, () => store.reshape((yaml) => yaml.set([...path, i], undefined))),
    );
    return { element, state };
  });
  const add = (): void =>
    store.reshape((yaml) =>
      yaml.insert(path, store.list(path).length, fresh(next, differing.length > 0 ? differing : turns)),
    );
  return {
    element: [
      places.slot(path),
      h("ul", { class: "problem-list" }, ...rows.map(({ element }) => element)),
      h(
        "div",
        { class: "controls" },
        h(
          "div",
          { class: "field" },
          chooser("Another invariant", FACTS, next, (fact) => (next = fact)),
        ),
        button("Declare it", add),
      ),
    ],
    refresh: (isRendered) => {
      const problems = store.examined?.problems ?? [];
      rows.forEach(({ state }, i) => {
        const own = [...path, i];
        const isRefused = problems.some((problem) => own.every((step, k) => step === problem.path[k]));
        const said = isRefused ? "does not hold" : isRendered ? "proved" : "not examined";
        state.textContent = said;
        state.className = `design-proof design-${said.replaceAll(" ", "-")}`;
      });
    },
  };
}

function fresh(fact: string, differing: readonly Place[]): unknown {
  if (fact === "only_differs_at") return { only_differs_at: differing.map(({ role, turn }) => ({ role, turn })) };
  if (fact === "only_differs_by") return { only_differs_by: { rename: { from: "Word", to: "Other" } } };
  return fact;
}
