import { h } from "../dom.js";
import { VERDICTS } from "../verdict.js";
import type { Path } from "./engine.js";
import { button, choiceField, textField } from "./fields.js";
import type { Form } from "./fields.js";

const BASES = [
  ["controlled_fixture", "controlled fixture: the edit decides it"],
  ["source_evidence", "source evidence: the supplied text decides it"],
  ["independent_review", "independent review: a person decided it"],
] as const;

/** What a judge should say of a case about a check, by whom, on what basis and why. */
export function expectationPart(form: Form, at: Path, check: string): HTMLElement {
  const { store, places } = form;
  const path = [...at, "expectations"];
  const index = store.list(path).findIndex((_, i) => store.text([...path, i, "check"]) === check);
  const legend = h("legend", {}, "Expected of ", h("code", {}, check));
  if (index < 0)
    return h(
      "fieldset",
      { class: "design-expectation" },
      legend,
      places.slot(path),
      h("p", { class: "quiet" }, "Nothing is declared."),
      button("Declare what is expected", () =>
        store.reshape((yaml) => yaml.insert(path, store.list(path).length, freshExpectation(form, check, "PASS"))),
      ),
    );
  const own = [...path, index];
  return h(
    "fieldset",
    { class: "design-expectation" },
    legend,
    places.slot(path),
    places.slot(own),
    h(
      "div",
      { class: "controls" },
      choiceField(form, [...own, "expected"], "Verdict", VERDICTS),
      // Left out, it is the first.
      choiceField(
        form,
        [...own, "basis"],
        "Basis",
        store.text([...own, "basis"]) === "" ? [["", BASES[0][1]], ...BASES] : BASES,
      ),
    ),
    textField(form, [...own, "source"], "Source: the words or the edit that decide it"),
    textField(form, [...own, "reason"], "Reason", 2),
    textField(form, [...own, "author"], "Author"),
    button("Withdraw it", () => store.reshape((yaml) => yaml.set(own, undefined))),
  );
}

export function freshExpectation(
  { store }: Pick<Form, "store">,
  check: string,
  expected: string,
): Record<string, string> {
  return {
    check,
    expected,
    source: "The declared edit",
    author: store.text(["author"]) || "Your name",
    reason: "Which words make it so.",
  };
}
