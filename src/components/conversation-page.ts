import { registerTable } from "npm:@observablehq/duckdb";
import { claimTag } from "./claim.js";
import { digestChip } from "./digest.js";
import { rows } from "./db.js";
import type { Row } from "./db.js";
import { h } from "./dom.js";
import type { Child } from "./dom.js";
import { facts } from "./facts.js";
import { checkLink, conversationLink, dataFile, scanLink, studyLink, viewLink } from "./links.js";
import { chooser, param } from "./params.js";
import { probabilityStrip } from "./probability.js";
import type { Band } from "./probability.js";
import { flag, maybeNumber, maybeText, number, text, texts, verdict } from "./read.js";
import { claimOf, scanLabel } from "./scan.js";
import { emptyState } from "./states.js";
import { dataTable } from "./table.js";
import { transcriptView } from "./transcript.js";
import type { Highlight, TranscriptTurn } from "./transcript.js";
import { possibleChips, verdictChip, verdictShort } from "./verdict.js";

interface Judged {
  scan: Row;
  judgments: Row[];
  evidence: Row[];
  answers: Row[];
  expectations: Row[];
}

/** The transcript named by `?scan=&id=`, its verdicts, its evidence in place, and the answers given at each turn. */
export async function conversationPage(): Promise<HTMLElement> {
  const [scanId, id, besideId, check] = [param("scan"), param("id"), param("beside"), param("check")];
  if (scanId === "" || id === "")
    return emptyState(
      "No conversation is named",
      "Open one from the ",
      h("a", { href: viewLink("conversations", {}) }, "list of conversations"),
      ", or from a list of differences, failures or disagreements: its address carries the scan and the conversation.",
    );
  const [conversation] = await rows("select * from conversations where scan_id = ? and conversation = ?", [scanId, id]);
  if (conversation === undefined) return emptyState("This conversation is not in that scan", `${id} in ${scanId}`);
  const [turns, scans, main, beside] = await Promise.all([
    rows("select * from turns where transcript_sha256 = ? order by position", [
      text(conversation, "transcript_sha256"),
    ]),
    rows(
      "select s.* from scans s join conversations c on c.scan_id = s.scan_id where c.conversation = ? and c.transcript_sha256 = ? order by s.judge_position nulls last, s.scan_id",
      [id, text(conversation, "transcript_sha256")],
    ),
    judged(scanId, id, "answers"),
    besideId === "" || besideId === scanId ? null : judged(besideId, id, "answers_beside"),
  ]);
  if (main === null) return emptyState("That scan is not published here", scanId);
  return h(
    "div",
    { class: "conversation" },
    heading(conversation, main.scan),
    switcher(scans, scanId, id, check),
    h(
      "div",
      { class: "conversation-grid" },
      h(
        "div",
        { class: "conversation-text" },
        h("h2", { class: "small-caps" }, "Transcript"),
        transcript(turns, conversation, main, beside, check),
      ),
      h(
        "div",
        { class: "conversation-side" },
        h("h2", { class: "small-caps" }, "Verdicts"),
        verdicts(main, beside, check, id),
      ),
    ),
  );
}

/** A conversation's verdicts and answers in one scan. Answers are the large table: only that scan's file is read. */
async function judged(scanId: string, id: string, table: string): Promise<Judged | null> {
  const [scan] = await rows("select * from scans where scan_id = ?", [scanId]);
  if (scan === undefined) return null;
  registerTable(table, dataFile(`answers-${scanId}.parquet`));
  const both = [scanId, id];
  const [judgments, evidence, answers, expectations] = await Promise.all([
    rows("select * from judgments where scan_id = ? and conversation = ? order by layer, check_id", both),
    rows("select * from evidence where scan_id = ? and conversation = ? order by check_id, position", both),
    rows(
      `select * from ${table} where scan_id = ? and conversation = ? and repeat = 0 order by turn, role desc, check_id, key, probability desc`,
      both,
    ),
    rows("select * from expectations where scan_id = ? and conversation = ? order by check_id", both),
  ]);
  return { scan, judgments, evidence, answers, expectations };
}

