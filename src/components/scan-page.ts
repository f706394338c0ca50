import { claimBanner } from "./claim.js";
import { commandBlock } from "./command.js";
import { rows } from "./db.js";
import type { Row } from "./db.js";
import { digestChip } from "./digest.js";
import { h } from "./dom.js";
import type { Child } from "./dom.js";
import { facts } from "./facts.js";
import { figure } from "./figure.js";
import { checkLink, conversationLink, conversationsLink, quote, sqlLink, studyLink } from "./links.js";
import { count, rate } from "./rate.js";
import type { Claim } from "./rate.js";
import { maybeNumber, maybeText, number, text, texts, verdict } from "./read.js";
import {
  claimOf,
  judgeNote,
  metCell,
  scanLabel,
  scanRows,
  technicalCell,
  unclearAll,
  unclearApplicable,
  usd,
} from "./scan.js";
import { dataTable } from "./table.js";
import { VERDICTS, possibleChips, verdictBar, verdictChip, verdictMark, verdictShort, verdictSlug } from "./verdict.js";

export async function scanData(id: string): Promise<Row> {
  const [scan] = await rows("select * from scans where scan_id = ?", [id]);
  if (scan === undefined) throw new Error(`no finished scan named ${id} is published here`);
  return scan;
}

/** Title, claim and the totals, large. */
export function scanHead(scan: Row): Child[] {
  const study = maybeText(scan, "study_id");
  const note = judgeNote(scan);
  const id = text(scan, "scan_id");
  const totals = {
    PASS: number(scan, "passes"),
    FAIL: number(scan, "fails"),
    UNCLEAR: number(scan, "unclears"),
    NOT_APPLICABLE: number(scan, "not_applicables"),
  };
  return [
    h(
      "p",
      { class: "lede" },
      count(number(scan, "conversations"), conversationsLink(id), "conversations"),
      ` conversations, ${number(scan, "checks")} checks, `,
      count(number(scan, "judgments"), scanRows(id), "judgments"),
      " judgments",
      note === null ? "" : `; ${note}`,
      study !== null && ["; part of ", h("a", { href: studyLink(study) }, study)],
      ".",
    ),
    claimBanner(claimOf(scan)),
    h(
      "div",
      { class: "totals" },
      VERDICTS.map((value) =>
        h(
          "div",
          { class: `total total-${verdictSlug(value)}` },
          h(
            "p",
            { class: `total-name chip-${verdictSlug(value)}` },
            verdictMark(value),
            " ",
            value === "NOT_APPLICABLE" ? "Not applicable" : verdictShort(value),
          ),
          h("p", { class: "big-number" }, count(totals[value], scanRows(id, `verdict = '${value}'`), value)),
        ),
      ),
    ),
    verdictBar(totals),
    h(
      "dl",
      { class: "measures" },
      measure("Unclear, of all", unclearAll(scan)),
      measure("Unclear, of applicable", unclearApplicable(scan)),
      measure("Expectations met", metCell(scan)),
      measure(
        "Not asked",
        rate(number(scan, "not_asked"), number(scan, "judgments"), {
          href: scanRows(id, "asked = 0"),
          label: "verdicts fixed without asking",
        }),
      ),
      measure(
        "Not judged",
        rate(number(scan, "not_judged"), number(scan, "judgments"), { href: scanRows(id, "verdict is null") }),
      ),
    ),
  ];
}

function measure(name: string, value: Child): HTMLElement {
  return h("div", {}, h("dt", {}, name), h("dd", {}, value));
}

