import type { StudyFinding } from "./lint.ts";
import type { Register } from "./register.ts";
import { renderCases, type StudySource } from "./render.ts";

/** Cases whose bytes changed after they were answered: that needs a study of another id, which revises this one. */
export function editedCases(source: StudySource, register: Pick<Register, "rows">): StudyFinding[] {
  return renderCases(source).flatMap(({ id, transcript_sha256 }) =>
    register.rows.some(
      (row) => row.study === source.study.id && row.case === id && row.transcript_sha256 !== transcript_sha256,
    )
      ? [
          {
            level: "error" as const,
            rule: "edited_case",
            about: id,
            message: "was answered with other words than it now has",
            fix: `undo the edit, or put the changed case into a new study with \`revises: ${source.study.id}\``,
          },
        ]
      : [],
  );
}
