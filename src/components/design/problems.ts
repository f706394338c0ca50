import { h } from "../dom.js";
import type { Child } from "../dom.js";
import type { DraftProblem } from "./engine.js";

const SAID = { refused: "refused", error: "error", warning: "warning" } as const;

/** One problem in the words of the command line: how grave, its code, what is wrong, what to do. */
export function problemLine({ level, code, problem, fix }: DraftProblem): Child[] {
  return [
    h("span", { class: `problem-level problem-${level}` }, SAID[level]),
    " ",
    h("code", {}, code),
    " ",
    h("span", { class: "problem-words" }, fix === "" ? problem : `${problem}; ${fix}`),
  ];
}
