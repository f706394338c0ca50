import { digestChip } from "../digest.js";
import { h } from "../dom.js";
import type { Child } from "../dom.js";
import type { DraftStore } from "./store.js";

/** One line of what the engine says of the whole draft: findings, proofs, labels, power, and the run it would be. */
export function statusLine(store: DraftStore): { element: HTMLElement; refresh: () => void } {
  const element = h("div", { class: "design-status", role: "status", "aria-label": "What the engine says" });
  const refresh = (): void => {
    element.replaceChildren(...lines(store).map((line) => h("p", {}, line)));
  };
  refresh();
  return { element, refresh };
}

function lines(store: DraftStore): Child[][] {
  const { examined } = store;
  if (examined === null) return [["The engine is looking …"]];
  const { problems, check_problems, examination, study } = examined;
  const all = [...problems, ...check_problems];
  const counts = (["refused", "error", "warning"] as const).flatMap((level) => {
    const n = all.filter((problem) => problem.level === level).length;
    return n === 0 ? [] : [`${n} ${level === "refused" ? "refused" : n === 1 ? level : `${level}s`}`];
  });
  const said: Child[][] = [
    [h("strong", {}, all.length === 0 ? "Lints clean: 0 findings" : `${all.length} to mend: ${counts.join(", ")}`)],
  ];
  if (examination !== null && study !== null) {
    const { lint, power, invariants_proved } = examination;
    const declared = study.pairs.reduce((sum, { invariants }) => sum + invariants.length, 0);
    said.push([
      `${invariants_proved}/${declared} invariants proved; ${lint.labeled_judgments}/${lint.judgments} judgments labelled; ` +
        `${lint.ambiguous.length} ambiguous cases`,
      power !== null &&
        `; ${power.discriminating.numerator}/${power.discriminating.denominator} pairs are discriminating`,
    ]);
    if (examination.run_id !== null)
      said.push([
        "Plans as ",
        h("code", { class: "design-run" }, examination.run_id),
        " · study ",
        digestChip(store.engine.digestOf(study), "study SHA-256"),
      ]);
  }
  if (!store.isKept) said.push(["This browser keeps nothing here: download the draft before you leave."]);
  return said;
}
