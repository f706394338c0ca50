import { claimBanner, isClaim } from "./claim.js";
import { rows } from "./db.js";
import type { Row } from "./db.js";
import { h } from "./dom.js";
import type { Child } from "./dom.js";
import { figure } from "./figure.js";
import { conversationLink, quote, sqlLink } from "./links.js";
import { cellsOf, verdictMatrix } from "./matrix.js";
import type { Cells } from "./matrix.js";
import { chooser, chosen, param, setParams } from "./params.js";
import { count, rate } from "./rate.js";
import type { Claim } from "./rate.js";
import { flag, number, text, verdict } from "./read.js";
import { byCollection, scanLabel } from "./scan.js";
import { emptyState, errorState } from "./states.js";
import { dataTable } from "./table.js";
import { VERDICTS, verdictChip, verdictShort } from "./verdict.js";

interface Coefficient {
  ci?: readonly number[] | null;
  reason?: string;
}
/** The engine's estimators, as the page loads them. */
export interface Stats {
  cohenKappa(matrix: number[][]): Coefficient & { kappa: number | null };
  gwetAC1(matrix: number[][]): Coefficient & { ac1: number | null };
  krippendorffAlpha(units: (number | null)[][], level: "nominal"): Coefficient & { alpha: number | null };
}

const SHARED = `
from judgments a
join judgments b on a.conversation = b.conversation and a.check_id = b.check_id
  and a.check_sha256 = b.check_sha256 and a.evidence_context_sha256 = b.evidence_context_sha256
where a.verdict is not null and b.verdict is not null`;

/** Every pair of judges over shared judgments of one claim, then one chosen pair in full. */
export async function agreementPage(stats: Stats): Promise<HTMLElement> {
  const scans = await rows(
    "select * from scans order by is_fixture, study_id, run_date desc, judge_position nulls last, is_baseline, judge, scan_id",
  );
  const groups = byCollection(scans);
  if (groups.length === 0) return emptyState("There is no scan to compare yet");
  const place = h("div", {});
  const redraw = (): void => {
    const [, own] = groups.find(([name]) => name === chosen(controls)["over"]) ?? [];
    const claim = own?.[0]?.["claim"];
    if (own === undefined || !isClaim(claim)) return;
    void overview(own, claim, stats).then(
      (nodes) => place.replaceChildren(...nodes),
      (error: unknown) => place.replaceChildren(errorState(error)),
    );
  };
  const choices = groups.map(([name, [first]]) => ({
    value: name,
    label: `${first?.["is_fixture"] === true ? "Authored cases" : "Target-model conversations"}: ${name}`,
  }));
  const controls = h(
    "div",
    { class: "controls", role: "group", "aria-label": "What is compared" },
    chooser("over", "Over", choices, {
      onChange: () => {
        setParams({ a: "", b: "" });
        redraw();
      },
    }),
  );
  redraw();
  return h("div", {}, controls, place);
}

async function overview(scans: readonly Row[], claim: Claim, stats: Stats): Promise<HTMLElement[]> {
  const counts = await rows(
    `select a.scan_id as scan_a, b.scan_id as scan_b, a.verdict as row, b.verdict as "column", count(*)::integer as n ${SHARED} and a.claim = ? and b.claim = a.claim group by all`,
    [claim],
  );
  const cells = (a: string, b: string): Cells =>
    cellsOf(
      counts
        .filter((row) => row["scan_a"] === a && row["scan_b"] === b)
        .map((row) => ({ row: text(row, "row"), column: text(row, "column"), n: number(row, "n") })),
    );
  const pairs = scans
    .flatMap((a, i) => scans.slice(i + 1).map((b) => ({ a, b, cells: cells(text(a, "scan_id"), text(b, "scan_id")) })))
    .filter((pair) => total(pair.cells) > 0);
  const interval = claim === "target_model_conversations";
  const ids = scans.map((scan) => quote(text(scan, "scan_id"))).join(", ");
  const detail = h("div", { id: "pair" });
  const show = (): void => {
    void pairDetail(scans, chosen(choice), claim, stats, cells).then(
      (nodes) => detail.replaceChildren(...nodes),
      (error: unknown) => detail.replaceChildren(errorState(error)),
    );
  };
  const choices = scans.map((scan) => ({
    value: text(scan, "scan_id"),
    label: `${scanLabel(scan)}${flag(scan, "is_baseline") ? " (baseline)" : ""}`,
  }));
  const choice = h(
    "div",
    { class: "controls", role: "group", "aria-label": "Two judges" },
    chooser("a", "From", choices, { onChange: show }),
    chooser("b", "To", choices, { fallback: choices[1]?.value ?? "", onChange: show }),
  );
  show();
  return [
    claimBanner(claim),
    figure(
      {
        title: "Judgments on which two judges give the same verdict",
        claim,
        note: "Over judgments both scans share, byte for byte, check definitions included. A cell opens that pair below.",
        rows: sqlLink(
          `select judge_a, context_a, judge_b, context_b, sum(n)::double as n, (sum(n) filter (where agrees))::double as agree\nfrom agreement\nwhere scan_a in (${ids}) and scan_b in (${ids})\ngroup by all order by all`,
        ),
      },
      grid(scans, cells, (a, b) => {
        setParams({ a, b });
        for (const select of choice.querySelectorAll("select")) select.value = select.name === "a" ? a : b;
        show();
        choice.scrollIntoView({ block: "start" });
      }),
    ),
    figure(
      { title: "Chance-corrected agreement of every pair", claim, note: [coefficientNote(interval)] },
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
            cell: (pair) =>
              rate(agree(pair.cells), total(pair.cells), {
                claim,
                href: disagreementLink(pair.a, pair.b),
                label: "open the disagreements",
              }),
            sort: (pair) => agree(pair.cells) / total(pair.cells),
          },
          ...coefficients(stats, interval),
        ],
        { label: "Agreement of every pair", page: 60 },
      ),
    ),
    h("h2", {}, "Two judges, verdict by verdict"),
    choice,
    detail,
  ];
}

