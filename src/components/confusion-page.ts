import { rows } from "./db.js";
import type { Row } from "./db.js";
import { h } from "./dom.js";
import { figure } from "./figure.js";
import { conversationLink, quote, sqlLink, studyLink } from "./links.js";
import { cellsOf, mismatchName, verdictMatrix } from "./matrix.js";
import { chooser, chosen, param, setParams } from "./params.js";
import { number, text, verdict } from "./read.js";
import { byCollection, collection, judgeNote, scanLabel } from "./scan.js";
import { emptyState, errorState } from "./states.js";
import { dataTable } from "./table.js";
import { isVerdict, verdictChip, verdictShort } from "./verdict.js";
import type { Verdict } from "./verdict.js";

const all = (label: string): { value: string; label: string } => ({ value: "", label });

/** Filters, one 4 x 4 per judge, and the rows of the chosen cell. */
export async function confusionPage(): Promise<HTMLElement> {
  const [scans, checks, boundaries, bases] = await Promise.all([
    rows("select * from scans where labeled_judgments > 0 order by study_id, judge_position nulls last, scan_id"),
    rows("select distinct check_id from expectations where bound order by 1"),
    rows("select distinct unnest(boundary_ids) as boundary from expectations order by 1"),
    rows("select distinct basis from expectations where bound order by 1"),
  ]);
  if (scans.length === 0)
    return emptyState("No scan has labels", "Expectations come with a study, or with bench compare --expectations.");
  const place = h("div", {});
  const cell = h("div", { id: "rows", class: "cell-rows" });
  const redraw = (): void => {
    void draw(scans, chosen(controls), place, cell).catch((error: unknown) => place.replaceChildren(errorState(error)));
  };
  const onChange = (): void => {
    setParams({ expected: "", observed: "" });
    redraw();
  };
  const controls = h(
    "div",
    { class: "controls", role: "group", "aria-label": "Filters" },
    chooser(
      "study",
      "Study",
      [all("every study"), ...byCollection(scans).map(([name]) => ({ value: name, label: name }))],
      { onChange },
    ),
    chooser(
      "scan",
      "Judge",
      [
        all("every judge"),
        ...scans.map((scan) => ({
          value: text(scan, "scan_id"),
          label: `${scanLabel(scan)} · ${collection(scan)}`,
        })),
      ],
      { onChange },
    ),
    chooser(
      "check",
      "Check",
      [all("every check"), ...checks.map((row) => ({ value: text(row, "check_id"), label: text(row, "check_id") }))],
      { onChange },
    ),
    chooser(
      "boundary",
      "Boundary",
      [
        all("every boundary"),
        ...boundaries.map((row) => ({ value: text(row, "boundary"), label: text(row, "boundary") })),
      ],
      { onChange },
    ),
    chooser(
      "basis",
      "Basis",
      [
        all("every basis"),
        ...bases.map((row) => ({ value: text(row, "basis"), label: text(row, "basis").replaceAll("_", " ") })),
      ],
      { onChange },
    ),
  );
  redraw();
  return h("div", {}, controls, place, cell);
}

function condition(filter: Record<string, string>): string {
  const parts = ["e.bound", "e.observed is not null"];
  if (filter["study"]) parts.push(`e.study_id = ${quote(filter["study"])}`);
  if (filter["check"]) parts.push(`e.check_id = ${quote(filter["check"])}`);
  if (filter["boundary"]) parts.push(`list_contains(e.boundary_ids, ${quote(filter["boundary"])})`);
  if (filter["basis"]) parts.push(`e.basis = ${quote(filter["basis"])}`);
  return parts.join(" and ");
}

async function draw(
  scans: readonly Row[],
  filter: Record<string, string>,
  place: HTMLElement,
  cell: HTMLElement,
): Promise<void> {
  const where = condition(filter);
  const counts = await rows(
    `select e.scan_id, e.expected as row, e.observed as "column", count(*)::integer as n from expectations e where ${where} group by all`,
  );
  const shown = scans.filter(
    (scan) =>
      (!filter["scan"] || scan["scan_id"] === filter["scan"]) &&
      (!filter["study"] || collection(scan) === filter["study"]),
  );
  const matrix = (scan: Row): HTMLElement => {
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
      href: (expected, observed) => cellHref(id, expected, observed),
    });
  };
  place.replaceChildren(
    ...byCollection(shown).map(([name, own]) =>
      figure(
        {
          title: [
            "Expected by observed verdict, ",
            own[0]?.["study_id"] === name ? h("a", { href: studyLink(name) }, name) : name,
          ],
          claim: "frozen_validation_cases",
          note: "Counts over authored cases. A count opens its rows below. Framed in red: differences.",
        },
        h("div", { class: "matrices" }, own.map(matrix)),
      ),
    ),
  );
  place.onclick = (event) => {
    const link = event.target instanceof Element ? event.target.closest("a[href]") : null;
    if (!(link instanceof HTMLAnchorElement) || event.ctrlKey || event.metaKey) return;
    const next = new URL(link.href);
    if (next.pathname !== location.pathname) return;
    event.preventDefault();
    history.replaceState(null, "", next);
    void cellRows(where, cell).then(() => cell.scrollIntoView({ block: "start" }));
  };
  await cellRows(where, cell);
}

function cellHref(scan: string, expected: Verdict, observed: Verdict): string {
  const url = new URL(location.href);
  url.searchParams.set("cell", scan);
  url.searchParams.set("expected", expected);
  url.searchParams.set("observed", observed);
  url.hash = "rows";
  return url.href;
}

async function cellRows(where: string, place: HTMLElement): Promise<void> {
  const scan = param("cell") || param("scan");
  const [expected, observed] = [param("expected"), param("observed")];
  if (scan === "" || !isVerdict(expected) || !isVerdict(observed)) {
    place.replaceChildren();
    return;
  }
  const query = `select e.scan_id, e.conversation, e.scenario_id, e.check_id, e.expected, e.observed, e.asked, e.basis, e.author, e.reason
from expectations e
where ${where} and e.scan_id = ${quote(scan)} and e.expected = ${quote(expected)} and e.observed = ${quote(observed)}
order by e.check_id, e.scenario_id`;
  const found = await rows(query);
  place.replaceChildren(
    figure(
      {
        title: [
          `${found.length} judgments of ${scan}: expected `,
          verdictShort(expected),
          ", observed ",
          verdictShort(observed),
        ],
        claim: "frozen_validation_cases",
        rows: sqlLink(query),
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
            sort: (row) => text(row, "scenario_id"),
          },
          { title: "Check", cell: (row) => text(row, "check_id"), sort: (row) => text(row, "check_id") },
          { title: "Expected", cell: (row) => verdictChip(verdict(row, "expected")) },
          {
            title: "Observed",
            cell: (row) => [
              verdictChip(verdict(row, "observed")),
              row["asked"] === 0 && h("span", { class: "judge-note" }, " not asked"),
            ],
          },
          { title: "Basis", cell: (row) => text(row, "basis").replaceAll("_", " ") },
          { title: "Why this was expected", cell: (row) => text(row, "reason"), class: "prose-cell" },
        ],
        { label: "Rows of the chosen cell" },
      ),
    ),
  );
}
