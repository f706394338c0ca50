import { rows } from "./db.js";
import type { Row } from "./db.js";
import { h } from "./dom.js";
import { figure } from "./figure.js";
import { conversationLink, quote, sqlLink } from "./links.js";
import { verdictMatrix } from "./matrix.js";
import type { Cells } from "./matrix.js";
import { chooser, chosen } from "./params.js";
import { text, verdict } from "./read.js";
import { scanLabel } from "./scan.js";
import { errorState } from "./states.js";
import { dataTable } from "./table.js";
import { verdictChip } from "./verdict.js";

const CLAIM = "target_model_conversations";

/** A scan's judgments beside another engine's, over the same transcript bytes, where the map declares a counterpart. */
export const JOINED = `from foreign_judgments f
join check_map m on m.foreign_id = f.foreign_id
join judgments j on j.check_id = m.check_id and j.conversation = f.conversation and j.transcript_sha256 = f.transcript_sha256
where j.verdict is not null and j.claim = 'target_model_conversations'`;

/** One check of one scan beside the foreign definition it is declared to be about. */
export interface Line {
  check: string;
  scan: Row;
  foreign_id: string;
  cells: Cells;
}

export const joinedRows = (set: string, scan: string, where: string): string =>
  sqlLink(
    `select j.conversation, j.check_id, f.foreign_id, j.verdict, f.verdict as their_verdict, j.rationale, f.quotes, f.unfound\n${JOINED}\n  and f.foreign_set = ${quote(set)} and j.scan_id = ${quote(scan)} and ${where}\norder by j.verdict <> f.verdict desc, j.check_id, j.conversation`,
  );

/** One judge here beside the other engine: all transitions over mapped definitions, and every difference. */
export function foreignPair(set: string, who: string, scans: readonly Row[], lines: readonly Line[]): HTMLElement {
  const place = h("div", {});
  const draw = (): void => {
    const scan = scans.find((row) => row["scan_id"] === chosen(controls)["ours"]);
    if (scan === undefined) return;
    void pairOf(set, who, scan, lines).then(
      (nodes) => place.replaceChildren(...nodes),
      (error: unknown) => place.replaceChildren(errorState(error)),
    );
  };
  const choices = scans
    .filter((scan) => lines.some((line) => line.scan === scan))
    .map((scan) => ({ value: text(scan, "scan_id"), label: scanLabel(scan) }));
  const controls = h(
    "div",
    { class: "controls", role: "group", "aria-label": "Judge here" },
    chooser("ours", "Judge here", choices, { onChange: draw }),
  );
  draw();
  return h("div", {}, controls, place);
}

async function pairOf(set: string, who: string, scan: Row, lines: readonly Line[]): Promise<HTMLElement[]> {
  const id = text(scan, "scan_id");
  const cells: Record<string, number> = {};
  for (const line of lines.filter((line) => line.scan === scan))
    for (const [key, n] of Object.entries(line.cells)) cells[key] = (cells[key] ?? 0) + n;
  const found = await rows(
    `select j.conversation, j.scenario_id, j.model_id, j.check_id, f.foreign_id, j.verdict, f.verdict as theirs,
       (select min(q.quote) from foreign_quotes q where q.found and q.foreign_set = f.foreign_set and q.conversation = f.conversation and q.foreign_id = f.foreign_id and q.position = 0) as quote
     ${JOINED} and f.foreign_set = ? and j.scan_id = ? and j.verdict <> f.verdict order by j.check_id, j.conversation`,
    [set, id],
  );
  return [
    figure(
      {
        title: `${scanLabel(scan)} and ${who}, all mapped definitions together: different definitions`,
        claim: CLAIM,
        rows: joinedRows(set, id, "true"),
      },
      verdictMatrix(cells, {
        rowTitle: "Here",
        columnTitle: "Theirs",
        neutral: true,
        href: (row, column) => joinedRows(set, id, `j.verdict = '${row}' and f.verdict = '${column}'`),
      }),
    ),
    figure(
      {
        title: `${found.length} differences: different definitions`,
        claim: CLAIM,
        rows: joinedRows(set, id, "j.verdict <> f.verdict"),
      },
      dataTable(
        found,
        [
          {
            title: "Conversation",
            header: true,
            cell: (row) =>
              h(
                "a",
                { href: conversationLink(id, text(row, "conversation"), { check: text(row, "check_id") }) },
                text(row, "scenario_id"),
              ),
            sort: (row) => text(row, "conversation"),
          },
          { title: "Model", cell: (row) => text(row, "model_id"), sort: (row) => text(row, "model_id") },
          { title: "Check", cell: (row) => text(row, "check_id"), sort: (row) => text(row, "check_id") },
          { title: "Here", cell: (row) => verdictChip(verdict(row, "verdict")) },
          { title: "Theirs", cell: (row) => verdictChip(verdict(row, "theirs")) },
          {
            title: "They quote",
            class: "prose-cell",
            cell: (row) =>
              row["quote"] === null
                ? h("span", { class: "quiet" }, "nothing that is there")
                : h("q", {}, short(text(row, "quote"))),
          },
        ],
        {
          label: `Differences from ${set}`,
          page: 15,
          filter: (row) =>
            `${text(row, "conversation")} ${text(row, "check_id")} ${text(row, "verdict")} ${text(row, "theirs")}`,
        },
      ),
    ),
  ];
}

const short = (quoted: string): string => (quoted.length > 160 ? `${quoted.slice(0, 160)}…` : quoted);
