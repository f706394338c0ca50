export interface NewStudyWords {
  /** The check under study. */
  check: string;
  author: string;
}

/** `study.yaml` of two cases and one boundary, complete but for its words; `date` as YYYY-MM-DD. */
export function newStudyText(id: string, { check, author }: NewStudyWords, date: string): string {
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