/** Verdict counts under layers, dimensions and checks, each with its denominator. */
export async function breakdown(scan: Row): Promise<HTMLElement> {
  const id = text(scan, "scan_id");
  const claim = claimOf(scan);
  const found = await rows(
    `select layer, dimension, check_id, grouping(dimension)::integer as above_dimension, grouping(check_id)::integer as above_check,
      count(*)::integer as judgments, (count(*) filter (where verdict is not null))::integer as judged,
      ${VERDICTS.map((value) => `(count(*) filter (where verdict = '${value}'))::integer as "${value}"`).join(", ")}
     from judgments where scan_id = ? group by grouping sets ((layer), (layer, dimension), (layer, dimension, check_id))
     order by layer, above_dimension desc, dimension, above_check desc, check_id`,
    [id],
  );
  const level = (row: Row): "layer" | "dimension" | "check" =>
    row["above_dimension"] === 1 ? "layer" : row["above_check"] === 1 ? "dimension" : "check";
  const where = (row: Row, value: string): string => scanRows(id, `${scope(row)} and verdict = '${value}'`);
  const rowsOf = (row: Row): string => scanRows(id, scope(row));
  const scope = (row: Row): string => {
    const at = level(row);
    return at === "check"
      ? `check_id = ${quote(text(row, "check_id"))}`
      : at === "dimension"
        ? `layer = ${quote(text(row, "layer"))} and dimension = ${quote(text(row, "dimension"))}`
        : `layer = ${quote(text(row, "layer"))}`;
  };
  const applicable = (row: Row): number => number(row, "judged") - number(row, "NOT_APPLICABLE");
  // A layer counts one conversation once a check, and no interval of independent rows describes that.
  const single = (row: Row): Claim | undefined => (level(row) === "check" ? claim : undefined);
  return figure(
    {
      title: "Verdicts by layer, dimension and check",
      claim,
      rows: scanRows(id),
      ...(claim === "target_model_conversations" && {
        note: "Share and 95 % interval beside checks with 30 applicable judgments or more; a layer or dimension takes one conversation several times and has none.",
      }),
    },
    dataTable(
      found,
      [
        {
          title: "Layer, dimension, check",
          header: true,
          class: "tree",
          cell: (row) => {
            const at = level(row);
            return h(
              "span",
              { class: `tree-${at}` },
              at === "check"
                ? h("a", { href: checkLink(text(row, "check_id")) }, text(row, "check_id"))
                : at === "dimension"
                  ? text(row, "dimension")
                  : text(row, "layer") || "inline",
            );
          },
        },
        {
          title: h("span", { class: "visually-hidden" }, "Bar"),
          class: "bar-cell",
          cell: (row) => verdictBar(Object.fromEntries(VERDICTS.map((value) => [value, number(row, value)]))),
        },
        ...VERDICTS.map((value) => ({
          title: verdictShort(value),
          align: "right" as const,
          cell: (row: Row) => count(number(row, value), where(row, value), verdictShort(value)),
        })),
        {
          title: "Judged",
          align: "right",
          cell: (row) => rate(number(row, "judged"), number(row, "judgments"), { href: rowsOf(row), label: "judged" }),
        },
        {
          title: "Fail of applicable",
          align: "right",
          cell: (row) => rate(number(row, "FAIL"), applicable(row), { claim: single(row), href: where(row, "FAIL") }),
        },
        {
          title: "Unclear of applicable",
          align: "right",
          cell: (row) =>
            rate(number(row, "UNCLEAR"), applicable(row), { claim: single(row), href: where(row, "UNCLEAR") }),
        },
      ],
      { label: "Verdicts by layer, dimension and check", page: 200 },
    ),
  );
}

/** Every FAIL and every UNCLEAR, with what is cited and what is still possible. */
export async function findings(scan: Row, value: "FAIL" | "UNCLEAR"): Promise<HTMLElement> {
  const id = text(scan, "scan_id");
  const found = await rows(
    `select j.conversation, j.scenario_id, j.model_id, j.check_id, j.verdict, j.possible, j.open, j.rationale, e.quote, e.kind, e.role, e.turn
     from judgments j left join evidence e on e.scan_id = j.scan_id and e.conversation = j.conversation and e.check_id = j.check_id and e.position = 0
     where j.scan_id = ? and j.verdict = ? order by j.check_id, j.conversation`,
    [id, value],
  );
  const fail = value === "FAIL";
  return figure(
    { title: [`${found.length} ${value}`], claim: claimOf(scan), rows: scanRows(id, `verdict = '${value}'`) },
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
        ...(texts(scan, "model_ids").length > 1
          ? [{ title: "Model", cell: (row: Row) => text(row, "model_id"), sort: (row: Row) => text(row, "model_id") }]
          : []),
        { title: "Check", cell: (row) => text(row, "check_id"), sort: (row) => text(row, "check_id") },
        {
          title: fail ? "Verdict" : "Still possible",
          cell: (row) => (fail ? verdictChip(verdict(row, "verdict")) : possibleChips(texts(row, "possible"))),
        },
        fail
          ? { title: "Cites", class: "prose-cell", cell: (row) => quoteCell(row) }
          : {
              title: "Open answers",
              align: "right" as const,
              cell: (row) => number(row, "open"),
              sort: (row) => number(row, "open"),
            },
        { title: "Why", class: "prose-cell", cell: (row) => text(row, "rationale") },
      ],
      { label: value, page: 25, empty: `No judgment is ${value}.` },
    ),
  );
}

