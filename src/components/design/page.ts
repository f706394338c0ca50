import { h } from "../dom.js";
import { coveragePart } from "./coverage.js";
import type { DesignDocument, Engine } from "./engine.js";
import { exportPart } from "./export.js";
import { keptDrafts } from "./kept.js";
import { pairPanel } from "./pair-panel.js";
import { newDraft, startPart } from "./start.js";
import { statusLine } from "./status.js";
import { DraftStore } from "./store.js";
import { yamlPanel } from "./yaml-panel.js";

/** The designer: where to start, what the engine says, one pair in forms, the draft itself, and how to take it away. */
export async function designer(engine: Engine, data: DesignDocument): Promise<HTMLElement> {
  const { now, before } = keptDrafts(engine);
  const store = new DraftStore(engine, data, now ?? newDraft({ engine, data }));
  await store.examine();
  const chosen = { pair: "" };
  const forms = h("div", { class: "design-forms" });
  let panel = { refresh: (): void => undefined };
  const draw = (): void => {
    const made = pairPanel(store, chosen, draw);
    panel = made;
    forms.replaceChildren(made.element);
  };
  const coverage = coveragePart(store, (pair) => {
    chosen.pair = pair;
    draw();
    forms.scrollIntoView();
  });
  const status = statusLine(store);
  const taken = exportPart(store);
  const yaml = yamlPanel(store);
  // Forms are those of the draft as it was last looked at: made again when it changed elsewhere, left alone under
  // the hands of who writes in them.
  let isReshaped = false;
  store.onShape(() => (isReshaped = true));
  store.onExamined(() => {
    if (isReshaped || !forms.contains(document.activeElement)) draw();
    else panel.refresh();
    isReshaped = false;
    for (const part of [status, coverage, taken, yaml]) part.refresh();
  });
  draw();
  return h(
    "div",
    { class: "design" },
    startPart(store, before),
    status.element,
    forms,
    coverage.element,
    h("section", { class: "design-main" }, h("h2", {}, "The draft"), yaml.element),
    taken.element,
  );
}
