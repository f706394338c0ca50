import { commandBlock } from "./command.js";
import type { Row } from "./db.js";
import { rows } from "./db.js";
import { digestChip } from "./digest.js";
import { h } from "./dom.js";
import type { Child } from "./dom.js";
import { facts, list } from "./facts.js";
import { figure } from "./figure.js";
import { checkLink, conversationLink, quote, sqlLink, viewLink } from "./links.js";
import { cellsOf, mismatchName, verdictMatrix } from "./matrix.js";
import { count, rate } from "./rate.js";
import { flag, maybeText, number, structs, text, texts, verdict } from "./read.js";
import {
  costCell,
  judgeCell,
  judgeNote,
  metCell,
  scanLabel,
  seenCell,
  technicalCell,
  unclearAll,
  unclearApplicable,
} from "./scan.js";
import { CONSISTENCY, consistency } from "./study-data.js";
import type { StudyData } from "./study-data.js";
import { dataTable } from "./table.js";
import { VERDICTS, verdictChip } from "./verdict.js";

const CLAIM = "frozen_validation_cases";

/** What was fixed beforehand, in the order a reader needs it. */
export function preregistration({ study, others, checks, cases }: StudyData): Child[] {
  const revises = maybeText(study, "revises");
  const ambiguous = cases.filter((row) => maybeText(row, "ambiguous") !== null);
  const sha = text(study, "study_sha256");
  return [
    facts([
      ["Declared by", `${text(study, "author")}, ${text(study, "study_date")}`],
      ["Selection of cases", h("p", {}, text(study, "selection"))],
      ["Left out", h("p", {}, text(study, "excluded"))],
      [
        "Size",
        [
          count(
            cases.length,
            sqlLink(`select * from cases where study_sha256 = ${quote(sha)} order by position`),
            "cases",
          ),
          " cases, ",
          count(
            number(study, "pairs"),
            sqlLink(`select * from pairs where study_sha256 = ${quote(sha)} order by position`),
            "pairs",
          ),
          ` pairs, ${structs(study, "boundaries").length} boundaries, ${checks.length} checks`,
        ],
      ],
      [
        "Recorded as ambiguous",
        ambiguous.length === 0
          ? "none"
          : list(ambiguous.map((row) => [h("strong", {}, text(row, "case_id")), ": ", maybeText(row, "ambiguous")])),
      ],
      [
        "Judges to be run",
        list(
          texts(study, "judges").map((judge) =>
            judge.replace(/ full$/, "").replace(/ final_pair$/, ", final pair only"),
          ),
        ),
      ],
      ["Seen register", seenRegister(sha, cases)],
      ["Revises", revises],
      ["Study digest", digestChip(text(study, "study_sha256"), "study digest")],
      others.length === 0
        ? null
        : [
            "Other frozen versions",
            list(others.map((row) => [text(row, "study_date"), " ", digestChip(text(row, "study_sha256"))])),
          ],
    ]),
  ];
}

/** How many cases somebody's judge has answered outside the study's own first wave: for the next judge, no fresh test. */
function seenRegister(sha: string, cases: readonly Row[]): Child {
  const known = cases.filter((row) => row["seen"] !== null);
  if (known.length === 0) return "No register says whether these cases were answered before.";
  const seen = known.filter((row) => flag(row, "seen")).length;
  return [
    rate(seen, known.length, {
      href: sqlLink(
        `select case_id, title, seen from cases where study_sha256 = ${quote(sha)} order by seen desc, position`,
      ),
      label: "cases seen",
    }),
    " cases were answered outside the study's first wave, themselves or a case they are made from. A judge run on them now is no fresh validation; how many were seen before each scan's plan stands beside the scan.",
    known.length < cases.length && ` Of ${cases.length - known.length} cases no register says anything.`,
  ];
}

