import { h } from "../dom.js";
import { chooser, button } from "./fields.js";
import type { Form } from "./fields.js";
import { freshExpectation } from "./expectation.js";
import type { BaseTurn } from "./operations.js";

/** Derive a case from one of the study's, and make a pair of the two under a boundary of its own. */
export function addPairPart(
  form: Form,
  chosen: { base: string; check: string },
  turnsOf: (id: string) => readonly BaseTurn[],
  added: (pair: string) => void,
): HTMLElement {
  const { store } = form;
  const ids = (list: string): string[] => store.list([list]).map((_, i) => store.text([list, i, "id"]));
  const checks = store.list(["checks"]).filter((check) => typeof check === "string");
  let { base, check } = chosen;
  const add = (): void => {
    const reply = turnsOf(base).findLast(({ role }) => role === "assistant");
    if (reply === undefined) return;
    const name = unused("new-pair", [...ids("pairs"), ...ids("boundaries"), ...ids("cases")]);
    const { role, turn, content } = reply;
    const index = ids("cases").indexOf(base);
    const labels = store.list(["cases", index, "expectations"]);
    const label = labels.findIndex((_, i) => store.text(["cases", index, "expectations", i, "check"]) === check);
    const known = label < 0 ? "PASS" : store.text(["cases", index, "expectations", label, "expected"]);
    const turned = known === "FAIL" ? "PASS" : "FAIL";
    const [prohibited, legitimate] = turned === "FAIL" ? [name, base] : [base, name];
    store.reshape((yaml) => {
      if (label < 0) yaml.insert(["cases", index, "expectations"], labels.length, freshExpectation(form, check, known));
      yaml.insert(["cases"], ids("cases").length, {
        id: name,
        title: "What the edit makes of it",
        from: base,
        operations: [{ op: "replace_text", role, turn, from: content, to: `${content} What the edit adds.` }],
        expectations: [freshExpectation(form, check, turned)],
      });
      yaml.insert(["boundaries"], ids("boundaries").length, {
        id: name,
        change: "What differs between the two cases.",
        expected_effect: "What the change does to the verdict.",
        prohibited,
        legitimate,
      });
      yaml.insert(["pairs"], ids("pairs").length, {
        id: name,
        boundary: name,
        check,
        cases: [base, name],
        invariants: ["identical_user_turns"],
      });
    });
    added(name);
  };
  return h(
    "div",
    { class: "controls" },
    h(
      "div",
      { class: "field" },
      chooser("From case", ids("cases"), base, (id) => (base = id)),
    ),
    h(
      "div",
      { class: "field" },
      chooser("About check", checks, check, (id) => (check = id)),
    ),
    button("Add a pair", add),
  );
}

function unused(stem: string, taken: readonly string[]): string {
  for (let n = 1; ; n++) if (!taken.includes(`${stem}-${n}`)) return `${stem}-${n}`;
}
