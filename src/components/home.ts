import { rows } from "./db.js";
import type { Row } from "./db.js";
import { claimList, claimTag } from "./claim.js";
import { h } from "./dom.js";
import type { Child } from "./dom.js";
import { figure } from "./figure.js";
import { conversationsLink, quote, sqlLink, studyLink } from "./links.js";
import { count } from "./rate.js";
import type { Claim } from "./rate.js";
import { flag, number, text, texts } from "./read.js";
import { costCell, judgeCell, metCell, seenCell, unclearAll, unclearApplicable, verdictCell } from "./scan.js";
import { emptyState } from "./states.js";
import { dataTable } from "./table.js";

const SCANS =
  "select * from scans order by run_date desc, study_id nulls last, judge_position nulls last, is_baseline, judge, scan_id";

/** Studies as entries of a list of works: claim, size, and what each judge met of the expectations. */
export async function studyEntries(): Promise<HTMLElement> {
  const studies = await rows("select * from studies order by study_date desc, study_id, study_sha256");
  const scans = await rows(SCANS);
  if (studies.length === 0)
    return emptyState(
      "No study has a finished scan yet",
      "Run ",
      h("code", {}, "bench demo"),
      " and build the site again.",
    );
  return h(
    "ol",
    { class: "entries" },
    studies.map((study) =>
      entry(
        study,
        scans.filter((scan) => scan["study_sha256"] === study["study_sha256"]),
      ),
    ),
  );
}

function entry(study: Row, scans: readonly Row[]): HTMLElement {
  const id = text(study, "study_id");
  return h(
    "li",
    { class: "entry" },
    h(
      "div",
      {},
      h("h3", {}, h("a", { href: studyLink(id) }, text(study, "title"))),
      h("p", {}, text(study, "claim")),
      h(
        "p",
        { class: "entry-meta" },
        `${text(study, "author")}, ${text(study, "study_date")}. `,
        count(
          number(study, "cases"),
          sqlLink(`select * from cases where study_id = ${quote(id)} order by position`),
          "cases",
        ),
        " cases, ",
        count(
          number(study, "pairs"),
          sqlLink(`select * from pairs where study_id = ${quote(id)} order by position`),
          "pairs",
        ),
        ` pairs, ${texts(study, "check_ids").length} ${texts(study, "check_ids").length === 1 ? "check" : "checks"}.`,
      ),
    ),
    h(
      "div",
      { class: "entry-side", tabindex: 0, role: "group", "aria-label": `Judges of ${text(study, "title")}` },
      h(
        "table",
        { class: "plain-table" },
        h(
          "thead",
          {},
          h(
            "tr",
            {},
            h("th", { scope: "col" }, "Judge"),
            h("th", { scope: "col", class: "align-right" }, "Expectations met"),
            h("th", { scope: "col", class: "align-right" }, "Unclear"),
            h("th", { scope: "col" }, "Seen"),
            h("th", { scope: "col", class: "align-right" }, "Cost"),
          ),
        ),
        h(
          "tbody",
          {},
          scans.map((scan) =>
            h(
              "tr",
              {},
              h("th", { scope: "row" }, judgeCell(scan)),
              h("td", { class: "align-right" }, metCell(scan)),
              h("td", { class: "align-right" }, unclearAll(scan)),
              h("td", { class: "nowrap" }, seenCell(scan)),
              h("td", { class: "align-right" }, costCell(scan)),
            ),
          ),
        ),
      ),
      h("p", { class: "plate-note" }, claimTag("frozen_validation_cases")),
    ),
  );
}

/** Scans, newest first, authored fixtures and target-model conversations in tables of their own. */
export async function scanTables(): Promise<Child[]> {
  const scans = await rows(SCANS);
  const fixtures = scans.filter((scan) => flag(scan, "is_fixture"));
  const targets = scans.filter((scan) => !flag(scan, "is_fixture"));
  return [
    h("h3", {}, "Over target-model conversations"),
    targets.length === 0
      ? emptyState(
          "No scan over target-model conversations is published here",
          "Import a source run, plan and run a scan over it, and name its folder in ASSAY_DATA or put it below data/bundles.",
        )
      : scanTable(targets, "target_model_conversations"),
    h("h3", {}, "Over authored cases"),
    fixtures.length === 0
      ? emptyState("No scan over authored cases is here")
      : scanTable(fixtures, "frozen_validation_cases"),
  ];
}