/** The checks under test: what PASS establishes, on which basis, under which digest. */
export function checksUnderTest({ study, checks }: StudyData): HTMLElement {
  const ids = texts(study, "check_ids");
  const ordered = [...checks].sort((a, b) => ids.indexOf(text(a, "check_id")) - ids.indexOf(text(b, "check_id")));
  return figure(
    {
      title: "Checks under test, and what PASS means",
      claim: CLAIM,
      rows: sqlLink(
        `select check_id, summary, pass_meaning, basis, check_sha256\nfrom checks\nwhere check_sha256 in (select check_sha256 from judgments where study_id = ${quote(text(study, "study_id"))})\norder by check_id`,
      ),
    },
    dataTable(
      ordered,
      [
        {
          title: "Check",
          header: true,
          cell: (row) => h("a", { href: checkLink(text(row, "check_id")) }, text(row, "check_id")),
        },
        { title: "PASS means", cell: (row) => text(row, "pass_meaning"), class: "prose-cell" },
        { title: "Basis", cell: (row) => text(row, "basis").replaceAll("_", " ") },
        { title: "Definition", cell: (row) => digestChip(text(row, "check_sha256"), "check digest") },
      ],
      { label: "Checks under test" },
    ),
  );
}

/** Every judge in one table: what it met, which pairs it got right on both sides, its UNCLEAR rates. */
export async function judgeSummary({ study, scans }: StudyData): Promise<HTMLElement> {
  const sha = text(study, "study_sha256");
  const [pairs, met] = await Promise.all([consistency(sha), metByExpected(sha)]);
  return figure(
    {
      title: "Each judge against the declared expectations",
      claim: CLAIM,
      note: "Met of all counted expectations, then of those that expect Pass, Fail and N/A. Most labels of a study expect N/A, so the total alone flatters a judge that always says no. A pair is consistent when both of its members got the expected verdict. Expected UNCLEAR is left out.",
      rows: sqlLink(CONSISTENCY.replace("?", quote(sha))),
    },
    dataTable(
      scans,
      [
        { title: "Judge", header: true, cell: (scan) => judgeCell(scan) },
        {
          title: "Expectations met",
          align: "right",
          cell: metCell,
          sort: (scan) => number(scan, "expectations_agreed"),
        },
        {
          title: "Pairs consistent",
          align: "right",
          cell: (scan) => {
            const own = pairs.get(text(scan, "scan_id"));
            return rate(own?.consistent ?? 0, own?.pairs ?? 0, {
              href: pairsLink(sha, text(scan, "scan_id")),
              label: "pairs consistent",
            });
          },
          sort: (scan) => pairs.get(text(scan, "scan_id"))?.consistent ?? 0,
        },
        ...VERDICTS.filter((value) => value !== "UNCLEAR").map((value) => ({
          title: ["of ", verdictChip(value)],
          align: "right" as const,
          cell: (scan: Row) => metCount(met.get(`${text(scan, "scan_id")}>${value}`), text(scan, "scan_id"), value),
        })),
        { title: "Unclear, all", align: "right", cell: unclearAll },
        { title: "Unclear, applicable", align: "right", cell: unclearApplicable },
        {
          title: "Not asked",
          align: "right",
          cell: (scan) =>
            count(
              number(scan, "not_asked"),
              sqlLink(
                `select conversation, check_id, verdict, rationale from judgments where scan_id = ${quote(text(scan, "scan_id"))} and asked = 0`,
              ),
              "judgments fixed without asking",
            ),
        },
        { title: "Seen", cell: seenCell },
        { title: "Cost", align: "right", cell: costCell },
      ],
      { label: "Judges" },
    ),
  );
}

/** Expectations met by expected verdict, keyed `scan>EXPECTED`: the total hides which class is missed. */
async function metByExpected(sha: string): Promise<Map<string, { n: number; met: number }>> {
  const found = await rows(
    `select e.scan_id, e.expected, count(*)::integer as n, (count(*) filter (where e.correct))::integer as met
     from expectations e join scans s on s.scan_id = e.scan_id where s.study_sha256 = ? and e.counted group by all`,
    [sha],
  );
  return new Map(
    found.map((row) => [
      `${text(row, "scan_id")}>${text(row, "expected")}`,
      { n: number(row, "n"), met: number(row, "met") },
    ]),
  );
}

function metCount(found: { n: number; met: number } | undefined, scan: string, expected: string): HTMLElement {
  return rate(found?.met ?? 0, found?.n ?? 0, {
    href: sqlLink(
      `select scenario_id, check_id, expected, observed, mismatch, reason\nfrom expectations\nwhere scan_id = ${quote(scan)} and counted and expected = ${quote(expected)}\norder by correct, scenario_id, check_id`,
    ),
    label: `expected ${expected}, met`,
  });
}

