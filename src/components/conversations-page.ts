import { claimBanner } from "./claim.js";
import { rows } from "./db.js";
import type { Row } from "./db.js";
import { h } from "./dom.js";
import { figure } from "./figure.js";
import { conversationLink, quote, scanLink, sqlLink } from "./links.js";
import { chooser, chosen } from "./params.js";
import { count, rate } from "./rate.js";
import { flag, number, text } from "./read.js";
import { byCollection, claimOf, scanRows } from "./scan.js";
import { emptyState, part } from "./states.js";
import { dataTable } from "./table.js";
import type { Column } from "./table.js";
import { VERDICTS, verdictShort } from "./verdict.js";

const LIST = `
select c.*, (count(*) filter (where j.verdict is null))::integer as not_judged,
  ${VERDICTS.map((value) => `(count(*) filter (where j.verdict = '${value}'))::integer as "${value}"`).join(", ")}
from conversations c join judgments j on j.scan_id = c.scan_id and j.conversation = c.conversation
where c.scan_id = ? group by all order by c.position`;

const LABELS = `
select conversation, (count(*) filter (where counted))::integer as labels, (count(*) filter (where counted and correct))::integer as met
from expectations where scan_id = ? group by conversation`;

/** Every conversation of the scan named by `?scan=`, or chosen on the page. */
export async function conversationList(): Promise<HTMLElement> {
  const scans = await rows(
    "select * from scans order by is_fixture, run_date desc, study_id, judge_position nulls last, is_baseline, judge, scan_id",
  );
  if (scans.length === 0)
    return emptyState(
      "No finished scan is here yet",
      "Run ",
      h("code", {}, "bench demo"),
      " and open this page again.",
    );
  const choices = byCollection(scans).flatMap(([name, own]) =>
    own.map((scan) => ({ value: text(scan, "scan_id"), label: `${name}: ${text(scan, "label")}` })),
  );
  const place = h("div", {});
  const draw = (): void => {
    const scan = scans.find((row) => row["scan_id"] === chosen(controls)["scan"]) ?? scans[0];
    if (scan !== undefined) place.replaceChildren(part(() => listOf(scan)));
  };
  const controls = h(
    "div",
    { class: "controls", role: "group", "aria-label": "What is listed" },
    chooser("scan", "Scan", choices, { onChange: draw }),
  );
  draw();
  return h("div", {}, controls, place);
}

async function listOf(scan: Row): Promise<HTMLElement> {
  const id = text(scan, "scan_id");
  const claim = claimOf(scan);
  const [found, labels] = await Promise.all([rows(LIST, [id]), rows(LABELS, [id])]);
  const labelled = new Map(labels.map((row) => [text(row, "conversation"), row]));
  const fixture = flag(scan, "is_fixture");
  const of = (row: Row, more: string): string =>
    scanRows(id, `conversation = ${quote(text(row, "conversation"))} and ${more}`);
  const models: Column<Row>[] = fixture
    ? []
    : [{ title: "Model", cell: (row) => text(row, "model_id"), sort: (row) => text(row, "model_id") }];
  const met: Column<Row>[] = labels.length === 0 ? [] : [metColumn(id, labelled)];
  return h(
    "div",
    {},
    claimBanner(claim),
    figure(
      {
        title: [`${found.length} conversations as judged by `, h("a", { href: scanLink(id) }, text(scan, "judge"))],
        claim,
        rows: sqlLink(`select * from conversations where scan_id = ${quote(id)} order by position`),
      },
      dataTable(
        found,
        [
          {
            title: "Conversation",
            header: true,
            cell: (row) => h("a", { href: conversationLink(id, text(row, "conversation")) }, text(row, "scenario_id")),
            sort: (row) => text(row, "scenario_id"),
          },
          ...models,
          {
            title: "Turns",
            align: "right",
            cell: (row) =>
              count(
                number(row, "turns"),
                sqlLink(
                  `select position, role, turn, content\nfrom turns\nwhere transcript_sha256 = ${quote(text(row, "transcript_sha256"))}\norder by position`,
                ),
                "turns",
              ),
            sort: (row) => number(row, "turns"),
          },
          ...VERDICTS.map((value): Column<Row> => ({
            title: verdictShort(value),
            align: "right",
            cell: (row) => count(number(row, value), of(row, `verdict = '${value}'`), verdictShort(value)),
            sort: (row) => number(row, value),
          })),
          ...(found.some((row) => number(row, "not_judged") > 0)
            ? [
                {
                  title: "Not judged",
                  align: "right" as const,
                  cell: (row: Row) => count(number(row, "not_judged"), of(row, "verdict is null"), "not judged"),
                },
              ]
            : []),
          ...met,
        ],
        {
          label: "Conversations",
          filter: (row) => `${text(row, "scenario_id")} ${text(row, "model_id")} ${text(row, "category")}`,
        },
      ),
    ),
  );
}

function metColumn(id: string, labelled: ReadonlyMap<string, Row>): Column<Row> {
  return {
    title: "Expectations met",
    align: "right",
    cell: (row) => {
      const own = labelled.get(text(row, "conversation"));
      return rate(own === undefined ? 0 : number(own, "met"), own === undefined ? 0 : number(own, "labels"), {
        href: sqlLink(
          `select check_id, expected, observed, mismatch, reason\nfrom expectations\nwhere scan_id = ${quote(id)} and conversation = ${quote(text(row, "conversation"))} and counted\norder by correct, check_id`,
        ),
        label: "expectations met",
      });
    },
  };
}
