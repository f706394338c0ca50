import { h } from "../dom.js";
import type { DesignDocument, Engine } from "./engine.js";
import { exportPart } from "./export.js";
import { keptDrafts } from "./kept.js";
import { newDraft, startPart } from "./start.js";
import { statusLine } from "./status.js";
import { DraftStore } from "./store.js";
import { yamlPanel } from "./yaml-panel.js";

/** The designer: where to start, what the engine says, the draft itself, and how to take it away. */
export async function designer(engine: Engine, data: DesignDocument): Promise<HTMLElement> {
  const { now, before } = keptDrafts(engine);
  const store = new DraftStore(engine, data, now ?? newDraft({ engine, data }));
  await store.examine();
  const status = statusLine(store);
  const taken = exportPart(store);
  let panel = yamlPanel(store);
  const main = h("div", { class: "design-main" }, panel.element);
  store.onShape(() => {
    panel = yamlPanel(store);
    main.replaceChildren(panel.element);
  });
  store.onExamined(() => {
    for (const part of [status, taken, panel]) part.refresh();
  });
  return h("div", { class: "design" }, startPart(store, before), status.element, main, taken.element);
}
