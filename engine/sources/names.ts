import { sha256 } from "../canon/json.ts";

/** Longer stems are cut, so that no file system refuses the name. */
const LONGEST = 120;

/**
 * Relative paths for the transcripts of one run: readable, confined to `transcripts/`, never the same twice, even on
 * file systems that ignore case. Ids of foreign sources may hold anything.
 */
export function transcriptPaths(): (model_id: string, scenario_id: string) => string {
  const taken = new Set<string>();
  return (model_id, scenario_id) => {
    const whole = `${slug(model_id)}--${slug(scenario_id)}`;
    let stem = whole.slice(0, LONGEST);
    if (taken.has(stem)) stem = `${stem}--${sha256(JSON.stringify([model_id, scenario_id])).slice(0, 12)}`;
    taken.add(stem);
    return `transcripts/${stem}.jsonl`;
  };
}

function slug(text: string): string {
  return (
    text
      .toLowerCase()
      .replace(/[^a-z0-9_]+/g, "-")
      .replace(/^-+|-+$/g, "") || "x"
  );
}
