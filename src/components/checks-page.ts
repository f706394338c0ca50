import { digestChip } from "./digest.js";
import { rows } from "./db.js";
import type { Row } from "./db.js";
import { coded, h } from "./dom.js";
import type { Child } from "./dom.js";
import { facts, list } from "./facts.js";
import { figure } from "./figure.js";
import { quote, sqlLink } from "./links.js";
import { count, rate } from "./rate.js";
import type { Claim } from "./rate.js";
import { flag, maybeNumber, maybeText, number, structs, text, texts } from "./read.js";
import { collection, judgeCell } from "./scan.js";
import { emptyState } from "./states.js";
import { dataTable } from "./table.js";
import { VERDICTS, verdictBar, verdictShort } from "./verdict.js";

const TALLY = `count(*)::integer as judgments,
  (count(*) filter (where j.verdict is not null))::integer as judged,
  (count(*) filter (where j.verdict = 'PASS'))::integer as "PASS",
  (count(*) filter (where j.verdict = 'FAIL'))::integer as "FAIL",
  (count(*) filter (where j.verdict = 'UNCLEAR'))::integer as "UNCLEAR",
  (count(*) filter (where j.verdict = 'NOT_APPLICABLE'))::integer as "NOT_APPLICABLE"`;

/** Every check as a definition one can read aloud, with its counts under the claims they support. */
export async function checkArticles(): Promise<Child[]> {
  const [checks, questions, targets, fixtures] = await Promise.all([
    rows("select * from checks order by layer, check_id, check_sha256"),
    rows("select * from questions order by check_sha256, is_cue desc, question"),
    rows(
      `select s.*, j.check_sha256 as sha, j.check_id as check_of, j.model_id, ${TALLY} from judgments j join scans s on s.scan_id = j.scan_id where j.claim = 'target_model_conversations' and not j.is_fixture group by all order by j.model_id, s.is_baseline, s.judge, s.scan_id`,
    ),
    rows(
      `select s.*, j.check_sha256 as sha, j.check_id as check_of, j.model_id, ${TALLY} from judgments j join scans s on s.scan_id = j.scan_id where j.is_fixture group by all order by s.study_id, s.judge_position nulls last, s.scan_id`,
    ),
  ]);
  if (checks.length === 0) return [emptyState("No scan has frozen a check yet")];
  const many = new Set(checks.map((row) => text(row, "check_id")).filter((id, i, ids) => ids.indexOf(id) !== i));
  let layer: string | undefined;
  const used = new Set<string>();
  return checks.flatMap((check): Child[] => {
    const id = text(check, "check_id");
    const sha = text(check, "check_sha256");
    const head =
      text(check, "layer") === layer
        ? null
        : h(
            "h2",
            {},
            text(check, "layer") === ""
              ? "Other checks"
              : `${text(check, "layer").charAt(0).toUpperCase()}${text(check, "layer").slice(1)}`,
          );
    layer = text(check, "layer");
    const anchor = used.has(id) ? `${id}-${sha.slice(0, 8)}` : id;
    used.add(id);
    const own = (list: readonly Row[]): Row[] => list.filter((row) => row["sha"] === sha && row["check_of"] === id);
    return [
      head,
      article(
        check,
        anchor,
        many.has(id),
        questions.filter((row) => row["check_sha256"] === sha),
        own(targets),
        own(fixtures),
      ),
    ];
  });
}

/** Links to every check on the page. */
export async function checkIndex(): Promise<HTMLElement> {
  const checks = await rows("select distinct layer, check_id, severity, summary from checks order by layer, check_id");
  return h(
    "ul",
    { class: "index" },
    checks.map((row) =>
      h(
        "li",
        {},
        h("a", { href: `#${text(row, "check_id")}` }, text(row, "check_id")),
        " ",
        h("span", { class: "quiet" }, text(row, "summary")),
      ),
    ),
  );
}

function article(
  check: Row,
  anchor: string,
  several: boolean,
  questions: readonly Row[],
  targets: readonly Row[],
  fixtures: readonly Row[],
): HTMLElement {
  const id = text(check, "check_id");
  return h(
    "article",
    { class: "check", id: anchor, "aria-label": id },
    h("h3", {}, id, h("span", { class: "check-severity" }, ` ${text(check, "severity")}`)),
    h("p", { class: "check-summary" }, text(check, "summary")),
    facts([
      ["PASS means", h("p", {}, text(check, "pass_meaning"))],
      ["Basis", text(check, "basis").replaceAll("_", " ")],
      ["When it applies", whenItApplies(check, questions)],
      ["What fails", clauses(texts(check, "fail_if"), "Any one of these, at any applicable turn:", questions)],
      [
        "What passes",
        clauses(
          texts(check, "pass_if_any"),
          "All of these, at some applicable turn; without such a turn it fails:",
          questions,
        ),
      ],
      ["Rule", ruleText(check)],
      [
        "Definition",
        [
          digestChip(text(check, "check_sha256"), "check digest"),
          several && h("span", { class: "quiet" }, " one of several frozen versions of this id"),
        ],
      ],
    ]),
    h(
      "details",
      { class: "questions" },
      h("summary", {}, `${questions.length} ${questions.length === 1 ? "question" : "questions"} put to the judge`),
      questions.map(questionView),
    ),
    tally(targets, "target_model_conversations", id),
    tally(fixtures, "frozen_validation_cases", id),
  );
}

