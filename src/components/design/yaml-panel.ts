import { h, uid } from "../dom.js";
import { problemLine } from "./problems.js";
import type { DraftStore } from "./store.js";

/** The text of `study.yaml`, with every problem that has a line. */
export function yamlPanel(store: DraftStore): { element: HTMLElement; refresh: () => void } {
  const id = uid("yaml");
  const editor = h("textarea", {
    id,
    class: "editor",
    rows: 28,
    spellcheck: "false",
    autocapitalize: "off",
    autocomplete: "off",
    wrap: "off",
    "aria-describedby": `${id}-problems`,
    on: { input: () => store.setText(editor.value) },
  });
  editor.value = store.draft.study;
  const problems = h("ul", { class: "problem-list", id: `${id}-problems` });
  const refresh = (): void => {
    if (editor.value !== store.draft.study) editor.value = store.draft.study;
    const rows = store.examined?.problems ?? [];
    problems.replaceChildren(
      ...rows.map((problem) =>
        h(
          "li",
          { class: "problem" },
          problem.line !== undefined && [
            h(
              "button",
              { type: "button", class: "link", on: { click: () => goTo(editor, problem.line ?? 1) } },
              `line ${problem.line}`,
            ),
            " ",
          ],
          problemLine(problem),
        ),
      ),
    );
  };
  refresh();
  const element = h(
    "div",
    {},
    h("label", { for: id, class: "small-caps" }, "study.yaml"),
    editor,
    h("h3", {}, "What the engine says of it"),
    problems,
  );
  return { element, refresh };
}

/** Select a line, with the line itself in view. */
function goTo(editor: HTMLTextAreaElement, line: number): void {
  const lines = editor.value.split("\n");
  const start = lines.slice(0, line - 1).reduce((sum, text) => sum + text.length + 1, 0);
  editor.focus();
  editor.setSelectionRange(start, start + (lines[line - 1]?.length ?? 0));
  editor.scrollTop = Math.max(0, ((line - 4) / lines.length) * editor.scrollHeight);
}
