import { rows } from "./db.js";
import type { Row } from "./db.js";
import { h } from "./dom.js";
import type { Child } from "./dom.js";
import { figure } from "./figure.js";
import { histogram } from "./histogram.js";
import { checkLink, quote, sqlLink } from "./links.js";
import { count, rate } from "./rate.js";
import { maybeNumber, number, text } from "./read.js";
import { claimOf } from "./scan.js";
import { dataTable } from "./table.js";
import type { Column } from "./table.js";

const n = (condition: string): string => `(count(*) filter (where ${condition}))::integer`;

/** One row an observation and repeat: its likeliest option's probability (P(yes) of a yes/no), and where it lies. */
const OBSERVED = `check_id, question, conversation, role, turn, key, repeat, any_value(type) as type,
  max(probability) as p, bool_or(resolved) as resolved, bool_or(uncovered) as uncovered,
  coalesce(max(case when type = 'noul' then band end), max(case when band = 'chosen' then option end), 'open') as reading`;

const families = (table: string, where: string): string => `
with o as (select ${OBSERVED} from ${table} where repeat = 0${where} group by all)
select check_id, question, any_value(type) as type, count(*)::integer as observations,
  ${n("p is not null")} as answers, ${n("p is not null and not resolved")} as unresolved,
  ${n("type = 'noul' and reading = 'yes'")} as yes, ${n("type = 'noul' and reading = 'no'")} as no,
  ${n("uncovered")} as uncovered, avg(p) as mean,
  ${Array.from({ length: 10 }, (_, i) => `${n(`least(9, floor(p * 10)) = ${i}`)} as bin${i}`).join(", ")}
from o group by check_id, question
order by unresolved / greatest(answers, 1)::double desc, answers desc, check_id, question`;

/** Question families ranked by the share of their answers that the band leaves open. */
export async function familiesFigure(scan: Row, table: string, check: string): Promise<HTMLElement> {
  const id = text(scan, "scan_id");
  const band = { low: number(scan, "threshold_low"), high: number(scan, "threshold_high") };
  const found = await rows(families(table, check === "" ? "" : ` and check_id = ${quote(check)}`));
  const own = (row: Row, where = ""): string =>
    sqlLink(
      `select conversation, role, turn, key, option, probability, band, resolved\nfrom answers\nwhere scan_id = ${quote(id)} and repeat = 0 and check_id = ${quote(text(row, "check_id"))} and question = ${quote(text(row, "question"))}${where}\norder by abs(probability - 0.5), conversation, turn, key`,
    );
  const uncovered = found.some((row) => number(row, "uncovered") > 0);
  const columns: Column<Row>[] = [
    {
      title: "Question",
      header: true,
      cell: (row) => [
        h("code", {}, text(row, "question")),
        h("span", { class: "case-pair" }, h("a", { href: checkLink(text(row, "check_id")) }, text(row, "check_id"))),
      ],
      sort: (row) => `${text(row, "check_id")} ${text(row, "question")}`,
    },
    {
      title: "Unresolved",
      align: "right",
      cell: (row) =>
        rate(number(row, "unresolved"), number(row, "answers"), {
          href: own(row, " and not resolved and probability is not null"),
          label: "unresolved answers",
        }),
      sort: (row) => (number(row, "answers") === 0 ? null : number(row, "unresolved") / number(row, "answers")),
    },
    {
      title: ["P(yes), ten bins; open band ", `${band.low}–${band.high}`],
      class: "histogram-cell",
      cell: (row) =>
        number(row, "answers") === 0
          ? h("span", { class: "quiet" }, "no answer")
          : histogram(
              Array.from({ length: 10 }, (_, i) => number(row, `bin${i}`)),
              band,
            ),
    },
    yesNo("Yes", "yes", own),
    yesNo("No", "no", own),
    {
      title: "Mean",
      align: "right",
      cell: (row) => maybeNumber(row, "mean")?.toFixed(2) ?? h("span", { class: "quiet" }, "-"),
      sort: (row) => maybeNumber(row, "mean"),
    },
    {
      title: "Answered",
      align: "right",
      cell: (row) =>
        rate(number(row, "answers"), number(row, "observations"), {
          href: own(row),
          label: "answers of this question",
        }),
      sort: (row) => number(row, "answers"),
    },
    ...(uncovered
      ? [
          {
            title: "No pattern",
            align: "right" as const,
            cell: (row: Row) =>
              rate(number(row, "uncovered"), number(row, "answers"), {
                href: own(row, " and uncovered"),
                label: "answers of an embedded judge that has no pattern for the question",
              }),
            sort: (row: Row) => number(row, "uncovered"),
          },
        ]
      : []),
  ];
  const total = (name: string): number => found.reduce((sum, row) => sum + number(row, name), 0);
  return figure(
    {
      kind: "table",
      title: [
        `${found.length} question families, most unresolved first; `,
        rate(total("unresolved"), total("answers"), {
          href: sqlLink(
            `select check_id, question, count(*) as unresolved\nfrom answers\nwhere scan_id = ${quote(id)} and repeat = 0 and type = 'noul' and band = 'open'\ngroup by all order by unresolved desc`,
          ),
          label: "unresolved answers, by question",
        }),
        " answers unresolved in all",
      ],
      claim: claimOf(scan),
      note: "Bars are shares of the fullest bin. A choice is drawn by its likeliest option. Many answers inside the band are no fault by themselves: a question that is hard should be answered so.",
    },
    dataTable(found, columns, {
      label: "Question families",
      page: 20,
      filter: (row) => `${text(row, "check_id")} ${text(row, "question")}`,
    }),
  );
}

