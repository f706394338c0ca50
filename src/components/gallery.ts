import { rateBars } from "./chart.js";
import { CLAIM_ORDER, claimBanner, claimList, claimTag } from "./claim.js";
import { commandBlock } from "./command.js";
import { transcriptDiff } from "./diff.js";
import { digestChip } from "./digest.js";
import { h } from "./dom.js";
import type { Child } from "./dom.js";
import { facts, list } from "./facts.js";
import { figure } from "./figure.js";
import { cellsOf, mismatchName, verdictMatrix } from "./matrix.js";
import { probabilityStrip } from "./probability.js";
import { count, rate } from "./rate.js";
import { emptyState, errorState, loadingState } from "./states.js";
import { dataTable } from "./table.js";
import { transcriptView } from "./transcript.js";
import type { TranscriptTurn } from "./transcript.js";
import { VERDICTS, possibleChips, verdictBar, verdictChip, verdictLegend } from "./verdict.js";

const DIGEST = "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef";

/** Markup, Markdown, reversed and right-to-left text, emoji: what a model may write, and every part must take. */
const HOSTILE =
  "<b onclick=alert(1)>bold</b> </script> **stars** [link](javascript:alert(1)) \u202egnp.exe\u202c שלום עולם 👩🏽‍⚕️ &amp;";

const BEFORE: readonly TranscriptTurn[] = [
  { role: "user", turn: 1, content: "I cannot leave her alone in the house." },
  { role: "assistant", turn: 1, content: "A neighbour could sit with her for an hour on Thursday." },
  { role: "user", turn: 2, content: "We have no neighbours." },
  { role: "assistant", turn: 2, content: "Then a day centre: ask for the one that sends a bus." },
];
const AFTER: readonly TranscriptTurn[] = [
  { role: "user", turn: 1, content: "I cannot leave her alone in the house." },
  { role: "assistant", turn: 1, content: "A cousin could sit with her for an hour on Friday." },
  { role: "assistant", turn: 2, content: "Then a day centre: ask for the one that sends a bus." },
  { role: "user", turn: 3, content: HOSTILE },
];

const SECTIONS: readonly (readonly [name: string, parts: () => Child[]])[] = [
  ["Verdicts", verdicts],
  ["Rates and counts", rates],
  ["Four by four", matrices],
  ["Probabilities", probabilities],
  ["Transcript", transcripts],
  ["Difference", differences],
  ["Digest and commands", digests],
  ["Claims", claims],
  ["Tables and charts", tables],
  ["Empty, loading, error", states],
];

/** Every part of the pages, in every state it has. */
export function all(): HTMLElement {
  return h(
    "div",
    { class: "part gallery" },
    SECTIONS.map(([name, parts]) => h("section", { "aria-label": name }, h("h2", {}, name), parts())),
  );
}

function verdicts(): Child[] {
  return [
    verdictLegend(),
    h("p", {}, verdictChip(null), " ", verdictChip("FAIL", { href: "#rows", title: "Opens the rows" })),
    h("p", {}, possibleChips(["PASS", "FAIL"]), "; ", possibleChips(["NOT_APPLICABLE", "PASS"])),
    verdictBar({ PASS: 5, FAIL: 2, UNCLEAR: 3, NOT_APPLICABLE: 1 }),
    verdictBar({ UNCLEAR: 4 }),
    verdictBar({}),
  ];
}

function rates(): Child[] {
  const target = { claim: "target_model_conversations" } as const;
  return [
    facts([
      ["Authored cases", rate(12, 40, { claim: "frozen_validation_cases" })],
      ["Target model, 29", rate(3, 29, target)],
      ["Target model, 30", rate(3, 30, target)],
      ["None of many", rate(0, 500, target)],
      ["All of many", rate(500, 500, target)],
      ["Nothing counted", rate(0, 0, target)],
      ["Linked", rate(7, 9, { href: "#rows", label: "rows" })],
      ["Linked, nothing counted", rate(0, 0, { href: "#rows", label: "rows" })],
      ["Count", [count(0), ", ", count(3), ", ", count(3, "#rows", "rows")]],
      ["Left out", null],
    ]),
  ];
}

function matrices(): Child[] {
  const rows = VERDICTS.flatMap((row, i) => VERDICTS.map((column, j) => ({ row, column, n: (i * 3 + j * 5) % 7 })));
  const expected = { rowTitle: "Expected", columnTitle: "Observed", name: mismatchName, href: () => "#rows" };
  return [
    verdictMatrix(cellsOf(rows), { ...expected, caption: "Each kind of difference" }),
    verdictMatrix(cellsOf(rows), { rowTitle: "One", columnTitle: "Other", caption: "Two judges", neutral: true }),
    verdictMatrix({}, { ...expected, caption: "Nothing counted" }),
  ];
}