function pairsLink(sha: string, scan: string): string {
  return sqlLink(`select p.boundary_id, p.pair_id, p.check_id, p.case_before, p.case_after,
  b.expected as expected_before, b.observed as observed_before, a.expected as expected_after, a.observed as observed_after,
  b.correct and a.correct as consistent
from pairs p
join expectations b on b.scenario_id = p.case_before and b.check_id = p.check_id and b.counted
join expectations a on a.scan_id = b.scan_id and a.scenario_id = p.case_after and a.check_id = p.check_id and a.counted
where p.study_sha256 = ${quote(sha)} and b.scan_id = ${quote(scan)}
order by p.position`);
}

/** One 4 x 4 per judge, as small multiples; a cell opens its rows on /confusion. */
export async function confusions({ study, scans }: StudyData): Promise<HTMLElement> {
  const counts = await rows(
    `select e.scan_id, e.expected as row, e.observed as "column", count(*)::integer as n from expectations e join scans s on s.scan_id = e.scan_id
     where s.study_sha256 = ? and e.bound and e.observed is not null group by all`,
    [text(study, "study_sha256")],
  );
  const matrices = scans.map((scan) => {
    const id = text(scan, "scan_id");
    const own = counts
      .filter((row) => row["scan_id"] === id)
      .map((row) => ({ row: text(row, "row"), column: text(row, "column"), n: number(row, "n") }));
    const note = judgeNote(scan);
    return verdictMatrix(cellsOf(own), {
      rowTitle: "Expected",
      columnTitle: "Observed",
      scan: id,
      caption: `${scanLabel(scan)}${note === null ? "" : ` (${note})`}`,
      name: mismatchName,
      href: (expected, observed) => viewLink("confusion", { scan: id, expected, observed }, "rows"),
    });
  });
  return figure(
    {
      title: "Expected by observed verdict, one table per judge",
      claim: CLAIM,
      note: "Framed in red: differences. A count opens its rows. The row of expected UNCLEAR is shown here and left out of headline counts.",
    },
    h("div", { class: "matrices" }, matrices),
  );
}

/** Every judgment that is not what was declared, each with its conversation. */
export async function differences({ study }: StudyData): Promise<HTMLElement> {
  const found = await rows(
    `select e.*, s.judge, s.context, s.is_baseline, s.is_shipped_lexicon, s.is_fixture, j.rationale from expectations e join scans s on s.scan_id = e.scan_id
     join judgments j on j.scan_id = e.scan_id and j.conversation = e.conversation and j.check_id = e.check_id
     where s.study_sha256 = ? and e.bound and e.mismatch is not null
     order by s.judge_position nulls last, s.scan_id, e.mismatch, e.scenario_id, e.check_id`,
    [text(study, "study_sha256")],
  );
  return figure(
    {
      title: `Every difference: ${found.length} judgments`,
      claim: CLAIM,
      rows: sqlLink(
        `select scan_id, scenario_id, check_id, expected, observed, mismatch, reason from expectations where study_id = ${quote(text(study, "study_id"))} and mismatch is not null order by scan_id, mismatch`,
      ),
    },
    dataTable(
      found,
      [
        {
          title: "Case",
          header: true,
          cell: (row) =>
            h(
              "a",
              {
                href: conversationLink(text(row, "scan_id"), text(row, "conversation"), {
                  check: text(row, "check_id"),
                }),
              },
              text(row, "scenario_id"),
            ),
        },
        { title: "Check", cell: (row) => text(row, "check_id") },
        { title: "Expected", cell: (row) => verdictChip(verdict(row, "expected")) },
        {
          title: "Observed",
          cell: (row) => [
            verdictChip(verdict(row, "observed")),
            row["asked"] === 0 && h("span", { class: "judge-note" }, " not asked"),
          ],
        },
        { title: "Difference", cell: (row) => (maybeText(row, "mismatch") ?? "").replace("_", " ") },
        { title: "Why this was expected", cell: (row) => text(row, "reason"), class: "prose-cell" },
      ],
      {
        label: "Differences",
        group: (row) => `${scanLabel(row)}${flag(row, "is_baseline") ? " (baseline)" : ""}`,
        page: 60,
        empty: "No judge differed from an expectation.",
      },
    ),
  );
}

