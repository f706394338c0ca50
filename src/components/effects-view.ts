import { rows } from "./db.js";
import type { Row } from "./db.js";
import { h } from "./dom.js";
import type { Child } from "./dom.js";
import { figure } from "./figure.js";
import { conversationLink, quote, sqlLink } from "./links.js";
import { rate } from "./rate.js";
import { number, structs, text } from "./read.js";
import { claimOf } from "./scan.js";
import { emptyState } from "./states.js";
import { dataTable } from "./table.js";
import type { Column } from "./table.js";
import { possibleChips } from "./verdict.js";

const SHOWN = 1000;

/** PASS or FAIL is a question about the reply; N/A among the possible verdicts is one about whether the check applies. */
const isApplicability = (stake: string): boolean => stake.includes("NOT_APPLICABLE");

/** What is at stake in the UNCLEAR judgments of a scan, and the single answers that would narrow them. */
export async function effectsView(scan: Row, check: string): Promise<Child[]> {
  const id = text(scan, "scan_id");
  const only = check === "" ? "" : ` and check_id = ${quote(check)}`;
  const stakes = await rows(
    `with u as (select conversation, check_id, array_to_string(possible, '|') as stake from judgments where scan_id = ? and verdict = 'UNCLEAR'${only}),
     e as (select conversation, check_id, count(distinct (role, turn, key))::integer as n from effects where scan_id = ? and shrinks${only} group by all)
     select stake, count(*)::integer as unclear, count(e.n)::integer as affected, coalesce(sum(e.n), 0)::integer as effects
     from u left join e using (conversation, check_id) group by stake order by stake`,
    [id, id],
  );
  if (stakes.length === 0)
    return [emptyState("No judgment here is UNCLEAR", "The saved answers leave one verdict possible in each.")];
  const apart = (wanted: boolean): Row[] => stakes.filter((row) => isApplicability(text(row, "stake")) === wanted);
  return [
    summary(id, only, scan, [...apart(false), ...apart(true)]),
    ...(await Promise.all(
      [...apart(false), ...apart(true)].map((stake) => effectsOf(scan, text(stake, "stake"), only)),
    )),
  ];
}

function summary(id: string, only: string, scan: Row, stakes: readonly Row[]): HTMLElement {
  const total = stakes.reduce((sum, row) => sum + number(row, "unclear"), 0);
  return figure(
    {
      title: `${total} UNCLEAR judgments, by the verdicts still possible`,
      claim: claimOf(scan),
      note: "Answers are resolved one at a time. Some judgments need several together, so no effect does not prove that an open answer is irrelevant.",
      rows: sqlLink(
        `select conversation, check_id, possible, open, rationale\nfrom judgments\nwhere scan_id = ${quote(id)} and verdict = 'UNCLEAR'${only}\norder by possible, check_id, conversation`,
      ),
    },
    dataTable(
      stakes,
      [
        { title: "Still possible", header: true, cell: (row) => possibleChips(text(row, "stake").split("|")) },
        {
          title: "At issue",
          cell: (row) =>
            isApplicability(text(row, "stake")) ? "whether the check applies" : "whether the reply meets it",
        },
        {
          title: "Judgments",
          align: "right",
          cell: (row) =>
            rate(number(row, "unclear"), total, {
              href: sqlLink(
                `select conversation, check_id, open, rationale\nfrom judgments\nwhere scan_id = ${quote(id)} and verdict = 'UNCLEAR' and array_to_string(possible, '|') = ${quote(text(row, "stake"))}${only}\norder by check_id, conversation`,
              ),
              label: "UNCLEAR judgments with these verdicts possible",
            }),
        },
        {
          title: "Narrowed by one answer alone",
          align: "right",
          cell: (row) =>
            rate(number(row, "affected"), number(row, "unclear"), {
              href: sqlLink(
                `select distinct conversation, check_id\nfrom effects\nwhere scan_id = ${quote(id)} and stake = ${quote(text(row, "stake"))} and shrinks${only}\norder by check_id, conversation`,
              ),
              label: "judgments that one answer would narrow",
            }),
        },
        { title: "Such answers", align: "right", cell: (row) => number(row, "effects") },
      ],
      { label: "What is at stake" },
    ),
  );
}

/** Each observation whose resolution alone leaves fewer verdicts, with the set for each way it can resolve. */
async function effectsOf(scan: Row, stake: string, only: string): Promise<Child> {
  const id = text(scan, "scan_id");
  const found = await rows(
    `select conversation, split_part(conversation, '/', -1) as name, check_id, question, role, turn, key,
       list({'resolution': resolution, 'possible': array_to_string(possible_then, '|')} order by resolution) as ways
     from effects where scan_id = ? and stake = ?${only} group by all having bool_or(shrinks)
     order by check_id, conversation, turn, key limit ${SHOWN + 1}`,
    [id, stake],
  );
  if (found.length === 0) return null;
  const more = found.length > SHOWN;
  return figure(
    {
      title: [
        more ? `The first ${SHOWN} answers` : `${found.length} ${found.length === 1 ? "answer" : "answers"}`,
        " that alone would narrow ",
        possibleChips(stake.split("|")),
      ],
      claim: claimOf(scan),
      rows: sqlLink(
        `select conversation, check_id, role, turn, key, resolution, possible_now, possible_then\nfrom effects\nwhere scan_id = ${quote(id)} and stake = ${quote(stake)}${only}\norder by check_id, conversation, turn, key, resolution`,
      ),
    },
    dataTable(found.slice(0, SHOWN), columns(id), {
      label: `Effects on ${stake}`,
      page: 8,
      filter: (row) => `${text(row, "conversation")} ${text(row, "key")} ${text(row, "question")}`,
    }),
  );
}

function columns(id: string): Column<Row>[] {
  return [
    {
      title: "Conversation",
      header: true,
      cell: (row) =>
        h(
          "a",
          { href: conversationLink(id, text(row, "conversation"), { check: text(row, "check_id") }) },
          text(row, "name"),
        ),
      sort: (row) => text(row, "conversation"),
    },
    {
      title: "Where",
      cell: (row) => `${text(row, "role")} ${number(row, "turn")}`,
      sort: (row) => number(row, "turn"),
    },
    { title: "Observation", cell: (row) => h("code", {}, text(row, "key")), sort: (row) => text(row, "key") },
    {
      title: "Resolved this way, possible is",
      cell: (row) =>
        h(
          "ul",
          { class: "ways" },
          structs(row, "ways").map((way) =>
            h(
              "li",
              {},
              h("span", { class: "way-name" }, text(way, "resolution")),
              " → ",
              possibleChips(text(way, "possible").split("|")),
            ),
          ),
        ),
    },
  ];
}
