import { agree, bestConstant, coefficientColumns, coefficientNote, constantColumn, total } from "./agreement-cells.js";
import type { Stats } from "./agreement-cells.js";
import { sharedRows } from "./agreement-query.js";
import type { Row } from "./db.js";
import { h } from "./dom.js";
import type { Child } from "./dom.js";
import { figure } from "./figure.js";
import { quote, sqlLink } from "./links.js";
import type { Cells } from "./matrix.js";
import { rate } from "./rate.js";
import type { Claim } from "./rate.js";
import { flag, text } from "./read.js";
import { scanLabel, scanRows } from "./scan.js";
import { dataTable } from "./table.js";
import { verdictShort } from "./verdict.js";

type CellsOfPair = (a: string, b: string) => Cells;

/** Every pair of judges over all checks together: n/N first, coefficients after, each beside a constant verdict. */
export function pooled(
  scans: readonly Row[],
  claim: Claim,
  stats: Stats,
  cells: CellsOfPair,
  open: (a: string, b: string) => void,
): HTMLElement[] {
  const ids = scans.map((scan) => quote(text(scan, "scan_id"))).join(", ");
  const pairs = scans
    .flatMap((a, i) => scans.slice(i + 1).map((b) => ({ a, b, cells: cells(text(a, "scan_id"), text(b, "scan_id")) })))
    .filter((pair) => total(pair.cells) > 0);
  return [
    figure(
      {
        title: "Judgments on which two judges give the same verdict",
        claim,
        note: "Over judgments both scans share, byte for byte, check definitions included. The row of a constant judge, and the last row, show what agreement costs without reading. A cell opens that pair above.",
        rows: sqlLink(
          `select judge_a, context_a, judge_b, context_b, sum(n)::double as n, (sum(n) filter (where agrees))::double as agree\nfrom agreement\nwhere scan_a in (${ids}) and scan_b in (${ids})\ngroup by all order by all`,
        ),
      },
      grid(scans, cells, open),
    ),
    figure(
      {
        title: "Pooled over checks: read the checks first",
        claim,
        note: [
          "Pooling checks that apply to different shares of conversations makes a coefficient that belongs to none of them. ",
          coefficientNote(claim === "target_model_conversations" ? "pooled" : "authored"),
        ],
      },
      dataTable(
        pairs,
        [
          {
            title: "Judges",
            header: true,
            cell: ({ a, b }) => [judgeName(a), h("span", { class: "quiet" }, " with "), judgeName(b)],
          },
          {
            title: "Agree",
            align: "right",
            cell: ({ a, b, cells }) =>
              rate(agree(cells), total(cells), {
                href: sharedRows(text(a, "scan_id"), text(b, "scan_id")),
                label: "open the shared judgments, differences first",
              }),
            sort: (pair) => agree(pair.cells) / total(pair.cells),
          },
          constantColumn<(typeof pairs)[number]>("A constant with the first", "row", ({ a, b }, always) =>
            sharedRows(text(a, "scan_id"), text(b, "scan_id"), `a.verdict = '${always}'`),
          ),
          constantColumn<(typeof pairs)[number]>("A constant with the second", "column", ({ a, b }, always) =>
            sharedRows(text(a, "scan_id"), text(b, "scan_id"), `b.verdict = '${always}'`),
          ),
          ...coefficientColumns<(typeof pairs)[number]>(stats, false),
        ],
        { label: "Agreement of every pair", page: 30 },
      ),
    ),
  ];
}

function judgeName(scan: Row): Child {
  return [scanLabel(scan), flag(scan, "is_baseline") && h("span", { class: "judge-note" }, " baseline")];
}

/** All pairs as a half grid of n/N, closed by the best constant verdict for each column. */
function grid(scans: readonly Row[], cells: CellsOfPair, open: (a: string, b: string) => void): HTMLElement {
  const label = (scan: Row): Child => [
    h("span", { class: "judge-name" }, scanLabel(scan)),
    flag(scan, "is_baseline") && h("span", { class: "judge-note" }, "baseline"),
  ];
  const heads = scans.slice(0, -1);
  const cell = (column: Row, row: Row): HTMLElement => {
    const [a, b] = [text(column, "scan_id"), text(row, "scan_id")];
    const own = cells(a, b);
    const n = total(own);
    if (n === 0) return h("td", { class: "quiet" }, "- (0/0)");
    return h(
      "td",
      {},
      h(
        "button",
        {
          type: "button",
          class: "pair-cell",
          style: { "--share": String(agree(own) / n) },
          on: { click: () => open(a, b) },
        },
        `${agree(own)}/${n}`,
      ),
    );
  };
  const constant = (scan: Row): HTMLElement => {
    const own = cells(text(scan, "scan_id"), text(scan, "scan_id"));
    const { always, n } = bestConstant(own, "row");
    return h(
      "td",
      { class: "quiet" },
      rate(n, total(own), {
        href: scanRows(text(scan, "scan_id"), `verdict = '${always}'`),
        label: verdictShort(always),
      }),
      h("span", { class: "judge-note" }, ` ${verdictShort(always)}`),
    );
  };
  return h(
    "table",
    { class: "data pair-grid", "aria-label": "Agreement of every pair of judges" },
    h(
      "thead",
      {},
      h(
        "tr",
        {},
        h("td", {}),
        heads.map((scan) => h("th", { scope: "col" }, label(scan))),
      ),
    ),
    h(
      "tbody",
      {},
      scans.slice(1).map((row, i) =>
        h(
          "tr",
          {},
          h("th", { scope: "row" }, label(row)),
          heads.map((column, j) => (j > i ? h("td", {}) : cell(column, row))),
        ),
      ),
      h("tr", { class: "constant-row" }, h("th", { scope: "row" }, "Always one verdict, at best"), heads.map(constant)),
    ),
  );
}
