import { h, uid } from "../dom.js";
import type { DraftProblem, Path } from "./engine.js";
import { problemLine } from "./problems.js";

/** Where on the page each problem of the draft is shown: beside the nearest part that holds its path. */
export class Places {
  readonly #slots: { path: Path; element: HTMLElement }[] = [];

  /** A list for problems at `path` and below it, as far as no deeper slot takes them. */
  slot(path: Path): HTMLElement {
    const element = h("ul", { class: "problem-list problem-here", id: uid("problems") });
    this.#slots.push({ path, element });
    return element;
  }

  fill(problems: readonly DraftProblem[]): void {
    for (const { element } of this.#slots) element.replaceChildren();
    for (const problem of problems) {
      const slot = this.#nearest(problem.path);
      if (slot === undefined) continue;
      const isElsewhere = slot.path.length === 0 && problem.path.length > 0;
      slot.element.append(
        h("li", { class: "problem" }, isElsewhere && [h("em", {}, problem.about), ": "], problemLine(problem)),
      );
    }
  }

  #nearest(path: DraftProblem["path"]): { path: Path; element: HTMLElement } | undefined {
    return this.#slots
      .filter((slot) => slot.path.length <= path.length && slot.path.every((step, i) => step === path[i]))
      .sort((a, b) => b.path.length - a.path.length)[0];
  }
}
