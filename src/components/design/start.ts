import { h, uid } from "../dom.js";
import type { Draft } from "./engine.js";
import type { DraftStore } from "./store.js";

const NEW = "";

/** The study that `bench study new` makes, about the first check there is. */
export function newDraft({ engine, data }: Pick<DraftStore, "engine" | "data">): Draft {
  const preferred = data.checks.find(({ check }) => check.id === "scope.dose-advice") ?? data.checks[0];
  const words = { check: preferred?.check.id ?? "scope.dose-advice", author: "Your name" };
  const today = new Date().toISOString().slice(0, 10);
  return { study: engine.newStudyText("my-study", words, today), transcripts: {}, checks: {} };
}

/** Begin from a study of this workbench or from a new one; the draft before it can be brought back. */
export function startPart(store: DraftStore, before: Draft | undefined): HTMLElement {
  const id = uid("start");
  const select = h(
    "select",
    { id },
    h("option", { value: NEW }, "A new study"),
    store.data.studies.map((study) => h("option", { value: study.id }, `${study.id}: ${study.title}`)),
  );
  let kept = before;
  const back = h(
    "button",
    { type: "button", class: "plain", hidden: kept === undefined },
    "Bring back the draft before",
  );
  const begin = (draft: Draft): void => {
    kept = store.draft;
    store.start(draft);
    back.hidden = false;
  };
  back.addEventListener("click", () => {
    if (kept !== undefined) begin(kept);
  });
  const start = (): void => {
    begin(store.data.studies.find((study) => study.id === select.value)?.draft ?? newDraft(store));
  };
  return h(
    "div",
    { class: "controls" },
    h("div", { class: "field" }, h("label", { for: id }, "Start from"), select),
    h("button", { type: "button", class: "plain", on: { click: start } }, "Start"),
    back,
  );
}
