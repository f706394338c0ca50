import { commandBlock } from "../command.js";
import { copy } from "../digest.js";
import { h } from "../dom.js";
import type { DraftStore } from "./store.js";

/** The files of the draft to take away, and the commands that read them. */
export function exportPart(store: DraftStore): { element: HTMLElement; refresh: () => void } {
  const said = h("span", { class: "quiet", role: "status" });
  const copying = h("button", { type: "button", class: "plain" }, "Copy study.yaml");
  copying.addEventListener("click", () => {
    void copy(store.draft.study).then((done) => {
      said.textContent = done ? "Copied" : "Copying is not allowed here; download it";
      setTimeout(() => (said.textContent = ""), 4000);
    });
  });
  const files = h("p", { class: "console-bar" });
  const commands = h("div", {});
  const refresh = (): void => {
    const { study, transcripts, checks } = store.draft;
    const others = [
      ...Object.entries(transcripts).map(([path, text]) => [path, text] as const),
      ...Object.entries(checks).map(([path, text]) => [`checks/${path}`, text] as const),
    ];
    files.replaceChildren(
      downloadButton("study.yaml", study, true),
      copying,
      ...others.map(([path, text]) => downloadButton(path, text)),
      said,
    );
    commands.replaceChildren(commandBlock(commandsFor(store)));
  };
  refresh();
  const element = h(
    "section",
    { "aria-labelledby": "take-away" },
    h("h2", { id: "take-away" }, "Take it with you"),
    files,
    h(
      "p",
      { class: "plate-note" },
      "Nothing is sent anywhere: the draft lives in this browser. What you download is the text above, byte for byte.",
    ),
    commands,
  );
  return { element, refresh };
}

function commandsFor(store: DraftStore): string[] {
  const id = store.text(["id"]) || "my-study";
  const { transcripts, checks } = store.draft;
  const moved = (path: string): string => `mv ~/Downloads/${path.slice(path.lastIndexOf("/") + 1)}`;
  const directories = [
    `studies/${id}`,
    ...Object.keys(transcripts).map((path) => folderOf(`studies/${id}/${path}`)),
    ...Object.keys(checks).map((path) => folderOf(`checks/${path}`)),
  ];
  return [
    `mkdir -p ${[...new Set(directories)].join(" ")}`,
    `${moved("study.yaml")} studies/${id}/study.yaml`,
    ...Object.keys(transcripts).map((path) => `${moved(path)} studies/${id}/${path}`),
    ...Object.keys(checks).map((path) => `${moved(path)} checks/${path}`),
    `npx bench study lint ${id}`,
    `npx bench study show ${id}`,
    `npx bench study plan ${id} --all --output results/${id}`,
  ];
}

const folderOf = (path: string): string => path.slice(0, path.lastIndexOf("/"));

function downloadButton(path: string, text: string, isFirst = false): HTMLElement {
  const name = path.slice(path.lastIndexOf("/") + 1);
  const click = (): void => {
    const url = URL.createObjectURL(new Blob([text], { type: "text/yaml" }));
    h("a", { href: url, download: name }).click();
    setTimeout(() => URL.revokeObjectURL(url), 1000);
  };
  const kind = isFirst ? "plain primary" : "plain";
  return h("button", { type: "button", class: kind, title: path, on: { click } }, `Download ${name}`);
}