/** The cases as data: what each is made from, by which declared edits, under which digest. */
export function caseTable({ study, scans, cases }: StudyData): HTMLElement {
  const first = scans[0];
  return figure(
    {
      title: "The cases",
      claim: CLAIM,
      rows: sqlLink(`select * from cases where study_id = ${quote(text(study, "study_id"))} order by position`),
    },
    dataTable(
      cases,
      [
        {
          title: "Case",
          header: true,
          cell: (row) =>
            first === undefined
              ? text(row, "case_id")
              : h(
                  "a",
                  {
                    href: conversationLink(
                      text(first, "scan_id"),
                      `fixture/${text(study, "study_id")}/${text(row, "case_id")}`,
                    ),
                  },
                  text(row, "case_id"),
                ),
        },
        {
          title: "What it is",
          cell: (row) => [
            text(row, "title"),
            maybeText(row, "ambiguous") !== null && h("span", { class: "judge-note" }, " ambiguous"),
          ],
          class: "prose-cell",
        },
        {
          title: "Made from",
          cell: (row) => maybeText(row, "derived_from") ?? h("span", { class: "quiet" }, "written in full"),
        },
        { title: "Edits", cell: (row) => texts(row, "operations").map(operationName).join(", ") },
        {
          title: "Seen",
          cell: (row) =>
            row["seen"] === null
              ? h("span", { class: "quiet", title: "No register says" }, "-")
              : flag(row, "seen")
                ? "seen"
                : h("span", { class: "quiet" }, "unseen"),
        },
        { title: "Transcript", cell: (row) => digestChip(text(row, "transcript_sha256"), "transcript digest") },
      ],
      { label: "Cases" },
    ),
  );
}

function operationName(operation: string): string {
  return /"op":"([a-z_]+)"/.exec(operation)?.[1]?.replaceAll("_", " ") ?? operation;
}

export function provenance({ scans }: StudyData): HTMLElement {
  return figure(
    {
      title: "What was frozen",
      claim: CLAIM,
      note: "A digest shows that bytes are these bytes. It cannot show who wrote them or that anyone was independent.",
    },
    dataTable(
      scans,
      [
        { title: "Judge", header: true, cell: (scan) => judgeCell(scan) },
        { title: "Plan", cell: (scan) => digestChip(text(scan, "plan_sha256"), "plan digest") },
        { title: "Seal", cell: (scan) => digestChip(text(scan, "seal_sha256"), "seal digest") },
        {
          title: "Thresholds",
          cell: (scan) => `no ≤ ${number(scan, "threshold_low")}, yes ≥ ${number(scan, "threshold_high")}`,
        },
        {
          title: "Requests",
          align: "right",
          cell: (scan) =>
            count(
              number(scan, "requests"),
              sqlLink(`select * from requests where scan_id = ${quote(text(scan, "scan_id"))}`),
              "requests",
            ),
        },
        { title: "Technical attempts", align: "right", cell: technicalCell },
        { title: "Labels", cell: (scan) => text(scan, "attachment_status") },
        { title: "Engine", cell: (scan) => `${text(scan, "engine_version")}, rules ${text(scan, "rules_version")}` },
      ],
      { label: "Provenance" },
    ),
  );
}

export function reproduce({ study, scans }: StudyData): Child[] {
  const id = text(study, "study_id");
  const first = scans[0];
  const own = first === undefined ? "<scan>" : text(first, "scan_id");
  return [
    h("p", {}, "Plan and run it again with a judge of your choice, then compare each scan with its own frozen labels:"),
    commandBlock(
      [
        `bench study plan ${id} --output results/${id}`,
        `bench scan run --plan results/${id}/scan_plan.json --max-cost-usd 0`,
        `bench compare --old results/${id} --new results/${id}`,
      ],
      "Commands that plan, run and compare",
    ),
    h("p", {}, "Check the published bytes, and derive the verdicts again from the saved answers:"),
    commandBlock(
      [
        `bench scan verify data/bundles/${own}${first === undefined ? "" : ` --seal ${text(first, "seal_sha256")}`}`,
        `bench scan replay data/bundles/${own}`,
      ],
      "Commands that verify and replay",
    ),
  ];
}