function judgeName(scan: Row): Child {
  return [scanLabel(scan), flag(scan, "is_baseline") && h("span", { class: "judge-note" }, " baseline")];
}

function coefficientNote(interval: boolean): string {
  const intervals = interval
    ? "Intervals are 95 %, computed as if judgments were independent; those of one conversation are not."
    : "No intervals: authored cases support no estimate.";
  return `Kappa, Krippendorff's alpha and Gwet's AC1 over the four verdicts. ${intervals} Where nearly every verdict is the same, AC1 is high for a judge that reads nothing: look at the 4 × 4 first.`;
}

type Pair = { cells: Cells };
type PairColumn = { title: string; align: "right"; cell: (pair: Pair) => Child; sort: (pair: Pair) => number | null };

function coefficients(stats: Stats, interval: boolean): PairColumn[] {
  const column = (
    title: string,
    of: (cells: Cells) => {
      value: number | null;
      ci?: readonly number[] | null | undefined;
      reason?: string | undefined;
    },
  ): PairColumn => ({
    title,
    align: "right",
    cell: (pair) => {
      const { value, ci, reason } = of(pair.cells);
      if (value === null) return h("span", { class: "quiet", title: reason }, "undefined");
      return [
        value.toFixed(2),
        interval && ci && h("span", { class: "rate-ci" }, ` [${ci.map((end) => end.toFixed(2)).join(", ")}]`),
      ];
    },
    sort: (pair) => of(pair.cells).value,
  });
  return [
    column("Kappa", (cells) => {
      const found = stats.cohenKappa(matrixOf(cells));
      return { value: found.kappa, ci: found.ci, reason: found.reason };
    }),
    column("Alpha", (cells) => {
      const found = stats.krippendorffAlpha(unitsOf(cells), "nominal");
      return { value: found.alpha, reason: found.reason };
    }),
    column("AC1", (cells) => {
      const found = stats.gwetAC1(matrixOf(cells));
      return { value: found.ac1, ci: found.ci, reason: found.reason };
    }),
  ];
}

const at = (cells: Cells, row: number, column: number): number =>
  cells[`${VERDICTS[row] ?? "PASS"}>${VERDICTS[column] ?? "PASS"}`] ?? 0;
const matrixOf = (cells: Cells): number[][] => VERDICTS.map((_, i) => VERDICTS.map((__, j) => at(cells, i, j)));
const unitsOf = (cells: Cells): number[][] =>
  VERDICTS.flatMap((_, i) => VERDICTS.flatMap((__, j) => Array.from({ length: at(cells, i, j) }, () => [i, j])));
const total = (cells: Cells): number => Object.values(cells).reduce((sum, n) => sum + n, 0);
const agree = (cells: Cells): number => VERDICTS.reduce((sum, _, i) => sum + at(cells, i, i), 0);

/** All pairs as a half grid of n/N. */
function grid(
  scans: readonly Row[],
  cells: (a: string, b: string) => Cells,
  open: (a: string, b: string) => void,
): HTMLElement {
  const label = (scan: Row): Child => [
    h("span", { class: "judge-name" }, scanLabel(scan)),
    flag(scan, "is_baseline") && h("span", { class: "judge-note" }, "baseline"),
  ];
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
        scans.slice(0, -1).map((scan) => h("th", { scope: "col" }, label(scan))),
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
          scans.slice(0, -1).map((column, j) => {
            if (j > i) return h("td", {});
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
          }),
        ),
      ),
    ),
  );
}

function disagreementLink(a: Row, b: Row): string {
  return sqlLink(disagreementQuery(text(a, "scan_id"), text(b, "scan_id")));
}

function disagreementQuery(a: string, b: string): string {
  return `select a.conversation, a.check_id, a.verdict as verdict_a, b.verdict as verdict_b, a.rationale as rationale_a, b.rationale as rationale_b${SHARED}
  and a.scan_id = ${quote(a)} and b.scan_id = ${quote(b)} and a.verdict <> b.verdict
order by a.check_id, a.conversation`;
}

