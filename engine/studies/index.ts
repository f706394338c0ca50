export { invariantName, proveInvariant } from "./invariants.ts";
export { lintStudy, type StudyFinding, type StudyLint } from "./lint.ts";
export { findStudy, listStudies, loadStudy, type LoadedStudy } from "./load.ts";
export { applyOperations } from "./operations.ts";
export { planStudy, type PlanStudyOptions } from "./plan.ts";
export { renderCases, renderStudy, type RenderedCase, type Rendering } from "./render.ts";
export { STUDY_FILE, studyExpectations, studyModelId, studyRunId, writeSourceRun } from "./source-run.ts";
