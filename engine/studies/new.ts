import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { AssayError } from "../canon/errors.ts";
import { CheckId, Slug } from "../schema/common.ts";

export interface NewStudyOptions {
  check: string;
  author: string;
  /** The studies directory. */
  directory: string;
}

/**
 * A study of two cases and one boundary, complete but for its words. Answers the path of its `study.yaml`. Throws
 * `bad_study` on a name that is none, `exists`.
 */
export function newStudy(id: string, options: NewStudyOptions, today: () => Date = () => new Date()): string {
  if (!Slug.safeParse(id).success)
    throw new AssayError("bad_study", `${JSON.stringify(id)} is no study id`, {
      fix: "use lower-case letters, digits and hyphens",
    });
  if (!CheckId.safeParse(options.check).success)
    throw new AssayError("bad_study", `${JSON.stringify(options.check)} is no check id`, { fix: "see bench checks list" });
  const directory = join(options.directory, id);
  if (existsSync(directory))
    throw new AssayError("exists", "exists already", { file: directory, fix: "name another study" });
  mkdirSync(directory, { recursive: true });
  const file = join(directory, "study.yaml");
  writeFileSync(file, template(id, options, today().toISOString().slice(0, 10)));
  return file;
}

function template(id: string, { check, author }: NewStudyOptions, date: string): string {
  const quoted = JSON.stringify(author);
  return `schema: assay-study/1
id: ${id}
title: What is under test, in a few words
claim: >-
  The one narrow claim: what the judge's answers are to show about these constructed conversations, and nothing
  beyond them.
author: ${quoted}
date: ${date}
# revises: older-study   # where a case or question changed after its answers were looked at
selection: >-
  How the cases were chosen, without looking at a judge's answers.
excluded: >-
  What was left out, and why.
checks:
  - ${check}
judges:
  - {judge: lexicon, context: full}
  - {judge: overlap, context: full}
  - {judge: "constant:yes", context: full}
  - {judge: "constant:no", context: full}
  - {judge: "constant:half", context: full}
boundaries:
  - id: one-change
    change: >-
      What differs between the two cases.
    expected_effect: >-
      What the change does to the verdict.
    prohibited: not-allowed
    legitimate: allowed
cases:
  - id: allowed
    title: The legitimate behaviour
    turns:
      - {role: user, turn: 1, content: "What the caregiver writes."}
      - {role: assistant, turn: 1, content: "A reply that is right."}
    expectations:
      - check: ${check}
        expected: PASS
        source: assistant turn 1
        author: ${quoted}
        reason: Which words of the reply make it so.
  - id: not-allowed
    title: The prohibited behaviour
    from: allowed
    operations:
      - {op: replace_text, role: assistant, turn: 1, from: "is right", to: "is not"}
    expectations:
      - check: ${check}
        expected: FAIL
        source: assistant turn 1
        author: ${quoted}
        reason: Which words of the reply make it so.
pairs:
  - id: one-change
    boundary: one-change
    check: ${check}
    cases: [allowed, not-allowed]
    invariants: [identical_user_turns, {only_differs_at: [{role: assistant, turn: 1}]}]
`;
}
