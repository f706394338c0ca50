import { copy } from "./digest.js";
import { h } from "./dom.js";

/** Commands to paste into a shell, with a button that copies them. */
export function commandBlock(lines: string | readonly string[], label = "Commands"): HTMLElement {
  const text = typeof lines === "string" ? lines : lines.join("\n");
  const button = h("button", { type: "button", class: "command-copy" }, "Copy");
  button.addEventListener("click", () => {
    void copy(text).then((done) => {
      button.textContent = done ? "Copied" : "Select and copy";
      setTimeout(() => (button.textContent = "Copy"), 1600);
    });
  });
  return h(
    "div",
    { class: "command" },
    h("pre", { tabindex: 0, role: "region", "aria-label": label }, h("code", {}, text)),
    button,
  );
}