function heading(conversation: Row, scan: Row): Child {
  const study = maybeText(conversation, "study_id");
  document.title = `${text(conversation, "scenario_id")} | Assay`;
  return [
    h(
      "p",
      { class: "kicker" },
      flag(conversation, "is_fixture") ? "Authored case" : "Target-model conversation",
      study !== null && [" of ", h("a", { href: studyLink(study) }, study)],
    ),
    h("h1", {}, text(conversation, "scenario_id")),
    h(
      "p",
      { class: "entry-meta" },
      claimTag(claimOf(scan)),
      " · ",
      text(conversation, "model_id"),
      " · ",
      `${number(conversation, "turns")} turns`,
      " · transcript ",
      digestChip(text(conversation, "transcript_sha256"), "transcript digest"),
      " · judged by ",
      h("a", { href: scanLink(text(scan, "scan_id")) }, scanLabel(scan)),
    ),
  ];
}

function switcher(scans: readonly Row[], scanId: string, id: string, check: string): HTMLElement {
  const choices = scans.map((scan) => ({ value: text(scan, "scan_id"), label: scanLabel(scan) }));
  const go = (): void => {
    const values = Object.fromEntries(
      [...controls.querySelectorAll("select")].map((select) => [select.name, select.value]),
    );
    location.assign(
      conversationLink(values["scan"] ?? scanId, id, {
        ...(check !== "" && { check }),
        ...(values["beside"] && { beside: values["beside"] }),
      }),
    );
  };
  const controls = h(
    "div",
    { class: "controls", role: "group", "aria-label": "Judges" },
    chooser("scan", "Judge", choices, { onChange: go }),
    chooser(
      "beside",
      "Beside",
      [{ value: "", label: "no other judge" }, ...choices.filter(({ value }) => value !== scanId)],
      { onChange: go },
    ),
  );
  return controls;
}

function transcript(
  turns: readonly Row[],
  conversation: Row,
  { judgments, evidence, answers, scan }: Judged,
  beside: Judged | null,
  check: string,
): HTMLElement {
  const suspects = new Map(
    texts(conversation, "suspect_turns").map((entry) => [Number.parseInt(entry, 10), entry.replace(/^\d+ /, "")]),
  );
  const verdictOf = new Map(judgments.map((row) => [text(row, "check_id"), verdict(row, "verdict")]));
  const shown = check === "" ? evidence : evidence.filter((row) => row["check_id"] === check);
  const highlights: Highlight[] = shown.map((row) => {
    const value = verdictOf.get(text(row, "check_id")) ?? null;
    return {
      role: text(row, "role"),
      turn: number(row, "turn"),
      start: number(row, "span_start"),
      end: number(row, "span_end"),
      kind: text(row, "kind"),
      label: `${text(row, "check_id")}: ${value === null ? "not judged" : verdictShort(value)}, ${text(row, "kind")}`,
    };
  });
  const band = { low: number(scan, "threshold_low"), high: number(scan, "threshold_high") };
  const other =
    beside === null ? null : { scan: beside.scan, answers: new Map(beside.answers.map((row) => [placeOf(row), row])) };
  const own = check === "" ? answers : answers.filter((row) => row["check_id"] === check);
  return transcriptView(
    turns.map((row): TranscriptTurn => ({
      role: text(row, "role"),
      turn: number(row, "turn"),
      content: text(row, "content"),
      suspect: text(row, "role") === "assistant" ? (suspects.get(number(row, "turn")) ?? null) : null,
    })),
    highlights,
    (turn) =>
      turnAnswers(
        own.filter((row) => row["role"] === turn.role && row["turn"] === turn.turn),
        band,
        other,
      ),
  );
}

const placeOf = (row: Row): string =>
  `${text(row, "role")} ${number(row, "turn")} ${text(row, "key")} ${text(row, "option")}`;

function turnAnswers(
  answers: readonly Row[],
  band: Band,
  other: { scan: Row; answers: Map<string, Row> } | null,
): Child {
  if (answers.length === 0) return null;
  const open = answers.filter((row) => row["band"] === "open").length;
  return h(
    "details",
    { class: "turn-answers" },
    h(
      "summary",
      {},
      `${answers.length} ${answers.length === 1 ? "answer" : "answers"} here`,
      open > 0 && h("span", { class: "quiet" }, `, ${open} open`),
    ),
    dataTable(
      answers,
      [
        { title: "Observation", header: true, cell: (row) => h("code", {}, text(row, "key")) },
        {
          title: "P",
          cell: (row) => [
            text(row, "type") === "choice" && h("span", { class: "quiet" }, `${text(row, "option")} `),
            probabilityStrip(maybeNumber(row, "probability"), band),
            flag(row, "uncovered") && h("span", { class: "judge-note" }, " no pattern"),
          ],
        },
        ...(other === null
          ? []
          : [
              {
                title: scanLabel(other.scan),
                cell: (row: Row) =>
                  probabilityStrip(maybeNumber(other.answers.get(placeOf(row)) ?? {}, "probability"), {
                    low: number(other.scan, "threshold_low"),
                    high: number(other.scan, "threshold_high"),
                  }),
              },
            ]),
      ],
      { label: "Answers at this turn", page: 60 },
    ),
  );
}

