import { h, uid } from "./dom.js";

/** One parameter of the address, or "" where absent. */
export function param(name: string): string {
  return new URLSearchParams(location.search).get(name) ?? "";
}

/** Put parameters in the address without loading the page; "" removes one. */
export function setParams(values: Readonly<Record<string, string>>): void {
  const url = new URL(location.href);
  for (const [name, value] of Object.entries(values)) {
    if (value === "") url.searchParams.delete(name);
    else url.searchParams.set(name, value);
  }
  history.replaceState(null, "", url);
}

export interface Choice {
  value: string;
  label: string;
}

/** A labelled select whose choice lives in the address under `name`. */
export function chooser(
  name: string,
  label: string,
  choices: readonly Choice[],
  options: { fallback?: string; onChange: () => void },
): HTMLElement {
  const id = uid(name);
  const wanted = param(name);
  const start = choices.some(({ value }) => value === wanted) ? wanted : (options.fallback ?? choices[0]?.value ?? "");
  const select = h(
    "select",
    { id, name },
    choices.map(({ value, label: text }) => h("option", { value, selected: value === start }, text)),
  );
  select.addEventListener("change", () => {
    setParams({ [name]: select.value });
    options.onChange();
  });
  return h("div", { class: "field" }, h("label", { for: id }, label), select);
}

/** The chosen values of the choosers below `root`, by name. */
export function chosen(root: ParentNode): Record<string, string> {
  return Object.fromEntries([...root.querySelectorAll("select")].map((select) => [select.name, select.value]));
}
