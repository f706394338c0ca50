import { agree, at, coefficientColumns, coefficientNote, constantColumn, total } from "./agreement-cells.js";
import type { Stats } from "./agreement-cells.js";
import { SHARED, sharedRows } from "./agreement-query.js";
import { rows } from "./db.js";
import type { Row } from "./db.js";
import { h } from "./dom.js";
import { figure } from "./figure.js";
import { checkLink, conversationLink, quote } from "./links.js";
import { cellsOf, verdictMatrix } from "./matrix.js";
import type { Cells } from "./matrix.js";
import { param } from "./params.js";
import { count, rate } from "./rate.js";
import type { Claim } from "./rate.js";
import { number, text, verdict } from "./read.js";
import { scanLabel } from "./scan.js";
import { emptyState } from "./states.js";
import { dataTable } from "./table.js";
import type { Column } from "./table.js";
import { VERDICTS, isVerdict, verdictChip, verdictShort } from "./verdict.js";

interface Pair {
  a: string;
  b: string;
  names: [a: string, b: string];
  claim: Claim;
}

/** One pair of scans: agreement per check, then all transitions, then every judgment that differs. */
export async function pairDetail(
  scans: readonly Row[],
  choice: Record<string, string>,
  claim: Claim,
  stats: Stats,
  cells: (a: string, b: string) => Cells,
): Promise<HTMLElement[]> {
  const [a, b] = [choice["a"] ?? "", choice["b"] ?? ""];
  if (a === b)
    return [
      emptyState(
        "This is one scan twice",
        "Choose two scans. A judge is compared with itself further down, where a scan asked each request several times.",
      ),
    ];
  const own = cells(a, b);
  if (total(own) === 0)
    return [
      emptyState(
        "These scans share no judgment",
        "They judged other conversations, or the check definitions changed between them.",
      ),
    ];
  const name = (id: string): string => scanLabel(scans.find((scan) => scan["scan_id"] === id) ?? {});
  const pair: Pair = { a, b, names: [name(a), name(b)], claim };
  return [await byCheck(pair, stats), transitions(pair, own), await differences(pair)];
}

async function byCheck({ a, b, names, claim }: Pair, stats: Stats): Promise<HTMLElement> {
  const found = await rows(
    `select a.check_id, a.verdict as row, b.verdict as "column", count(*)::integer as n ${SHARED} and a.scan_id = ? and b.scan_id = ? group by all order by a.check_id`,
    [a, b],
  );
  const checks = [...new Set(found.map((row) => text(row, "check_id")))].map((check) => ({
    check,
    cells: cellsOf(
      found
        .filter((row) => row["check_id"] === check)
        .map((row) => ({ row: text(row, "row"), column: text(row, "column"), n: number(row, "n") })),
    ),
  }));
  const interval = claim === "target_model_conversations";
  const only = (check: string, where = "true"): string => sharedRows(a, b, `a.check_id = ${quote(check)} and ${where}`);
  const columns: Column<(typeof checks)[number]>[] = [
    { title: "Check", header: true, cell: (row) => h("a", { href: checkLink(row.check) }, row.check) },
    {
      title: "Agree",
      align: "right",
      cell: (row) =>
        rate(agree(row.cells), total(row.cells), {
          claim,
          href: only(row.check),
          label: "shared judgments of this check",
        }),
      sort: (row) => agree(row.cells) / total(row.cells),
    },
    constantColumn<(typeof checks)[number]>(`A constant with ${names[0]}`, "row", (row, always) =>
      only(row.check, `a.verdict = '${always}'`),
    ),
    constantColumn<(typeof checks)[number]>(`A constant with ${names[1]}`, "column", (row, always) =>
      only(row.check, `b.verdict = '${always}'`),
    ),
    {
      title: "Agree, both applicable",
      align: "right",
      cell: (row) => {
        const both = VERDICTS.slice(0, 3);
        const n = both.reduce((sum, x) => sum + both.reduce((inner, y) => inner + at(row.cells, x, y), 0), 0);
        const same = both.reduce((sum, x) => sum + at(row.cells, x, x), 0);
        return rate(same, n, {
          claim,
          href: only(row.check, "a.verdict <> 'NOT_APPLICABLE' and b.verdict <> 'NOT_APPLICABLE'"),
          label: "judgments that both found applicable",
        });
      },
    },
    {
      title: "Applicability differs",
      align: "right",
      cell: (row) =>
        count(
          VERDICTS.slice(0, 3).reduce(
            (sum, x) => sum + at(row.cells, x, "NOT_APPLICABLE") + at(row.cells, "NOT_APPLICABLE", x),
            0,
          ),
          only(row.check, "(a.verdict = 'NOT_APPLICABLE') <> (b.verdict = 'NOT_APPLICABLE')"),
          "changes of applicability",
        ),
    },
    ...coefficientColumns<(typeof checks)[number]>(stats, interval),
  ];
  return figure(
    {
      title: `${names[0]} and ${names[1]}, check by check`,
      claim,
      note: [
        "A constant: the agreement that always giving that side's most frequent verdict would reach, reading nothing. ",
        coefficientNote(interval ? "conversations" : "authored"),
      ],
      rows: sharedRows(a, b),
    },
    dataTable(checks, columns, { label: "Agreement by check", page: 60 }),
  );
}

