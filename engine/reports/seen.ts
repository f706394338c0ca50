import type { SeenLabel } from "../studies/seen-label.ts";
import { markdown } from "./escape.ts";
import type { SourceView } from "./scan-view.ts";
import { ratio } from "./tally.ts";

export function seenLabels(sources: readonly Pick<SourceView, "seen">[]): SeenLabel[] {
  return sources.flatMap(({ seen }) => (seen === null ? [] : [seen]));
}

/** `3/26`, or why nobody knows. */
export function seenShare({ seen, unknown }: SeenLabel): string {
  return seen === null ? `unknown: ${unknown}` : ratio(seen);
}

/** For a card: what seen cases mean for the results above, as the register stands while it is written. */
export function seenNote(labels: readonly SeenLabel[]): string {
  const lines = labels.map((label) => {
    const { study_id, seen, seen_cases } = label;
    if (seen === null) return `- ${markdown(study_id)}: ${markdown(seenShare(label))}.`;
    const named = seen_cases.length === 0 ? "" : `: ${seen_cases.map(markdown).join(", ")}`;
    return `- ${markdown(study_id)}: ${seenShare(label)} cases${named}.`;
  });
  return [
    "## Seen cases",
    "Cases that some judge answered before this plan and outside its wave, by the register as it stands now. A result on them is no fresh validation, whatever the check, question, threshold or judge.",
    lines.join("\n"),
  ].join("\n\n");
}