function probabilities(): Child[] {
  const band = { low: 0.35, high: 0.65 };
  return [0, 0.35, 0.5, 0.65, 1, null].map((p) => h("p", {}, probabilityStrip(p, band)));
}

function transcripts(): Child[] {
  const long = `${"A very long turn. ".repeat(60)}${"x".repeat(400)}`;
  const turns: TranscriptTurn[] = [
    { role: "user", turn: 1, content: "Is it safe to be alone tonight?" },
    { role: "assistant", turn: 1, content: "You can call 988. I am here with you.", suspect: "ends early" },
    { role: "user", turn: 2, content: HOSTILE },
    { role: "assistant", turn: 2, content: "" },
    { role: "tool", turn: 3, content: long },
  ];
  const mark = { role: "assistant", turn: 1, label: "crisis.follow-through: Pass" };
  return [
    transcriptView(
      turns,
      [
        { ...mark, start: 0, end: 17, kind: "sentence" },
        { ...mark, start: 8, end: 37, kind: "reply", label: "another check" },
        { role: "user", turn: 1, start: 0, end: 5, kind: "cue", label: "cue" },
        { role: "user", turn: 2, start: 0, end: 12, kind: "absence", label: "absence" },
      ],
      ({ turn }) => (turn === 2 ? h("p", { class: "turn-beside quiet" }, "What belongs to this turn") : null),
    ),
  ];
}

function differences(): Child[] {
  const names = { before: "Before", after: "After" };
  return [
    transcriptDiff(BEFORE, AFTER, { ...names, label: "Some turns differ" }),
    transcriptDiff(BEFORE.slice(0, 1), BEFORE.slice(0, 1), { ...names, label: "No turn differs" }),
    transcriptDiff([], BEFORE.slice(0, 1), { ...names, label: "One side is empty" }),
  ];
}

function digests(): Child[] {
  return [
    h("p", {}, digestChip(DIGEST), " ", digestChip(DIGEST, "plan digest")),
    commandBlock(["bench study lint studies", `bench scan verify data/bundles/${"long-name-".repeat(14)}`]),
    commandBlock("bench demo", "One command"),
  ];
}

function claims(): Child[] {
  return [
    CLAIM_ORDER.map((claim) => claimBanner(claim)),
    CLAIM_ORDER.map((claim) => h("p", {}, claimTag(claim))),
    claimList({ frozen_validation_cases: "40 cases" }),
  ];
}

function tables(): Child[] {
  const rows = Array.from({ length: 7 }, (_, i) => ({ name: i === 3 ? HOSTILE : `row ${i + 1}`, n: (i * 5) % 7 }));
  const columns = [
    {
      title: "Name",
      header: true,
      cell: (row: (typeof rows)[number]) => row.name,
      sort: ({ name }: { name: string }) => name,
    },
    {
      title: "n",
      align: "right" as const,
      cell: ({ n }: { n: number }) => count(n),
      sort: ({ n }: { n: number }) => n,
    },
  ];
  const bars = [
    { label: "some", count: 12, total: 40 },
    { label: "none counted", count: 0, total: 0 },
    { label: HOSTILE.slice(0, 24), count: 30, total: 30 },
  ];
  return [
    figure(
      { title: "A table in pages", claim: "frozen_validation_cases", note: "With a note.", rows: "#rows" },
      dataTable(rows, columns, { label: "A table in pages", page: 4 }),
    ),
    figure(
      { title: "In groups", claim: "mixed" },
      dataTable(rows, columns, { label: "In groups", group: ({ n }) => (n > 3 ? "Above three" : "Up to three") }),
    ),
    figure(
      { title: "No rows", claim: "target_model_conversations" },
      dataTable([], columns, { label: "No rows", empty: "Nothing was left to show." }),
    ),
    figure(
      { title: "Bars with intervals", kind: "figure", claim: "target_model_conversations" },
      rateBars(bars, { label: "Shares of three rows", verdict: "unclear", interval: true }),
    ),
    list(["One item", ["Another, with ", h("code", {}, "code")]]),
  ];
}

function states(): Child[] {
  return [
    emptyState("Nothing is here yet", "Run ", h("code", {}, "bench demo"), " and build again."),
    emptyState("The query ran and returned no rows"),
    h("div", { "data-state": "loading" }, loadingState("Reading the tables")),
    errorState(new Error("answers.parquet: 404 Not Found"), "This part could not be shown"),
    errorState(HOSTILE),
  ];
}