function quoteCell(row: Row): Child {
  const quoted = maybeText(row, "quote");
  if (quoted === null) return h("span", { class: "quiet" }, "no quote");
  const short = quoted.length > 220 ? `${quoted.slice(0, 220)}…` : quoted;
  return [
    h("q", {}, short),
    h(
      "span",
      { class: "quiet" },
      ` ${text(row, "role")} ${number(row, "turn")}${text(row, "kind") === "absence" ? ", by what it leaves out" : ""}`,
    ),
  ];
}

function requestRate(scan: Row, name: string, where: string): HTMLElement {
  return rate(number(scan, name), number(scan, "requests"), {
    href: sqlLink(`select * from requests where scan_id = ${quote(text(scan, "scan_id"))} and ${where}`),
    label: name.replaceAll("_", " "),
  });
}

export function conditions(scan: Row): HTMLElement {
  const estimate = maybeNumber(scan, "estimated_cost_usd");
  return facts([
    [
      "Judge",
      `${scanLabel(scan)} (${text(scan, "adapter")}${text(scan, "model") === "" ? "" : `, ${text(scan, "model")}`})`,
    ],
    [
      "How it is read",
      `${text(scan, "method")}; requests ${text(scan, "grouping") === "one" ? "one question each" : "share equal evidence"}${text(scan, "question_order") === "reversed" ? ", questions reversed" : ""}; asked ${number(scan, "repeats")} ${number(scan, "repeats") === 1 ? "time" : "times"}`,
    ],
    ["Called at", maybeText(scan, "base_url")],
    [
      "Thresholds",
      `no at or below ${number(scan, "threshold_low")}, yes at or above ${number(scan, "threshold_high")}, open between`,
    ],
    ["Source", `${texts(scan, "run_ids").join(", ")}, ${text(scan, "run_date").slice(0, 10)}`],
    ["Target models", texts(scan, "model_ids").join(", ")],
    [
      "Requests",
      [
        requestRate(scan, "answered_requests", "answered"),
        " answered, ",
        requestRate(scan, "valid_first_attempts", "answered and attempts = 1"),
        " at the first attempt; ",
        technicalCell(scan),
        " technical attempts",
      ],
    ],
    [
      "Questions without a pattern",
      maybeNumber(scan, "uncovered_questions") === 0 ? null : `${number(scan, "uncovered_questions")}, answered 0.5`,
    ],
    [
      "Broken generations",
      number(scan, "suspect_turns") === 0
        ? "none found"
        : h(
            "a",
            {
              href: sqlLink(
                `select conversation, suspect_turns from conversations where scan_id = ${quote(text(scan, "scan_id"))} and len(suspect_turns) > 0`,
              ),
            },
            `${number(scan, "suspect_turns")} replies, accepted at planning`,
          ),
    ],
    ["Cost", `${usd(maybeNumber(scan, "cost_usd"))} of at most ${usd(estimate)} (${text(scan, "estimate_method")})`],
    ["Plan", digestChip(text(scan, "plan_sha256"), "plan digest")],
    ["Seal", digestChip(text(scan, "seal_sha256"), "seal digest")],
    ["Engine", `${text(scan, "engine_version")}, rules ${text(scan, "rules_version")}`],
  ]);
}

export function scanCommands(scan: Row): HTMLElement {
  const id = text(scan, "scan_id");
  return commandBlock(
    [
      `bench scan verify data/bundles/${id} --seal ${text(scan, "seal_sha256")}`,
      `bench scan replay data/bundles/${id}`,
      `bench compare --old data/bundles/${id} --new data/bundles/${id}`,
    ],
    "Commands that verify, replay and compare this scan",
  );
}

/** The card's Markdown as it stands: a text, never rendered, because it quotes transcripts. */
export function juryCard(card: string): HTMLElement {
  return h(
    "details",
    { class: "jury-card" },
    h("summary", {}, `Show the card (${card.trimEnd().split("\n").length} lines)`),
    h("pre", { tabindex: 0, role: "region", "aria-label": "Jury Card" }, card),
  );
}