function yesNo(title: string, name: "yes" | "no", own: (row: Row, where: string) => string): Column<Row> {
  return {
    title,
    align: "right",
    cell: (row) =>
      text(row, "type") === "choice"
        ? h("span", { class: "quiet" }, "choice")
        : count(number(row, name), own(row, ` and band = '${name}'`), `read as ${name}`),
    sort: (row) => number(row, name),
  };
}

/** How one judge's answers to the same request differ when it is asked again; null where each was asked once. */
export async function noiseFigure(scan: Row, table: string, check: string): Promise<Child> {
  if (number(scan, "repeats") < 2) return null;
  const id = text(scan, "scan_id");
  const found = await rows(`
with r as (select ${OBSERVED} from ${table} where probability is not null${check === "" ? "" : ` and check_id = ${quote(check)}`} group by all),
spread as (select check_id, question, conversation, role, turn, key, option, max(probability) - min(probability) as apart
  from ${table} where probability is not null group by all),
widest as (select check_id, question, conversation, role, turn, key, max(apart) as apart from spread group by all),
o as (select check_id, question, conversation, role, turn, key, count(*) as repeats, count(distinct reading) > 1 as other from r group by all)
select o.check_id, o.question, count(*)::integer as observations, avg(w.apart) as mean_apart, max(w.apart) as most_apart,
  ${n("o.other")} as other_band
from o join widest w using (check_id, question, conversation, role, turn, key)
where o.repeats > 1 group by all order by other_band / count(*)::double desc, mean_apart desc, o.check_id, o.question`);
  return figure(
    {
      title: `${number(scan, "repeats")} answers to each request: how far apart`,
      claim: claimOf(scan),
      note: "Verdicts read the first answer only. Apart: highest less lowest probability of one observation. Other band: not read the same way (yes, no, open, or the option chosen) in all repeats.",
      rows: sqlLink(
        `select check_id, question, conversation, role, turn, key, option, min(probability) as lowest, max(probability) as highest, count(distinct band) > 1 as other_band\nfrom answers\nwhere scan_id = ${quote(id)}\ngroup by all order by highest - lowest desc limit 1000`,
      ),
    },
    dataTable(
      found,
      [
        {
          title: "Question",
          header: true,
          cell: (row) => [
            h("code", {}, text(row, "question")),
            h("span", { class: "case-pair" }, text(row, "check_id")),
          ],
        },
        {
          title: "Other band",
          align: "right",
          cell: (row) =>
            rate(number(row, "other_band"), number(row, "observations"), {
              href: sqlLink(
                `select conversation, role, turn, key, option, list(probability order by repeat) as by_repeat, list(band order by repeat) as bands\nfrom answers\nwhere scan_id = ${quote(id)} and check_id = ${quote(text(row, "check_id"))} and question = ${quote(text(row, "question"))}\ngroup by all having count(distinct band) > 1 order by conversation, turn, key`,
              ),
              label: "observations whose repeats are not read alike",
            }),
          sort: (row) => number(row, "other_band") / Math.max(1, number(row, "observations")),
        },
        {
          title: "Mean apart",
          align: "right",
          cell: (row) => number(row, "mean_apart").toFixed(3),
          sort: (row) => number(row, "mean_apart"),
        },
        {
          title: "Most apart",
          align: "right",
          cell: (row) => number(row, "most_apart").toFixed(3),
          sort: (row) => number(row, "most_apart"),
        },
      ],
      { label: "Noise over repeats", page: 40 },
    ),
  );
}