function transitions({ a, b, names, claim }: Pair, cells: Cells): HTMLElement {
  return figure(
    {
      title: `Verdict transitions, ${names[0]} to ${names[1]}`,
      claim,
      note: "Off the diagonal: the verdict changes. Changes into and out of N/A are changes of applicability. A count opens its rows.",
      rows: sharedRows(a, b),
    },
    verdictMatrix(cells, {
      rowTitle: "From",
      columnTitle: "To",
      neutral: true,
      href: (row, column) => sharedRows(a, b, `a.verdict = '${row}' and b.verdict = '${column}'`),
    }),
  );
}

async function differences({ a, b, names, claim }: Pair): Promise<HTMLElement> {
  const [from, to] = [param("from"), param("to")];
  const filter = isVerdict(from) && isVerdict(to) ? ` and a.verdict = ${quote(from)} and b.verdict = ${quote(to)}` : "";
  const found = await rows(
    `select a.conversation, a.scenario_id, a.model_id, a.check_id, a.verdict as verdict_a, b.verdict as verdict_b ${SHARED} and a.scan_id = ? and b.scan_id = ? and a.verdict <> b.verdict${filter} order by a.check_id, a.conversation`,
    [a, b],
  );
  const verdictColumn = (title: string, name: string): Column<Row> => ({
    title,
    cell: (row) => verdictChip(verdict(row, name)),
    sort: (row) => verdictShort(verdict(row, name) ?? "PASS"),
  });
  return figure(
    { title: `${found.length} disagreements`, claim, rows: sharedRows(a, b, `a.verdict <> b.verdict${filter}`) },
    dataTable(
      found,
      [
        {
          title: "Conversation",
          header: true,
          cell: (row) =>
            h(
              "a",
              { href: conversationLink(a, text(row, "conversation"), { check: text(row, "check_id"), beside: b }) },
              text(row, "scenario_id"),
            ),
          sort: (row) => text(row, "conversation"),
        },
        ...(claim === "target_model_conversations"
          ? [{ title: "Model", cell: (row: Row) => text(row, "model_id"), sort: (row: Row) => text(row, "model_id") }]
          : []),
        { title: "Check", cell: (row) => text(row, "check_id"), sort: (row) => text(row, "check_id") },
        verdictColumn(names[0], "verdict_a"),
        verdictColumn(names[1], "verdict_b"),
      ],
      {
        label: "Disagreements",
        page: 25,
        empty: "The two scans agree on every shared judgment.",
        filter: (row) =>
          `${text(row, "conversation")} ${text(row, "check_id")} ${text(row, "verdict_a")} ${text(row, "verdict_b")}`,
      },
    ),
  );
}
