import type { Study } from "../schema/study.ts";
import type { StudyFinding } from "./lint.ts";
import type { Register } from "./register.ts";
import type { RenderedCase } from "./render.ts";

/**
 * Cases whose bytes changed after they were answered: that needs a study of another id, which revises this one. `cases`
 * are the study's, in its order; undefined where one cannot be rendered.
 */
export function editedCases(
  { id: study }: Pick<Study, "id">,
  cases: readonly (Pick<RenderedCase, "id" | "transcript_sha256"> | undefined)[],
  register: Pick<Register, "rows">,
): StudyFinding[] {
  return cases.flatMap((rendered, i) => {
    const isEdited = register.rows.some(
      (row) =>
        row.study === study && row.case === rendered?.id && row.transcript_sha256 !== rendered.transcript_sha256,
    );
    if (rendered === undefined || !isEdited) return [];
    return [
      {
        level: "error" as const,
        rule: "edited_case",
        about: rendered.id,
        path: ["cases", i],
        message: "was answered with other words than it now has",
        fix: `undo the edit, or put the changed case into a new study with \`revises: ${study}\``,
      },
    ];
  });
}
