import type { Row } from "./db.js";
import { h, hidden } from "./dom.js";
import type { Child } from "./dom.js";
import { figure } from "./figure.js";
import { checkLink, conversationLink } from "./links.js";
import { maybeText, number, text, texts, verdict } from "./read.js";
import { judgeNote, scanLabel } from "./scan.js";
import type { PairRow } from "./study-data.js";
import { verdictChip, verdictMark, verdictShort, verdictSlug } from "./verdict.js";
import type { Verdict } from "./verdict.js";

/**
 * Change -> expected -> observed per judge: one row per pair, under its boundary, a column per judge, baselines
 * included. A side that misses its expectation is boxed; a verdict that nothing was asked for is marked.
 */
export function boundaryTable(pairs: readonly PairRow[], scans: readonly Row[]): HTMLElement {
  const body = h("tbody", {});
  let boundary: string | undefined;
  for (const row of pairs) {
    const id = text(row.pair, "boundary_id");
    if (id !== boundary) {
      boundary = id;
      body.append(
        h(
          "tr",
          { class: "group-row", id: `boundary-${id}` },
          h(
            "th",
            { scope: "rowgroup", colspan: 2 + scans.length },
            h(
              "div",
              { class: "boundary-head" },
              text(row.pair, "boundary_change"),
              " ",
              h("span", { class: "boundary-effect" }, text(row.pair, "expected_effect")),
            ),
          ),
        ),
      );
    }
    body.append(pairLine(row, scans));
  }
  return h(
    "table",
    { class: "data boundaries" },
    h(
      "thead",
      {},
      h(
        "tr",
        {},
        h("th", { scope: "col" }, "Check, and the two cases"),
        h("th", { scope: "col" }, "Expected"),
        scans.map((scan) => h("th", { scope: "col", class: "judge-column" }, judgeHead(scan))),
      ),
    ),
    body,
  );
}

export function judgeHead(scan: Row): Child {
  const note = judgeNote(scan);
  const [name, ...rest] = scanLabel(scan).split(", ");
  return [
    h("span", { class: "judge-name" }, name),
    rest.length > 0 && h("span", { class: "judge-note" }, rest.join(", ")),
    note !== null && h("span", { class: "judge-note" }, note),
  ];
}

function pairLine({ pair, before, after, scans: observed }: PairRow, scans: readonly Row[]): HTMLElement {
  return h(
    "tr",
    {},
    h(
      "th",
      { scope: "row" },
      h("a", { class: "check-id", href: checkLink(text(pair, "check_id")) }, text(pair, "check_id")),
      h("span", { class: "case-pair" }, before.case_id, " → ", after.case_id),
    ),
    h("td", {}, h("span", { class: "two" }, expectedMark(before.expected), arrow(), expectedMark(after.expected))),
    scans.map((scan) => {
      const row = observed.get(text(scan, "scan_id"));
      if (row === undefined) return h("td", { class: "quiet" }, "-");
      return h("td", {}, h("span", { class: "two" }, side(row, "before"), arrow(), side(row, "after")));
    }),
  );
}

function expectedMark(value: string | null): Child {
  return value === "PASS" || value === "FAIL" || value === "UNCLEAR" || value === "NOT_APPLICABLE"
    ? labelled(value)
    : h("span", { class: "quiet" }, "-");
}

function labelled(value: Verdict): HTMLElement {
  return h(
    "span",
    { class: `pip chip-${verdictSlug(value)}`, title: verdictShort(value) },
    verdictMark(value),
    h("span", { class: "pip-word" }, verdictShort(value)),
  );
}

function side(row: Row, which: "before" | "after"): HTMLElement {
  const value = verdict(row, `observed_${which}`);
  const mismatch = maybeText(row, `mismatch_${which}`);
  const asked = row[`asked_${which}`];
  const notAsked = asked === 0;
  const href = conversationLink(text(row, "scan_id"), text(row, `conversation_${which}`), {
    check: text(row, "check_id"),
  });
  const words = [
    value === null ? "not judged" : verdictShort(value),
    mismatch?.replace("_", " "),
    notAsked ? "not asked" : null,
  ]
    .filter(Boolean)
    .join(", ");
  return h(
    "a",
    {
      class: `pip ${value === null ? "chip-none" : `chip-${verdictSlug(value)}`}${mismatch === null ? "" : " pip-missed"}${notAsked ? " pip-unasked" : ""}`,
      href,
      title: `${text(row, `case_${which}`)}: ${words}`,
    },
    value === null ? "·" : verdictMark(value),
    hidden(`${text(row, `case_${which}`)}: ${words}`),
  );
}

const arrow = (): HTMLElement => h("span", { class: "pip-arrow", "aria-hidden": "true" }, "→");

