import { claimTag } from "./claim.js";
import { h, uid } from "./dom.js";
import type { Child } from "./dom.js";
import type { Claim } from "./rate.js";

export interface FigureOptions {
  kind?: "table" | "figure";
  title: Child;
  /** Which claim the numbers support; a figure over several claims names each in its rows and says so here. */
  claim: Claim | "mixed";
  note?: Child;
  /** The console with the query that gives these rows. */
  rows?: string;
}

/** A table or chart with its caption, its claim, and a way to its rows. */
export function figure(options: FigureOptions, ...body: Child[]): HTMLElement {
  const id = uid("figure");
  return h(
    "figure",
    { class: `plate plate-${options.kind ?? "table"}`, "aria-labelledby": id },
    h(
      "figcaption",
      { id },
      h("span", { class: "plate-title" }, options.title),
      h(
        "span",
        { class: "plate-claim" },
        options.claim === "mixed"
          ? h("span", { class: "claim-tag" }, "Each row or column names its claim")
          : claimTag(options.claim),
      ),
    ),
    h("div", { class: "plate-body", tabindex: 0, role: "group", "aria-labelledby": id }, body),
    (options.note !== undefined || options.rows !== undefined) &&
      h(
        "p",
        { class: "plate-note" },
        options.note,
        options.note !== undefined && options.rows !== undefined && " ",
        options.rows !== undefined && h("a", { href: options.rows }, "Query these rows"),
      ),
  );
}
