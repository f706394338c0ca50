import type { Draft, Engine } from "./engine.js";

const NOW = "assay-design/1";
const BEFORE = "assay-design/1/before";

/** The draft this browser keeps, and the one before it; nothing where it keeps nothing. */
export function keptDrafts({ keptDraft }: Engine): { now?: Draft | undefined; before?: Draft | undefined } {
  const read = (key: string): Draft | undefined => {
    try {
      return keptDraft(localStorage.getItem(key) ?? "");
    } catch {
      return undefined; // storage is turned off
    }
  };
  return { now: read(NOW), before: read(BEFORE) };
}

/** Whether this browser will have it after a reload. */
export function keep(draft: Draft, before?: Draft): boolean {
  try {
    localStorage.setItem(NOW, JSON.stringify(draft));
    if (before !== undefined) localStorage.setItem(BEFORE, JSON.stringify(before));
    return true;
  } catch {
    return false;
  }
}
