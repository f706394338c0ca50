/* What the page /design runs of this package; nothing here reaches a file or a process. */
import "../canon/zod-without-eval.ts";

export { YamlText } from "../canon/yaml-text.ts";
export { digestOf } from "../canon/json.ts";
export { examineDraft, keptDraft } from "./draft.ts";
export { invariantName } from "./invariants.ts";
export { newStudyText } from "./template.ts";