function verdicts(main: Judged, beside: Judged | null, check: string, id: string): HTMLElement {
  const other = new Map(beside?.judgments.map((row) => [text(row, "check_id"), row]) ?? []);
  const expected = new Map(main.expectations.map((row) => [text(row, "check_id"), row]));
  const first = (row: Row): number => (row["check_id"] === check ? 0 : 1);
  const ordered = [...main.judgments].sort((a, b) => first(a) - first(b));
  return h(
    "div",
    {},
    check !== "" &&
      h(
        "p",
        { class: "plate-note" },
        "Evidence and answers of ",
        h("strong", {}, check),
        " only. ",
        h(
          "a",
          {
            href: conversationLink(
              text(main.scan, "scan_id"),
              id,
              beside === null ? {} : { beside: text(beside.scan, "scan_id") },
            ),
          },
          "Show all checks",
        ),
      ),
    ordered.map((row) =>
      verdictCard(
        row,
        main,
        expected.get(text(row, "check_id")),
        beside === null ? null : { scan: beside.scan, row: other.get(text(row, "check_id")) },
        row["check_id"] === check,
        id,
      ),
    ),
  );
}

function verdictCard(
  row: Row,
  main: Judged,
  expectation: Row | undefined,
  beside: { scan: Row; row: Row | undefined } | null,
  open: boolean,
  id: string,
): HTMLElement {
  const check = text(row, "check_id");
  const value = verdict(row, "verdict");
  const missed = expectation === undefined ? null : maybeText(expectation, "mismatch");
  const quotes = main.evidence.filter((span) => span["check_id"] === check);
  return h(
    "details",
    { class: `verdict-card${missed === null ? "" : " verdict-missed"}`, open },
    h(
      "summary",
      {},
      h("span", { class: "verdict-check" }, check),
      h(
        "span",
        { class: "verdict-values" },
        missed !== null && h("span", { class: "missed" }, `${missed.replace("_", " ")} `),
        verdictChip(value),
        beside !== null && [
          h("span", { class: "quiet" }, " / "),
          beside.row === undefined ? h("span", { class: "quiet" }, "-") : verdictChip(verdict(beside.row, "verdict")),
        ],
      ),
    ),
    facts([
      expectation === undefined
        ? null
        : [
            "Expected",
            [
              verdictChip(verdict(expectation, "expected")),
              missed !== null && h("span", { class: "missed" }, ` ${missed.replace("_", " ")}`),
              h(
                "p",
                { class: "note-text" },
                text(expectation, "reason"),
                h(
                  "span",
                  { class: "quiet" },
                  ` (${text(expectation, "author")}; ${text(expectation, "basis").replaceAll("_", " ")})`,
                ),
              ),
            ],
          ],
      value === "UNCLEAR" ? ["Still possible", possibleChips(texts(row, "possible"))] : null,
      ["Why", text(row, "rationale")],
      beside?.row === undefined || beside === null ? null : [scanLabel(beside.scan), text(beside.row, "rationale")],
      [
        "Asked",
        number(row, "asked") === 0
          ? "nothing: the rule fixed this verdict, so it is no evidence about the judge"
          : `${number(row, "asked")} observations, ${number(row, "open")} open`,
      ],
      quotes.length === 0
        ? null
        : [
            "Cites",
            h(
              "ul",
              { class: "quotes" },
              quotes.map((span) =>
                h(
                  "li",
                  {},
                  h(
                    "a",
                    { href: `#${text(span, "role")}-${number(span, "turn")}` },
                    `${text(span, "role")} ${number(span, "turn")}`,
                  ),
                  h(
                    "span",
                    { class: "quiet" },
                    ` ${text(span, "kind")}, characters ${number(span, "span_start")}–${number(span, "span_end")}`,
                  ),
                ),
              ),
            ),
          ],
      ["Definition", h("a", { href: checkLink(check) }, "read the check")],
      open
        ? null
        : [
            "Alone",
            h(
              "a",
              {
                href: conversationLink(text(main.scan, "scan_id"), id, {
                  check,
                  ...(beside !== null && { beside: text(beside.scan, "scan_id") }),
                }),
              },
              "evidence and answers of this check only",
            ),
          ],
    ]),
  );
}
