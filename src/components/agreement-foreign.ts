import { agree, coefficientColumns, coefficientNote, constantColumn, total } from "./agreement-cells.js";
import type { Stats } from "./agreement-cells.js";
import { foreignPair, joinedRows, JOINED } from "./agreement-foreign-pair.js";
import type { Line } from "./agreement-foreign-pair.js";
import { foreignRepeats } from "./agreement-self.js";
import { laterTable } from "./answers.js";
import { rows } from "./db.js";
import type { Row } from "./db.js";
import { h } from "./dom.js";
import type { Child } from "./dom.js";
import { figure } from "./figure.js";
import { checkLink, quote, sqlLink } from "./links.js";
import { cellsOf } from "./matrix.js";
import type { Cells } from "./matrix.js";
import { rate } from "./rate.js";
import { number, text } from "./read.js";
import { judgeCell } from "./scan.js";
import { emptyState } from "./states.js";
import { dataTable } from "./table.js";

const CLAIM = "target_model_conversations";

/** Verdicts of other engines beside those of the scans here: other definitions, joined by a declared map only. */
export async function foreignSection(scans: readonly Row[], stats: Stats): Promise<Child[]> {
  for (const table of ["foreign_judgments", "foreign_quotes", "check_map"]) laterTable(table);
  const ids = scans.map((scan) => quote(text(scan, "scan_id"))).join(", ");
  const sets = await rows(
    `select f.foreign_set, any_value(f.judge) as judge, any_value(f.engine) as engine, count(*)::integer as n,
       sum(f.quotes)::integer as quotes, sum(f.unfound)::integer as unfound
     from foreign_judgments f
     where f.transcript_sha256 in (select transcript_sha256 from judgments where scan_id in (${ids}))
     group by f.foreign_set order by f.foreign_set`,
  );
  if (sets.length === 0)
    return [
      emptyState(
        "No other engine judged these conversations",
        "Bring its verdicts with bench judgments import, and declare in a map which of its definitions you read as being about the same thing as which check.",
      ),
    ];
  return [
    h(
      "aside",
      { class: "caveat" },
      h(
        "p",
        {},
        h("strong", {}, "Different definitions. "),
        "Another engine's verdicts are kept as it gave them and never derived again. They meet the verdicts here only where someone declares that two definitions are about the same thing; agreement is then between definitions as much as between judges, and no side is the right one.",
      ),
    ),
    ...(await Promise.all(sets.map((set) => foreignSet(set, scans, ids, stats)))).flat(),
  ];
}

async function foreignSet(set: Row, scans: readonly Row[], ids: string, stats: Stats): Promise<Child[]> {
  const id = text(set, "foreign_set");
  const [counts, map, unmapped, repeats] = await Promise.all([
    rows(
      `select j.scan_id, j.check_id, f.foreign_id, j.verdict as row, f.verdict as "column", count(*)::integer as n ${JOINED} and f.foreign_set = ? and j.scan_id in (${ids}) group by all order by j.check_id`,
      [id],
    ),
    rows("select * from check_map order by check_id"),
    rows(
      "select f.foreign_id, count(*)::integer as n from foreign_judgments f anti join check_map m on m.foreign_id = f.foreign_id where f.foreign_set = ? group by all order by 1",
      [id],
    ),
    foreignRepeats("foreign_judgments", id),
  ]);
  const who = `${text(set, "judge")} in ${text(set, "engine")}`;
  const lines = [...new Set(counts.map((row) => text(row, "check_id")))].flatMap((check) =>
    scans.flatMap((scan) => {
      const own = counts.filter((row) => row["scan_id"] === scan["scan_id"] && row["check_id"] === check);
      const [first] = own;
      return first === undefined ? [] : [{ check, scan, foreign_id: text(first, "foreign_id"), cells: cellsFrom(own) }];
    }),
  );
  return [
    h("h3", {}, who),
    h(
      "p",
      {},
      `${number(set, "n")} judgments. Quotes that are an exact part of the turn they cite: `,
      rate(number(set, "quotes") - number(set, "unfound"), number(set, "quotes"), {
        href: sqlLink(
          `select conversation, foreign_id, role, turn, found, quote\nfrom foreign_quotes\nwhere foreign_set = ${quote(id)} and not found\norder by conversation, foreign_id, position limit 1000`,
        ),
        label: "quotes that were not found",
      }),
      "; the others are not shown as evidence anywhere.",
    ),
    lines.length === 0
      ? emptyState("No definition of this engine is mapped to a check that these scans asked", mapCommand())
      : byCheck(id, who, lines, stats),
    lines.length === 0 ? null : foreignPair(id, who, scans, lines),
    mapFigure(id, map, counts),
    unmappedList(unmapped),
    repeats.length === 0 ? null : repeatsFigure(id, who, repeats),
  ];
}