/** One pair: its transitions, its agreement per check, and every disagreement. */
async function pairDetail(
  scans: readonly Row[],
  choice: Record<string, string>,
  claim: Claim,
  stats: Stats,
  cells: (a: string, b: string) => Cells,
): Promise<HTMLElement[]> {
  const a = choice["a"] ?? "";
  const b = choice["b"] ?? "";
  if (a === b)
    return [
      emptyState(
        "This is one scan twice",
        "Choose two scans. A judge is compared with itself where a scan asked each request several times.",
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
  const only = [param("from"), param("to")];
  const filter =
    VERDICTS.some((value) => value === only[0]) && VERDICTS.some((value) => value === only[1])
      ? ` and a.verdict = ${quote(only[0] ?? "")} and b.verdict = ${quote(only[1] ?? "")}`
      : "";
  const perCheck = await rows(
    `select a.check_id, a.verdict as row, b.verdict as "column", count(*)::integer as n ${SHARED} and a.scan_id = ? and b.scan_id = ? group by all order by a.check_id`,
    [a, b],
  );
  const checks = [...new Set(perCheck.map((row) => text(row, "check_id")))].map((check) => ({
    check,
    cells: cellsOf(
      perCheck
        .filter((row) => row["check_id"] === check)
        .map((row) => ({ row: text(row, "row"), column: text(row, "column"), n: number(row, "n") })),
    ),
  }));
  const differing = await rows(
    `select a.conversation, a.scenario_id, a.model_id, a.check_id, a.verdict as verdict_a, b.verdict as verdict_b ${SHARED} and a.scan_id = ? and b.scan_id = ? and a.verdict <> b.verdict${filter} order by a.check_id, a.conversation`,
    [a, b],
  );
  const interval = claim === "target_model_conversations";
  const checkRows = (check: string, where: string): string =>
    sqlLink(
      `select a.conversation, a.verdict as verdict_a, b.verdict as verdict_b${SHARED}\n  and a.scan_id = ${quote(a)} and b.scan_id = ${quote(b)} and a.check_id = ${quote(check)} and ${where}\norder by a.verdict <> b.verdict desc, a.conversation`,
    );
  return [
    figure(
      {
        title: `Verdict transitions, ${name(a)} to ${name(b)}`,
        claim,
        note: "Off the diagonal: the verdict changes. Changes into and out of N/A are changes of applicability. A count opens its rows.",
        rows: sqlLink(
          `select * from agreement where scan_a = least(${quote(a)}, ${quote(b)}) and scan_b = greatest(${quote(a)}, ${quote(b)})`,
        ),
      },
      verdictMatrix(own, {
        rowTitle: "From",
        columnTitle: "To",
        neutral: true,
        href: (row, column) =>
          sqlLink(
            `select a.conversation, a.check_id, a.verdict as verdict_a, b.verdict as verdict_b${SHARED}\n  and a.scan_id = ${quote(a)} and b.scan_id = ${quote(b)} and a.verdict = '${row}' and b.verdict = '${column}'\norder by a.check_id, a.conversation`,
          ),
      }),
    ),
    figure(
      { title: "Agreement by check", claim },
      dataTable(
        checks,
        [
          { title: "Check", header: true, cell: (row) => row.check },
          {
            title: "Agree",
            align: "right",
            cell: (row) =>
              rate(agree(row.cells), total(row.cells), {
                claim,
                href: checkRows(row.check, "true"),
                label: "shared judgments of this check",
              }),
            sort: (row) => agree(row.cells) / total(row.cells),
          },
          {
            title: "Changes of applicability",
            align: "right",
            cell: (row) =>
              count(
                VERDICTS.slice(0, 3).reduce((sum, _, i) => sum + at(row.cells, i, 3) + at(row.cells, 3, i), 0),
                checkRows(row.check, "(a.verdict = 'NOT_APPLICABLE') <> (b.verdict = 'NOT_APPLICABLE')"),
                "changes of applicability",
              ),
          },
          ...coefficients(stats, interval),
        ],
        { label: "Agreement by check", page: 60 },
      ),
    ),
    figure(
      { title: `${differing.length} disagreements`, claim, rows: sqlLink(disagreementQuery(a, b)) },
      dataTable(
        differing,
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
          ...(interval
            ? [{ title: "Model", cell: (row: Row) => text(row, "model_id"), sort: (row: Row) => text(row, "model_id") }]
            : []),
          { title: "Check", cell: (row) => text(row, "check_id"), sort: (row) => text(row, "check_id") },
          {
            title: name(a),
            cell: (row) => verdictChip(verdict(row, "verdict_a")),
            sort: (row) => verdictShort(verdict(row, "verdict_a") ?? "PASS"),
          },
          {
            title: name(b),
            cell: (row) => verdictChip(verdict(row, "verdict_b")),
            sort: (row) => verdictShort(verdict(row, "verdict_b") ?? "PASS"),
          },
        ],
        { label: "Disagreements", page: 25, empty: "The two scans agree on every shared judgment." },
      ),
    ),
  ];
}
