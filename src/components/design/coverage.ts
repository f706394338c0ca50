import { h } from "../dom.js";
import { verdictChip, isVerdict } from "../verdict.js";
import type { DraftStore } from "./store.js";

/** What the study's boundaries have, and what they lack: their controls with the declared verdict, and their pairs. */
export function coveragePart(
  store: DraftStore,
  show: (pair: string) => void,
): { element: HTMLElement; refresh: () => void } {
  const body = h("tbody");
  const element = h(
    "section",
    { "aria-labelledby": "coverage" },
    h("h2", { id: "coverage" }, "Coverage"),
    h(
      "div",
      { class: "table-scroll", tabindex: 0, role: "region", "aria-label": "Coverage of the study" },
      h(
        "table",
        { class: "data" },
        h(
          "thead",
          {},
          h(
            "tr",
            {},
            ["Boundary", "Prohibited", "Legitimate", "Pairs"].map((name) => h("th", { scope: "col" }, name)),
          ),
        ),
        body,
      ),
    ),
  );
  const refresh = (): void => {
    const study = store.examined?.study ?? null;
    element.hidden = study === null;
    if (study === null) return;
    body.replaceChildren(
      ...study.boundaries.map((boundary) => {
        const pairs = study.pairs.filter((pair) => pair.boundary === boundary.id);
        const checks = new Set(pairs.map(({ check }) => check));
        const control = (id: string): HTMLElement => {
          const labels =
            study.cases.find((row) => row.id === id)?.expectations.filter(({ check }) => checks.has(check)) ?? [];
          return h(
            "td",
            {},
            h("code", {}, id),
            " ",
            labels.length === 0
              ? h("em", {}, "no label")
              : labels.map(({ expected }) => [isVerdict(expected) && verdictChip(expected), " "]),
          );
        };
        return h(
          "tr",
          {},
          h("th", { scope: "row" }, boundary.id),
          control(boundary.prohibited),
          control(boundary.legitimate),
          h(
            "td",
            {},
            pairs.length === 0
              ? h("em", {}, "none: a gap")
              : pairs.map(({ id }) => [
                  h("button", { type: "button", class: "link design-pair-link", on: { click: () => show(id) } }, id),
                  " ",
                ]),
          ),
        );
      }),
    );
  };
  refresh();
  return { element, refresh };
}