const cellsFrom = (own: readonly Row[]): Cells =>
  cellsOf(own.map((row) => ({ row: text(row, "row"), column: text(row, "column"), n: number(row, "n") })));

const mapCommand = (): Child => ["Name a declared map in ", h("code", {}, "ASSAY_MAP"), " and build the site again."];

function byCheck(set: string, who: string, lines: readonly Line[], stats: Stats): HTMLElement {
  return figure(
    {
      title: `Judges here and ${who}, check by check: different definitions`,
      claim: CLAIM,
      note: coefficientNote("conversations"),
      rows: sqlLink(`select * from foreign_agreement where foreign_set = ${quote(set)}`),
    },
    dataTable(
      lines,
      [
        { title: "Judge", header: true, cell: ({ scan }) => judgeCell(scan) },
        {
          title: "Agree",
          align: "right",
          cell: ({ scan, check, cells }) =>
            rate(agree(cells), total(cells), {
              claim: CLAIM,
              href: joinedRows(set, text(scan, "scan_id"), `j.check_id = ${quote(check)}`),
              label: "judgments of both",
            }),
        },
        constantColumn<Line>("A constant with ours", "row", ({ scan, check }, always) =>
          joinedRows(set, text(scan, "scan_id"), `j.check_id = ${quote(check)} and j.verdict = '${always}'`),
        ),
        constantColumn<Line>("A constant with theirs", "column", ({ scan, check }, always) =>
          joinedRows(set, text(scan, "scan_id"), `j.check_id = ${quote(check)} and f.verdict = '${always}'`),
        ),
        ...coefficientColumns<Line>(stats, true),
      ],
      {
        label: `Agreement with ${set} by check`,
        page: 120,
        group: ({ check, foreign_id }) => `${check}, read as ${foreign_id}`,
      },
    ),
  );
}

function mapFigure(set: string, map: readonly Row[], counts: readonly Row[]): HTMLElement {
  const met = new Set(counts.map((row) => text(row, "foreign_id")));
  return figure(
    { title: "The declared map", claim: CLAIM, rows: sqlLink("select * from check_map order by check_id") },
    dataTable(
      map,
      [
        { title: "Theirs", header: true, cell: (row) => h("code", {}, text(row, "foreign_id")) },
        {
          title: "Here",
          cell: (row) =>
            met.has(text(row, "foreign_id"))
              ? h("a", { href: checkLink(text(row, "check_id")) }, text(row, "check_id"))
              : [text(row, "check_id"), h("span", { class: "judge-note" }, " meets no judgment here")],
        },
        { title: "Who says so", cell: (row) => text(row, "author") },
        { title: "Why", class: "prose-cell", cell: (row) => text(row, "reason") },
      ],
      { label: `Map for ${set}`, page: 40, empty: "No map is declared." },
    ),
  );
}

function unmappedList(unmapped: readonly Row[]): HTMLElement | null {
  if (unmapped.length === 0) return null;
  const judgments = unmapped.reduce((sum, row) => sum + number(row, "n"), 0);
  return h(
    "details",
    {},
    h("summary", {}, `${unmapped.length} of their definitions are in no map: ${judgments} judgments left out`),
    h(
      "ul",
      { class: "index" },
      unmapped.map((row) => h("li", {}, h("code", {}, text(row, "foreign_id")), ` ${number(row, "n")}`)),
    ),
  );
}

function repeatsFigure(set: string, who: string, repeats: readonly Row[]): HTMLElement {
  return figure(
    {
      title: `${who} against itself`,
      claim: CLAIM,
      note: "Judgments that the other engine repeated. A judge that always gives one verdict never contradicts itself.",
      rows: sqlLink(`select * from foreign_repeats where foreign_set = ${quote(set)}`),
    },
    dataTable(
      repeats,
      [
        { title: "Their definition", header: true, cell: (row) => h("code", {}, text(row, "foreign_id")) },
        {
          title: "Same in all repeats",
          align: "right",
          cell: (row) =>
            rate(number(row, "same"), number(row, "judgments"), {
              claim: CLAIM,
              href: sqlLink(
                `select conversation, verdict, repeats, split\nfrom foreign_judgments\nwhere foreign_set = ${quote(set)} and foreign_id = ${quote(text(row, "foreign_id"))} and len(repeats) > 1\norder by split desc, conversation`,
              ),
              label: "repeated judgments",
            }),
          sort: (row) => number(row, "same") / number(row, "judgments"),
        },
      ],
      { label: `Self-agreement of ${set}`, page: 12, filter: (row) => text(row, "foreign_id") },
    ),
  );
}