function scanTable(scans: readonly Row[], claim: Claim): HTMLElement {
  const where = claim === "frozen_validation_cases" ? "is_fixture" : "not is_fixture";
  return figure(
    {
      title:
        claim === "frozen_validation_cases"
          ? "Scans of authored cases: counts, not estimates"
          : "Scans of target-model conversations",
      claim,
      rows: sqlLink(`select * from scans where ${where} order by run_date desc, judge_position`),
      note: "UNCLEAR is given over all judgments and over those that apply. A lower share of UNCLEAR is not an improvement by itself.",
    },
    dataTable(
      scans,
      [
        { title: "Judge", header: true, cell: (scan) => judgeCell(scan), sort: (scan) => text(scan, "judge") },
        {
          title: "Conversations",
          align: "right",
          cell: (scan) =>
            count(number(scan, "conversations"), conversationsLink(text(scan, "scan_id")), "conversations"),
          sort: (scan) => number(scan, "conversations"),
        },
        {
          title: "Checks",
          align: "right",
          cell: (scan) => count(number(scan, "checks"), checkRows(text(scan, "scan_id")), "checks"),
        },
        { title: verdictHeads(), cell: verdictCell, class: "wide-cell" },
        {
          title: "Unclear, all",
          align: "right",
          cell: unclearAll,
          sort: (scan) => number(scan, "unclear_all_numerator"),
        },
        { title: "Unclear, applicable", align: "right", cell: unclearApplicable },
        ...(claim === "frozen_validation_cases"
          ? [
              {
                title: "Expectations met",
                align: "right" as const,
                cell: metCell,
                sort: (scan: Row) => number(scan, "expectations_agreed"),
              },
              { title: "Seen", cell: seenCell },
            ]
          : []),
        { title: "Cost", align: "right", cell: costCell },
      ],
      {
        label: "Scans",
        group: (scan) => `${texts(scan, "run_ids").join(", ")}, ${text(scan, "run_date").slice(0, 10)}`,
      },
    ),
  );
}

const checkRows = (scan: string): string =>
  sqlLink(
    `select check_id, summary, pass_meaning, severity, check_sha256\nfrom checks\nwhere check_sha256 in (select check_sha256 from judgments where scan_id = ${quote(scan)})\norder by layer, check_id`,
  );

function verdictHeads(): HTMLElement {
  return h(
    "span",
    { class: "verdict-counts verdict-heads" },
    h("span", {}, "Pass"),
    h("span", {}, "Fail"),
    h("span", {}, "Unclear"),
    h("span", {}, "N/A"),
  );
}

/** The three claims, each with what is published here under it. */
export async function claimsHere(): Promise<HTMLElement> {
  const found = await rows(
    "select claim, count(*)::integer as scans, sum(judgments)::double as judgments from scans group by claim",
  );
  const counts: Partial<Record<Claim, string>> = {
    development_exemplars: "On the command line: bench exemplars verify.",
  };
  for (const row of found) {
    const claim = text(row, "claim");
    if (claim === "frozen_validation_cases" || claim === "target_model_conversations")
      counts[claim] = `Here: ${number(row, "scans")} scans, ${number(row, "judgments")} judgments.`;
  }
  return claimList(counts);
}

/** Bundles the site was given and shows nothing of, with the reason; null where there is none. */
export function leftOut(build: { left_out: { name: string; status: string; reason: string }[] }): HTMLElement | null {
  const named = build.left_out.filter(({ status }) => status !== "superseded");
  if (named.length === 0) return null;
  return h(
    "div",
    {},
    h("h3", {}, "Not shown"),
    h(
      "ul",
      {},
      named.map(({ name, status, reason }) => h("li", {}, h("code", {}, name), ` ${status}: ${reason}`)),
    ),
  );
}