export function boundaryKey(): HTMLElement {
  return h(
    "p",
    { class: "plate-note" },
    h("span", { class: "pip chip-fail pip-missed", "aria-hidden": "true" }, verdictMark("FAIL")),
    " boxed: not the expected verdict. ",
    h("span", { class: "pip chip-na pip-unasked", "aria-hidden": "true" }, verdictMark("NOT_APPLICABLE")),
    " dotted: fixed by the rule without asking the judge, so no evidence about it. Each mark opens its conversation.",
  );
}

/** The section on pairs proved to end in the same message and reply: what each judge made of the two members. */
export function finalPairs(pairs: readonly PairRow[], scans: readonly Row[]): Child[] {
  const same = pairs.filter(({ pair }) => texts(pair, "proved").some((fact) => fact.includes("identical_final_pair")));
  if (same.length === 0)
    return [
      h(
        "p",
        {},
        "No pair of this study ends in an identical exchange, so nothing here shows whether history mattered.",
      ),
    ];
  return [
    h(
      "p",
      {},
      "In these pairs the last message and the last reply are the same bytes in both cases; planning proved it. Only what came before differs, and where the expected verdicts differ, only the history can justify that. A judge restricted to the final pair is shown the same bytes twice. Where the check asks it anything, it can only return one verdict for both, and so must miss one of two different expectations.",
    ),
    figure(
      {
        title: "Pairs proved to end in an identical exchange",
        claim: "frozen_validation_cases",
        note: "“Asked” counts the observations the judge was asked for in each case.",
      },
      finalPairTable(same, scans),
    ),
    h(
      "p",
      {},
      "This tests one authored boundary and no more. It does not show that history helps elsewhere, or that one judge is better than another on real conversations.",
    ),
  ];
}

function finalPairTable(same: readonly PairRow[], scans: readonly Row[]): HTMLElement {
  const lines = same.flatMap((row) =>
    scans.map((scan) => ({ row, scan, observed: row.scans.get(text(scan, "scan_id")) })),
  );
  let last: string | undefined;
  return h(
    "table",
    { class: "data final-pair" },
    h(
      "thead",
      {},
      h(
        "tr",
        {},
        ["Judge", "First case", "Second case", "Asked", "What this shows"].map((title) =>
          h("th", { scope: "col" }, title),
        ),
      ),
    ),
    h(
      "tbody",
      {},
      lines.flatMap(({ row, scan, observed }) => {
        const id = text(row.pair, "pair_id");
        const head =
          id === last
            ? []
            : [h("tr", { class: "group-row" }, h("th", { scope: "rowgroup", colspan: 5 }, groupTitle(row)))];
        last = id;
        return [...head, observed === undefined ? null : finalPairLine(scan, observed)].filter((line) => line !== null);
      }),
    ),
  );
}

function groupTitle({ pair, before, after }: PairRow): Child {
  return [
    h("code", {}, text(pair, "check_id")),
    h(
      "span",
      { class: "boundary-effect" },
      ` ${before.case_id} (expected `,
      expectedMark(before.expected),
      `), ${after.case_id} (expected `,
      expectedMark(after.expected),
      ")",
    ),
  ];
}

function finalPairLine(scan: Row, row: Row): HTMLElement {
  const chip = (which: "before" | "after"): HTMLElement => {
    const missed = maybeText(row, `mismatch_${which}`);
    return h(
      "span",
      {},
      verdictChip(verdict(row, `observed_${which}`), {
        href: conversationLink(text(row, "scan_id"), text(row, `conversation_${which}`), {
          check: text(row, "check_id"),
        }),
      }),
      missed !== null && h("span", { class: "missed" }, ` ${missed.replace("_", " ")}`),
    );
  };
  const askedBefore = number(row, "asked_before");
  const askedAfter = number(row, "asked_after");
  return h(
    "tr",
    {},
    h(
      "th",
      { scope: "row" },
      scanLabel(scan),
      judgeNote(scan) !== null && h("span", { class: "judge-note" }, ` ${judgeNote(scan) ?? ""}`),
    ),
    h("td", {}, chip("before")),
    h("td", {}, chip("after")),
    h("td", {}, `${askedBefore}, ${askedAfter}`),
    h("td", { class: "says" }, reading(row, text(scan, "context"), askedBefore, askedAfter)),
  );
}

function reading(row: Row, context: string, askedBefore: number, askedAfter: number): string {
  const same = maybeText(row, "observed_before") === maybeText(row, "observed_after");
  const differs = maybeText(row, "expected_before") !== maybeText(row, "expected_after");
  const right = row["correct_before"] === true && row["correct_after"] === true;
  if (askedBefore === 0 && askedAfter === 0)
    return "Nothing was asked: the rule fixed both verdicts, so this says nothing about the judge.";
  if (!differs)
    return right
      ? "Both expected verdicts are the same, and both were given."
      : "Both expected verdicts are the same; not both were given.";
  if (context === "final_pair" && same)
    return "It saw the same bytes twice, gave one verdict for both, and so missed an expectation.";
  if (same) return "One verdict for both: at least one expectation is missed.";
  return right ? "Told the two apart, as expected." : "Different verdicts, but not the expected ones.";
}
