import { h } from "./dom.js";
import type { Child } from "./dom.js";

export function emptyState(title: string, ...what: Child[]): HTMLElement {
  return h(
    "div",
    { class: "state state-empty" },
    h("p", { class: "state-title" }, title),
    what.length > 0 && h("p", {}, what),
  );
}

export function loadingState(what = "Reading the tables"): HTMLElement {
  return h(
    "div",
    { class: "state state-loading", role: "status" },
    h("span", { class: "state-bar", "aria-hidden": "true" }),
    h("p", {}, `${what} …`),
  );
}

export function errorState(error: unknown, what = "This part could not be shown"): HTMLElement {
  const message = error instanceof Error ? error.message : String(error);
  return h(
    "div",
    { class: "state state-error", role: "alert" },
    h("p", { class: "state-title" }, what),
    h("pre", {}, message),
  );
}

/** A place that shows loading, then what `make` returns, then its error if it fails: one part never blanks a page. */
export function part(make: () => Promise<Child> | Child, what?: string): HTMLElement {
  const place = h("div", { class: "part", "aria-busy": "true" }, loadingState(what));
  void Promise.resolve()
    .then(make)
    .then(
      (child) => place.replaceChildren(...[child].flat().filter((node): node is Node => node instanceof Node)),
      (error: unknown) => place.replaceChildren(errorState(error)),
    )
    .finally(() => place.removeAttribute("aria-busy"));
  return place;
}
