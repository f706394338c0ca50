import { z } from "zod";
import { CheckId, RelativePath, Sha256, Slug } from "./common.ts";
import { ExpectationBasis } from "./expectation.ts";
import { Turn } from "./transcript.ts";
import { Verdict } from "./verdict.ts";

export const STUDY_SCHEMA = "assay-study/1";

/** One declared edit; a derived case is its base with these applied in order. */
export const Operation = z.discriminatedUnion("op", [
  /** Put turns before the first turn with this (role, turn); later turn numbers are as written, never shifted. */
  z.strictObject({
    op: z.literal("insert_turns"),
    before: z.strictObject({ role: z.string(), turn: z.number().int().min(1) }),
    turns: z.array(Turn).min(1),
    /** Added to the number of every turn from the insertion point on. */
    shift: z.number().int().min(0).default(0),
  }),
  z.strictObject({ op: z.literal("append_turns"), turns: z.array(Turn).min(1) }),
  /** `from` occurs exactly once in the content of that turn. */
  z.strictObject({
    op: z.literal("replace_text"),
    role: z.string(),
    turn: z.number().int().min(1),
    from: z.string().min(1),
    to: z.string(),
    /** Edit the task's texts instead of the content; there too `from` occurs exactly once. */
    task: z.literal(true).optional(),
  }),
  /** Every occurrence of a word, in contents and tasks, at word boundaries; at least one. */
  z.strictObject({ op: z.literal("rename"), from: z.string().min(1), to: z.string().min(1) }),
  /** Remove exactly these turns. */
  z.strictObject({
    op: z.literal("drop_turns"),
    turns: z.array(z.strictObject({ role: z.string(), turn: z.number().int().min(1) })).min(1),
  }),
]);
export type Operation = z.infer<typeof Operation>;

export const CaseExpectation = z.strictObject({
  check: CheckId,
  expected: Verdict,
  basis: ExpectationBasis.default("controlled_fixture"),
  source: z.string().min(1),
  author: z.string().min(1),
  reason: z.string().min(1),
});
export type CaseExpectation = z.infer<typeof CaseExpectation>;

const caseBase = {
  id: Slug,
  title: z.string().min(1),
  /** Why a right verdict cannot be fixed; such cases expect UNCLEAR and stay out of headline counts. */
  ambiguous: z.string().min(1).optional(),
  expectations: z.array(CaseExpectation).default([]),
};

export const Case = z.union([
  z.strictObject({ ...caseBase, turns: z.array(Turn).min(2) }),
  z.strictObject({ ...caseBase, file: RelativePath }),
  z.strictObject({ ...caseBase, from: Slug, operations: z.array(Operation).min(1) }),
]);
export type Case = z.infer<typeof Case>;

/** Facts about a pair that planning proves from bytes or refuses. */
export const Invariant = z.union([
  /** The last same-numbered user/assistant pair has identical content (and task) in both. */
  z.literal("identical_final_pair"),
  /** All turns of the first case are the first turns of the second. */
  z.literal("prefix_of"),
  /** Equal after renaming `from` to `to` in the first. */
  z.strictObject({ only_differs_by: z.strictObject({ rename: z.strictObject({ from: z.string(), to: z.string() }) }) }),
  /** Turn by turn equal except at these places, which do differ. */
  z.strictObject({
    only_differs_at: z.array(z.strictObject({ role: z.string(), turn: z.number().int().min(1) })).min(1),
  }),
  /** Every user turn is identical in both. */
  z.literal("identical_user_turns"),
  /** Every assistant turn is identical in both. */
  z.literal("identical_assistant_turns"),
]);
export type Invariant = z.infer<typeof Invariant>;

/** Two cases one declared change apart. */
export const Pair = z.strictObject({
  id: Slug,
  boundary: Slug,
  check: CheckId,
  /** The case before the change, then the case after it. */
  cases: z.tuple([Slug, Slug]),
  invariants: z.array(Invariant).min(1),
});
export type Pair = z.infer<typeof Pair>;

export const Boundary = z.strictObject({
  id: Slug,
  /** What is changed, in words a reader understands. */
  change: z.string().min(1),
  /** What the change is expected to do. */
  expected_effect: z.string().min(1),
  /** A case that shows the prohibited behaviour and one that shows the legitimate one. */
  prohibited: Slug,
  legitimate: Slug,
});
export type Boundary = z.infer<typeof Boundary>;

export const StudyJudge = z.strictObject({
  judge: z.string().min(1),
  context: z.enum(["full", "final_pair"]).default("full"),
});
export type StudyJudge = z.infer<typeof StudyJudge>;

/** `studies/<id>/study.yaml`. */
export const Study = z.strictObject({
  schema: z.literal(STUDY_SCHEMA),
  id: Slug,
  title: z.string().min(1),
  /** The one narrow claim under test. */
  claim: z.string().min(1),
  author: z.string().min(1),
  date: z.iso.date(),
  revises: Slug.optional(),
  /** Under which terms others may use the cases and results, such as `CC BY 4.0`. */
  licence: z.string().min(1).optional(),
  /** How cases were chosen, without a judge's answers. */
  selection: z.string().min(1),
  excluded: z.string().min(1),
  checks: z.array(CheckId).min(1),
  judges: z.array(StudyJudge).min(1),
  boundaries: z.array(Boundary).min(1),
  cases: z.array(Case).min(2),
  pairs: z.array(Pair).min(1),
});
export type Study = z.infer<typeof Study>;

export const RENDERED_STUDY_SCHEMA = "assay-rendered-study/1";

/**
 * `study.json` in a rendered source run: the study as declared, with what rendering proved. Frozen with the run,
 * and what the tables and pages read (never the YAML, which may have moved on).
 */
export const RenderedStudy = z.strictObject({
  schema: z.literal(RENDERED_STUDY_SCHEMA),
  study_sha256: Sha256,
  study: Study,
  /** The definitions the expectations are about, in the study's order. */
  checks: z.array(z.strictObject({ id: CheckId, check_sha256: Sha256 })),
  cases: z.array(
    z.strictObject({
      id: Slug,
      transcript_sha256: Sha256,
      derives_from: z.array(Slug),
      operations: z.array(Operation),
    }),
  ),
  proved: z.array(z.strictObject({ pair: Slug, invariant: Invariant })),
});
export type RenderedStudy = z.infer<typeof RenderedStudy>;
