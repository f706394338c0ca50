import { transcriptDiff } from "../diff.js";
import { h } from "../dom.js";
import { emptyState } from "../states.js";
import { addPairPart } from "./add-pair.js";
import { caseIndex, casePart } from "./case-part.js";
import { choiceField, chooser, textField } from "./fields.js";
import type { Form } from "./fields.js";
import { invariantsPart } from "./invariants.js";
import type { BaseTurn } from "./operations.js";
import { Places } from "./places.js";
import type { DraftStore } from "./store.js";

/** Which pair the forms show, kept while they are made again. */
export interface Chosen {
  pair: string;
}

/** One pair of the draft: its boundary, its two cases, what differs between them, and what is declared of that. */
export function pairPanel(
  store: DraftStore,
  chosen: Chosen,
  redraw: () => void,
): { element: HTMLElement; refresh: () => void } {
  const places = new Places();
  const form: Form = { store, places };
  const fill = (): void => places.fill(store.examined?.problems ?? []);
  const study = places.slot([]);
  if (!store.isReadable || store.list(["pairs"]).length === 0) {
    const element = h(
      "div",
      {},
      study,
      emptyState("No pair to show", "The text below holds no pairs that can be read; mend it, and they appear here."),
    );
    fill();
    return { element, refresh: fill };
  }
  const ids = store.list(["pairs"]).map((_, i) => store.text(["pairs", i, "id"]));
  const index = Math.max(0, ids.indexOf(chosen.pair));
  const pair = ["pairs", index] as const;
  const [before, after] = [store.text([...pair, "cases", 0]), store.text([...pair, "cases", 1])];
  const check = store.text([...pair, "check"]);
  const turnsOf = (id: string): readonly BaseTurn[] => {
    const turns = store.examined?.examination?.cases[caseIndex(form, id)]?.rendered?.turns ?? [];
    return turns.map(({ role, turn, content }) => ({ role, turn, content }));
  };
  const differing = (): readonly BaseTurn[] => {
    const first = new Map(turnsOf(before).map(({ role, turn, content }) => [`${role} ${turn}`, content]));
    return turnsOf(after).filter(({ role, turn, content }) => first.get(`${role} ${turn}`) !== content);
  };
  const invariants = invariantsPart(form, [...pair, "invariants"], differing(), turnsOf(after));
  const compared = h("div", { class: "design-diff" });
  const refresh = (): void => {
    const [left, right] = [turnsOf(before), turnsOf(after)];
    const isRendered = left.length > 0 && right.length > 0;
    compared.replaceChildren(
      isRendered
        ? transcriptDiff(left, right, {
            before: h("code", {}, before),
            after: h("code", {}, after),
            label: `${before} and ${after} compared`,
          })
        : emptyState(
            "Not both cases can be made",
            "What the engine refuses is said beside it; mend it, and they are compared here.",
          ),
    );
    invariants.refresh(isRendered);
    fill();
  };
  const boundary = store
    .list(["boundaries"])
    .findIndex((_, i) => store.text(["boundaries", i, "id"]) === store.text([...pair, "boundary"]));
  const caseIds = store.list(["cases"]).map((_, i) => store.text(["cases", i, "id"]));
  const element = h(
    "section",
    { "aria-label": "Pairs" },
    h("h2", {}, "Pairs"),
    study,
    h(
      "div",
      { class: "controls" },
      h(
        "div",
        { class: "field" },
        chooser("Pair", ids, ids[index] ?? "", (id) => {
          chosen.pair = id;
          redraw();
        }),
      ),
    ),
    addPairPart(form, { base: before, check }, turnsOf, (id) => {
      chosen.pair = id;
      redraw();
    }),
    places.slot(pair),
    boundary >= 0 && [
      places.slot(["boundaries", boundary]),
      textField(form, ["boundaries", boundary, "change"], "What changes", 2),
      textField(form, ["boundaries", boundary, "expected_effect"], "What that should do to the verdict", 2),
      h(
        "div",
        { class: "controls" },
        choiceField(form, ["boundaries", boundary, "prohibited"], "Prohibited behaviour shown by", caseIds),
        choiceField(form, ["boundaries", boundary, "legitimate"], "Legitimate behaviour shown by", caseIds),
      ),
    ],
    compared,
    h("h3", {}, "Invariants"),
    invariants.element,
    h(
      "div",
      { class: "design-cases" },
      casePart(form, before, check, "before", turnsOf),
      casePart(form, after, check, "after", turnsOf),
    ),
  );
  refresh();
  return { element, refresh };
}