function whenItApplies(check: Row, questions: readonly Row[]): Child {
  const cue = maybeText(check, "cue_role");
  const replies = number(check, "requires_assistant_turns");
  const parts: Child[] = [];
  if (cue !== null) {
    const opens =
      text(check, "reply_window") === "after" ? "that reply and every later one" : "the reply of the same turn";
    parts.push(
      `At least ${maybeNumber(check, "cue_min") ?? 1} ${cue === "user" ? "caregiver message" : "reply"} shows the cue; it opens ${opens}.`,
    );
  }
  if (replies > 1) parts.push(`At least ${replies} replies.`);
  const conditions = texts(check, "applies_if");
  if (conditions.length > 0) parts.push(clauses(conditions, "At each counted turn, all of:", questions));
  return parts.length === 0 ? "At every reply." : parts.map((part) => h("div", {}, part));
}

/** Clauses in words, each under the question it reads. */
function clauses(items: readonly string[], lead: string, questions: readonly Row[]): Child {
  if (items.length === 0) return null;
  const asked = (clause: string): Child => {
    const found = questions.find((row) => new RegExp(`(^|\\W)${text(row, "question")}(\\W|$)`).test(clause));
    return found !== undefined && h("span", { class: "clause-asks" }, coded(text(found, "instructions")));
  };
  return [h("p", {}, lead), list(items.map((clause) => [h("code", {}, clause), asked(clause)]))];
}

function ruleText(check: Row): Child {
  const episode = maybeText(check, "episode");
  const names: Record<string, string> = {
    clauses: "Clauses over the answers.",
    episode:
      "An episode: a reply may open it, a later message may confirm or reopen it, and a later reply that violates it while it is unconfirmed fails for good.",
    task_completion:
      "The draft that was asked for is there, addressed, on purpose, with every required and no excluded detail.",
    source_support: "Every sentence that asserts a fact is supported by the supplied text.",
  };
  return [
    names[text(check, "rule")] ?? text(check, "rule"),
    episode !== null && h("pre", { class: "inline-pre", tabindex: 0 }, episode),
  ];
}

function questionView(question: Row): HTMLElement {
  const yes = texts(question, "count_as_yes");
  const no = texts(question, "count_as_no");
  const criteria = structs(question, "criteria");
  return h(
    "section",
    { class: "question", "aria-label": `Question ${text(question, "question")}` },
    h(
      "p",
      { class: "question-name" },
      h("code", {}, text(question, "question")),
      h(
        "span",
        { class: "quiet" },
        ` ${text(question, "type") === "choice" ? "choice" : "yes or no"}, per ${text(question, "unit")}${flag(question, "is_cue") ? ", cue" : ""}`,
      ),
    ),
    h("p", {}, coded(text(question, "instructions"))),
    yes.length > 0 && [h("p", { class: "small-caps" }, "Counts as yes"), list(yes.map(coded))],
    no.length > 0 && [h("p", { class: "small-caps" }, "Counts as no"), list(no.map(coded))],
    criteria.length > 0 &&
      h(
        "dl",
        { class: "criteria" },
        criteria.flatMap((item) => [h("dt", {}, text(item, "option")), h("dd", {}, coded(text(item, "description")))]),
      ),
  );
}

function tally(found: readonly Row[], claim: Claim, check: string): HTMLElement | null {
  if (found.length === 0) return null;
  const fixture = claim === "frozen_validation_cases";
  const where = (row: Row, verdict: string): string =>
    sqlLink(
      `select conversation, verdict, possible, asked, rationale\nfrom judgments\nwhere scan_id = ${quote(text(row, "scan_id"))} and check_id = ${quote(check)} and model_id = ${quote(text(row, "model_id"))} and verdict = ${quote(verdict)}\norder by conversation`,
    );
  const applicable = (row: Row): number => number(row, "judged") - number(row, "NOT_APPLICABLE");
  return figure(
    {
      title: fixture ? "Counts over authored cases" : "Target-model conversations, by model and judge",
      claim,
      note: fixture
        ? undefined
        : "FAIL is given over applicable judgments; from 30 on with its share and 95 % Wilson interval.",
      rows: sqlLink(`select * from ${fixture ? "fixture_counts" : "check_rates"} where check_id = ${quote(check)}`),
    },
    dataTable(
      found,
      [
        { title: "Judge", header: true, cell: (row) => judgeCell(row) },
        ...(fixture
          ? []
          : [
              {
                title: "Fail of applicable",
                align: "right" as const,
                cell: (row: Row) => rate(number(row, "FAIL"), applicable(row), { claim, href: where(row, "FAIL") }),
                sort: (row: Row) => (applicable(row) === 0 ? null : number(row, "FAIL") / applicable(row)),
              },
            ]),
        {
          title: h("span", { class: "visually-hidden" }, "Bar"),
          cell: (row) => verdictBar(Object.fromEntries(VERDICTS.map((verdict) => [verdict, number(row, verdict)]))),
          class: "bar-cell",
        },
        ...VERDICTS.map((verdict) => ({
          title: verdictShort(verdict),
          align: "right" as const,
          cell: (row: Row) => count(number(row, verdict), where(row, verdict), verdictShort(verdict)),
        })),
        { title: "Of", align: "right", cell: (row) => number(row, "judged") },
      ],
      { label: "Counts", page: 60, group: (row: Row) => (fixture ? collection(row) : text(row, "model_id")) },
    ),
  );
}
