import { rateBars } from "./chart.js";
import { rows } from "./db.js";
import type { Row } from "./db.js";
import { h } from "./dom.js";
import type { Child } from "./dom.js";
import { figure } from "./figure.js";
import { checkLink, quote, sqlLink } from "./links.js";
import { rate } from "./rate.js";
import type { Claim } from "./rate.js";
import { number, text } from "./read.js";
import { byCollection, collection, collectionHead, judgeCell, judgeNote, scanLabel } from "./scan.js";
import { emptyState } from "./states.js";
import { dataTable } from "./table.js";
import { possibleChips } from "./verdict.js";

/** UNCLEAR under one claim, the conversations of each study or source run for themselves. */
export async function unclearSection(claim: Claim): Promise<Child[]> {
  const scans = await rows(
    "select * from scans where claim = ? order by run_date desc, study_id, judge_position nulls last, is_baseline, judge, scan_id",
    [claim],
  );
  if (scans.length === 0)
    return [
      emptyState(
        claim === "target_model_conversations"
          ? "No scan over target-model conversations is published here"
          : "No scan over authored cases is here",
      ),
    ];
  const counts = await rows(
    `select j.scan_id, j.layer, j.check_id,
      (count(*) filter (where j.verdict = 'UNCLEAR'))::integer as x,
      (count(*) filter (where j.verdict is not null))::integer as n,
      (count(*) filter (where j.verdict is not null and j.verdict <> 'NOT_APPLICABLE'))::integer as applicable,
      (count(*) filter (where j.verdict = 'NOT_APPLICABLE'))::integer as na
     from judgments j where j.claim = ? group by all`,
    [claim],
  );
  return byCollection(scans).flatMap(([, own]) => unclearOf(own, counts, claim));
}

/** UNCLEAR by judge, then by check and judge, over all and over applicable. */
function unclearOf(scans: readonly Row[], counts: readonly Row[], claim: Claim): Child[] {
  const place = new Map(scans.map((scan, i) => [text(scan, "scan_id"), i]));
  const order = (row: Row): number => place.get(text(row, "scan_id")) ?? scans.length;
  const checks = counts
    .filter((row) => place.has(text(row, "scan_id")))
    .sort(
      (a, b) =>
        text(a, "layer").localeCompare(text(b, "layer")) ||
        text(a, "check_id").localeCompare(text(b, "check_id")) ||
        order(a) - order(b),
    );
  const where = (row: Row, scan: string, verdict: string): string =>
    sqlLink(
      `select conversation, check_id, possible, open, rationale\nfrom judgments\nwhere scan_id = ${quote(scan)} and check_id = ${quote(text(row, "check_id"))} and verdict = ${quote(verdict)}\norder by conversation`,
    );
  const named = (row: Row): Row => scans.find((scan) => scan["scan_id"] === row["scan_id"]) ?? row;
  const only = `scan_id in (${scans.map((scan) => quote(text(scan, "scan_id"))).join(", ")})`;
  return [
    scans[0] === undefined ? null : collectionHead(scans[0]),
    figure(
      {
        kind: "figure",
        title: "UNCLEAR over all judgments, by judge",
        claim,
        note: "A judge that answers everything with certainty has no UNCLEAR and may be wrong throughout.",
        rows: sqlLink(
          `select judge, context, unclear_all_numerator, unclear_all_denominator, unclear_applicable_numerator, unclear_applicable_denominator from scans where ${only}`,
        ),
      },
      rateBars(
        scans.map((scan) => ({
          label: `${scanLabel(scan)}${judgeNote(scan) === "baseline" ? " (baseline)" : ""}`,
          count: number(scan, "unclear_all_numerator"),
          total: number(scan, "unclear_all_denominator"),
        })),
        {
          label: "Share of UNCLEAR over all judgments for each judge; the numbers are in the next table",
          verdict: "unclear",
          interval: claim === "target_model_conversations",
        },
      ),
    ),
    figure(
      {
        title: "UNCLEAR by check and judge",
        claim,
        note: "Over applicable leaves out NOT_APPLICABLE, whose share stands beside it: a judge that finds fewer checks applicable has a smaller denominator.",
        rows: sqlLink(`select * from unclear_rates where ${only} order by layer, check_id, scan_id`),
      },
      dataTable(
        checks,
        [
          { title: "Judge", header: true, cell: (row) => judgeCell(named(row)) },
          {
            title: "Unclear, all",
            align: "right",
            cell: (row) =>
              rate(number(row, "x"), number(row, "n"), { claim, href: where(row, text(row, "scan_id"), "UNCLEAR") }),
          },
          {
            title: "Unclear, applicable",
            align: "right",
            cell: (row) =>
              rate(number(row, "x"), number(row, "applicable"), {
                claim,
                href: where(row, text(row, "scan_id"), "UNCLEAR"),
              }),
          },
          {
            title: "Not applicable",
            align: "right",
            cell: (row) =>
              rate(number(row, "na"), number(row, "n"), {
                claim,
                href: where(row, text(row, "scan_id"), "NOT_APPLICABLE"),
              }),
          },
        ],
        {
          label: `UNCLEAR by check and judge, ${scans.map(collection)[0] ?? ""}`,
          group: (row) => text(row, "check_id"),
          page: 240,
        },
      ),
    ),
  ];
}

/** Which unresolved answers would settle something on their own, and what is at stake. */
export async function effectsSection(): Promise<HTMLElement> {
  const found = await rows(
    `select s.*, e.check_id as check_of, e.question, e.possible_now, e.stake, count(distinct (e.conversation, e.role, e.turn, e.key))::integer as n
     from effects e join scans s on s.scan_id = e.scan_id where e.shrinks
     group by all order by n desc, check_of, e.question limit 400`,
  );
  return figure(
    {
      title: "Unresolved answers that would narrow a verdict on their own",
      claim: "mixed",
      note: "One answer is resolved at a time. Some judgments need several answers to resolve together, so no row here does not mean that an unresolved answer is irrelevant.",
      rows: sqlLink("select * from effects order by scan_id, conversation, check_id, key limit 500"),
    },
    dataTable(
      found,
      [
        {
          title: "Check",
          header: true,
          cell: (row) => h("a", { href: checkLink(text(row, "check_of")) }, text(row, "check_of")),
        },
        { title: "Question", cell: (row) => h("code", {}, text(row, "question")) },
        { title: "Judge", cell: (row) => judgeCell(row) },
        {
          title: "Claim, conversations",
          cell: (row) => [
            text(row, "claim") === "target_model_conversations" ? "3 · " : "2 · ",
            h("span", { class: "quiet" }, collection(row)),
          ],
        },
        { title: "At stake", cell: (row) => possibleChips(text(row, "stake").split("|")) },
        {
          title: "Observations",
          align: "right",
          cell: (row) =>
            h(
              "a",
              {
                class: "num",
                href: sqlLink(
                  `select conversation, role, turn, key, resolution, possible_now, possible_then\nfrom effects\nwhere scan_id = ${quote(text(row, "scan_id"))} and check_id = ${quote(text(row, "check_of"))} and question = ${quote(text(row, "question"))} and stake = ${quote(text(row, "stake"))} and shrinks\norder by conversation, turn, key`,
                ),
              },
              number(row, "n"),
            ),
          sort: (row) => number(row, "n"),
        },
      ],
      { label: "Effects", page: 25, empty: "No single unresolved answer narrows a verdict on its own." },
    ),
  );
}
