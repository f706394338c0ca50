import type { RenderedStudy } from "../schema/study.ts";
import { seenLabel, seenOutsideWave, type SeenLabel } from "../studies/seen-label.ts";

/** What the seen register says of a scan's sources as its tables are derived; null for a source without a study. */
export interface SourceSeen {
  /** Before this scan's plan and outside its wave. */
  scan: SeenLabel;
  /** Outside the study's own first wave, whatever the scan. */
  study: SeenLabel;
}

export function seenOf(studies: readonly (RenderedStudy | null)[], plan_sha256: string): (SourceSeen | null)[] {
  return studies.map((rendered) =>
    rendered === null ? null : { scan: seenLabel(rendered, plan_sha256), study: seenOutsideWave(rendered) },
  );
}

/** null: no register says. */
export function isSeenCase(label: SeenLabel | undefined, case_id: string): boolean | null {
  return label === undefined || label.seen === null ? null : label.seen_cases.includes(case_id);
}
