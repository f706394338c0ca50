import { rows } from "./db.js";
import type { Row } from "./db.js";
import { h } from "./dom.js";
import { figure } from "./figure.js";
import { checkLink, quote, sqlLink } from "./links.js";
import { count } from "./rate.js";
import { number, text } from "./read.js";
import { emptyState } from "./states.js";
import { dataTable } from "./table.js";

/** Every check that a scan here froze, by layer, each opening its own page. */
export async function checkIndex(): Promise<HTMLElement> {
  const checks = await rows(
    `select c.layer, c.check_id, any_value(c.severity) as severity, any_value(c.summary) as summary, any_value(c.rule) as rule,
       any_value(c.basis) as basis, max(c.questions)::integer as questions, count(distinct c.check_sha256)::integer as versions,
       (select count(*)::integer from judgments j where j.check_id = c.check_id and not j.is_fixture) as targets,
       (select count(*)::integer from judgments j where j.check_id = c.check_id and j.is_fixture) as fixtures
     from checks c group by c.layer, c.check_id order by c.layer, c.check_id`,
  );
  if (checks.length === 0) return emptyState("No scan has frozen a check yet");
  const judged = (row: Row, fixture: boolean): string =>
    sqlLink(
      `select scan_id, conversation, verdict, asked, rationale\nfrom judgments\nwhere check_id = ${quote(text(row, "check_id"))} and ${fixture ? "is_fixture" : "not is_fixture"}\norder by scan_id, conversation`,
    );
  return figure(
    {
      title: `${checks.length} checks, as frozen by the scans here`,
      claim: "mixed",
      note: "Judgments are counted over all scans: each judge of each conversation is one. Authored cases and target-model conversations are never added up.",
      rows: sqlLink(
        "select layer, check_id, severity, rule, questions, summary, check_sha256 from checks order by layer, check_id",
      ),
    },
    dataTable(
      checks,
      [
        {
          title: "Check",
          header: true,
          cell: (row) => [
            h("a", { href: checkLink(text(row, "check_id")) }, text(row, "check_id")),
            number(row, "versions") > 1 &&
              h("span", { class: "judge-note" }, ` ${number(row, "versions")} frozen versions`),
          ],
        },
        { title: "In a sentence", class: "prose-cell", cell: (row) => text(row, "summary") },
        { title: "Severity", cell: (row) => text(row, "severity") },
        { title: "Rule", cell: (row) => text(row, "rule").replaceAll("_", " ") },
        { title: "Questions", align: "right", cell: (row) => number(row, "questions") },
        {
          title: "Judgments, authored cases",
          align: "right",
          cell: (row) => count(number(row, "fixtures"), judged(row, true), "judgments of authored cases"),
        },
        {
          title: "Judgments, target models",
          align: "right",
          cell: (row) => count(number(row, "targets"), judged(row, false), "judgments of target-model conversations"),
        },
      ],
      {
        label: "Checks",
        page: 100,
        group: (row) => layerName(text(row, "layer")),
        filter: (row) => `${text(row, "check_id")} ${text(row, "summary")} ${text(row, "rule")} ${text(row, "basis")}`,
      },
    ),
  );
}

function layerName(layer: string): string {
  return layer === "" ? "Other checks" : `${layer.charAt(0).toUpperCase()}${layer.slice(1)}`;
}
