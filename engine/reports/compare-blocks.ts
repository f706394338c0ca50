import { MISMATCH_KINDS } from "../schema/expectation.ts";
import { VERDICTS } from "../schema/verdict.ts";
import type { Agreement, Matrix, Share } from "../validation/index.ts";
import type { AnswerMoves } from "./answer-moves.ts";
import { blocksAsMarkdown, blocksAsText, type Block } from "./blocks.ts";
import type { Comparison, RatedTally, ScanSide } from "./comparison.ts";
import type { PairedCorrectness } from "./paired.ts";
import { seenShare } from "./seen.ts";
import { ratio } from "./tally.ts";

type Row = (string | number)[];

/** Rows of a list that a reader is shown; `--json` has all. */
const MOST_ROWS = 60;
const NONE: Share = { numerator: 0, denominator: 0 };

export function comparisonAsText(data: Comparison): string {
  return blocksAsText(comparisonBlocks(data));
}

export function comparisonAsMarkdown(data: Comparison): string {
  return blocksAsMarkdown("Comparison of two scans", comparisonBlocks(data));
}

/** A comparison for readers: counts and n/N, never a percentage. Every part says what it counts. */
function comparisonBlocks(data: Comparison): Block[] {
  const { old, new: next } = data.expectation_agreement;
  return [
    {
      lines: [data.claim_text, "No accuracy claim: counts describe these conversations and definitions only."],
    },
    sides(data),
    evidence(data),
    ...(data.same_scan ? [] : [transitions(data), ...answers(data), ...flips(data)]),
    ...labels(data),
    ...(data.same_scan ? [] : expected("Expected (rows) by observed (columns), old", old)),
    ...expected(`Expected (rows) by observed (columns)${data.same_scan ? "" : ", new"}`, next),
    ...byCheck(data),
    ...byBoundary(data),
    ...differences(data),
    ...gates(data),
  ];
}

function sides(data: Comparison): Block {
  const row = (name: string, cell: (side: ScanSide) => string | number): Row => [name, cell(data.old), cell(data.new)];
  return {
    table: [
      ["", "old", "new"],
      row("plan", (side) => side.plan_sha256.slice(0, 12)),
      row("judge", (side) => side.judge.name),
      row("context", (side) => side.judge.context),
      row(
        "grouping, repeats",
        ({ judge }) =>
          `${judge.grouping}${judge.question_order === undefined ? "" : ", questions reversed"}, ${judge.repeats}`,
      ),
      row("thresholds", ({ judge: { thresholds } }) => `${thresholds.low} / ${thresholds.high}`),
      row("claim", (side) => side.claim),
      row("source settings", ({ sources }) => sources.map(settingsOf).join("; ")),
      row("judgments", (side) => side.judgments),
      row("judged", ({ coverage }) => ratio(coverage)),
      ...VERDICTS.map((verdict) => row(verdict, (side) => side.verdicts[verdict])),
      row("fixed without asking", (side) => side.not_asked),
      row("UNCLEAR of all", (side) => ratio(side.unclear_rate_all)),
      row("UNCLEAR of applicable", (side) => ratio(side.unclear_rate_applicable)),
      row("seen cases", ({ seen }) => seen.map(seenShare).join("; ") || "no study"),
      row("requests answered", ({ execution }) => execution.answered),
      row("technical attempts", ({ execution }) => execution.technical_attempts),
      row("tokens in, out", ({ execution }) => `${execution.input_tokens}, ${execution.output_tokens}`),
      row("cost, USD", ({ cost }) => cost.actual_cost_usd),
      row("estimate, USD", ({ cost }) => cost.estimated_cost_usd ?? "unknown"),
    ],
    notes: ["A lower UNCLEAR rate alone is no improvement; read it beside everything below."],
  };
}

function settingsOf({ harness, mode, transcript_policy }: ScanSide["sources"][number]): string {
  const policy = Object.entries(transcript_policy).map(([name, value]) => `${name} ${JSON.stringify(value)}`);
  return [`${harness}/${mode}`, ...policy].join(", ");
}

function evidence(data: Comparison): Block {
  const { conversations: c, judgments: j, checks, coverage } = data;
  const lines = [
    `conversations: ${c.shared} shared, ${c.old_only} old only, ${c.new_only} new only; ` +
      `same transcripts: ${yes(data.same_transcripts)}; same evidence context: ${yes(data.same_evidence_context)}`,
    `judgments: ${j.shared} shared, ${j.old_only} old only, ${j.new_only} new only`,
  ];
  if (data.same_scan) return { title: "Evidence and coverage", lines };
  const named = (rows: readonly { model_id: string; scenario_id: string }[]): string =>
    short(rows.map(({ model_id, scenario_id }) => `${model_id} ${scenario_id}`));
  lines.push(
    `judged in both: ${coverage.judged_in_both}, in the old scan only: ${coverage.judged_in_old_only}, ` +
      `in the new one only: ${coverage.judged_in_new_only}, in neither: ${coverage.judged_in_neither}`,
  );
  const listed: [string, string, number][] = [
    ["conversations of the old scan only", named(coverage.conversations.old_only), c.old_only],
    ["conversations of the new scan only", named(coverage.conversations.new_only), c.new_only],
    ["same transcript, other memory context", named(data.other_evidence_context), data.other_evidence_context.length],
    ["checks of the old scan only", short(checks.old_only), checks.old_only.length],
    ["checks of the new scan only", short(checks.new_only), checks.new_only.length],
    [
      "shared, not judged",
      short(coverage.not_judged.map((row) => `${row.check_id} of ${row.scenario_id} (judged in ${row.judged_in})`)),
      coverage.not_judged.length,
    ],
  ];
  for (const [name, rows, count] of listed) if (count > 0) lines.push(`${name}: ${rows}`);
  lines.push(`judge settings changed: ${data.judge_settings_changed.join(", ") || "none"}`);
  for (const check of data.changed_checks)
    lines.push(`changed definition: ${check.check_id} (${cells(check.transitions)})`);
  if (data.sensitivity_to !== null)
    lines.push(
      `sensitivity: the scans differ in ${data.sensitivity_to} alone, so what changed below is this judge's response to it, and its noise`,
    );
  return { title: "Evidence and coverage", lines };
}

function transitions(data: Comparison): Block {
  const { applicability_transitions: a } = data;
  const noise = (["old", "new"] as const).map((side) => {
    const own = data.noise[side];
    return (
      `noise of the ${side} judge: ` +
      (own === null
        ? "unknown, each request was asked once"
        : `${ratio(own.changed_verdicts)} verdicts of later repeats are not the first's`)
    );
  });
  return {
    title: "Old verdict (rows) by new verdict (columns)",
    lines: [
      `changed verdicts: ${ratio(data.changed_verdicts)}; became applicable: ${a.became_applicable}, ` +
        `became not applicable: ${a.became_not_applicable}`,
      ...noise,
    ],
    table: matrix(data.transition_table),
  };
}

/** Answers to the same bytes, and to the same question asked otherwise, with each judge's noise below them. */
function answers(data: Comparison): Block[] {
  if (data.answer_changes === null) return [];
  const row = (name: string, moves: AnswerMoves): Row => [
    name,
    moves.answers,
    ratio(moves.changed_bands),
    moves.mean_absolute_delta ?? "-",
    moves.max_absolute_delta ?? "-",
    cells(moves.bands) || "-",
  ];
  const noise = (["old", "new"] as const).flatMap((side) => {
    const own = data.noise[side];
    return own === null ? [] : [row(`repeats of the ${side} judge`, own.answers)];
  });
  return [
    {
      title: "Answers",
      table: [
        ["", "answers", "other band", "mean |delta p|", "max |delta p|", "bands"],
        row(`identical requests (${data.answer_changes.requests})`, data.answer_changes),
        row("same question, other request", data.answers.other_requests),
        ...noise,
      ],
      notes: ["An identical request counts once, however many conversations use it."],
    },
  ];
}

function flips(data: Comparison): Block[] {
  if (data.flips.length === 0) return [];
  const repeats = (flip: Comparison["flips"][number], side: "old" | "new"): string => {
    if (data.noise[side] === null) return "asked once";
    return flip.split_repeats[side]?.join(" ") ?? "no split";
  };
  const rows = data.flips
    .slice(0, MOST_ROWS)
    .map((flip) => [
      flip.model_id,
      flip.scenario_id,
      flip.check_id,
      flip.old,
      flip.new,
      [flip.same_definition ? "" : "other definition", flip.same_evidence_context ? "" : "other memory"]
        .filter((text) => text !== "")
        .join(", "),
      repeats(flip, "old"),
      repeats(flip, "new"),
    ]);
  return [
    {
      title: `Changed verdicts: ${data.flips.length}`,
      table: [
        ["model", "conversation", "check", "old", "new", "apart from the judge", "old repeats", "new repeats"],
        ...rows,
      ],
      notes: rest(data.flips.length),
    },
  ];
}

function labels(data: Comparison): Block[] {
  const { source, count } = data.expectations;
  if (source === "none") return [{ lines: ["No expectations: nothing here says whether a verdict is right."] }];
  const columns: [string, Agreement][] = data.same_scan
    ? [["count", data.expectation_agreement.new]]
    : [
        ["old", data.expectation_agreement.old],
        ["new", data.expectation_agreement.new],
      ];
  const row = (name: string, cell: (agreement: Agreement) => string | number): Row => [
    name,
    ...columns.map(([, agreement]) => cell(agreement)),
  ];
  return [
    {
      title: `Expectations: ${count}, ${source === "file" ? "from the named file" : "frozen with the sources"}`,
      table: [
        ["", ...columns.map(([name]) => name)],
        row("labelled judgments", (a) => a.labeled_judgments),
        row("unlabelled judgments", (a) => a.unlabeled_judgments),
        row("labelled checks", (a) => a.labeled_checks.length),
        row("as expected", (a) => ratio(a.agreed)),
        row("  of those, asked of the judge", (a) => ratio(a.agreed_asked)),
        row("expected UNCLEAR (not in the lines above)", (a) => a.expected_unclear),
        row("labelled, not judged", (a) => a.not_judged),
        row("differences", (a) => a.mismatches),
        ...MISMATCH_KINDS.map((kind) => row(`  ${kind}`, (a) => a[kind])),
        row("not bound to this scan", (a) => a.unbound_expectations.length),
      ],
      notes: unbound(data),
    },
    ...paired(data.paired_correctness),
  ];
}

function unbound({ expectation_agreement, same_scan }: Comparison): string[] {
  return (same_scan ? (["new"] as const) : (["old", "new"] as const)).flatMap((side) => {
    const rows = expectation_agreement[side].unbound_expectations;
    if (rows.length === 0) return [];
    const named = rows.map((row) => `${row.check_id} of ${row.scenario_id} (${row.differs.join(", ")})`);
    return [`not bound to the ${side} scan: ${short(named)}`];
  });
}

function paired(data: PairedCorrectness | null): Block[] {
  if (data === null) return [];
  const { p, mid_p, reason } = data.mcnemar;
  return [
    {
      title: "The same labels in both scans",
      table: [
        ["", "new right", "new wrong"],
        ["old right", data.both_right, data.old_only_right],
        ["old wrong", data.new_only_right, data.both_wrong],
      ],
      notes: [
        `McNemar, exact, two-sided, on ${data.old_only_right} and ${data.new_only_right}: ` +
          (p === null ? `undefined, ${reason}` : `p ${probability(p)}, mid-p ${probability(mid_p!)}`),
        "It takes labels as independent, and cases derived from each other are not; it says nothing about other cases.",
      ],
    },
  ];
}

function expected(title: string, agreement: Agreement): Block[] {
  return agreement.labeled_judgments === 0 ? [] : [{ title, table: matrix(agreement.confusion) }];
}

function byCheck(data: Comparison): Block[] {
  const rates = (tally: RatedTally | null): Row =>
    tally === null ? ["-", "-"] : [ratio(tally.unclear_rate_all), ratio(tally.unclear_rate_applicable)];
  if (data.same_scan)
    return [
      {
        title: "By check",
        table: [
          ["check", "UNCLEAR of all", "of applicable"],
          ...data.by_check.map((check) => [check.check_id, ...rates(check.rates.new)]),
        ],
      },
      ...labelledChecks(data),
    ];
  return [
    {
      title: "By check",
      table: [
        [
          "check",
          "UNCLEAR of all, old",
          "new",
          "of applicable, old",
          "new",
          "changed",
          "noise, old",
          "new",
          "same bytes, other band",
          "other request, other band",
        ],
        ...data.by_check.map((check): Row => {
          const [old, next] = [rates(check.rates.old), rates(check.rates.new)];
          return [
            check.check_id,
            ...[old[0]!, next[0]!, old[1]!, next[1]!],
            ratio(check.changed_verdicts),
            ...[check.noise.old, check.noise.new].map((share) => (share === null ? "-" : ratio(share))),
            ratio(check.answers.identical_requests.changed_bands),
            ratio(check.answers.other_requests.changed_bands),
          ];
        }),
      ],
      notes: ["noise: verdicts of later repeats that are not the first's; - where the judge was asked once"],
    },
    ...labelledChecks(data),
  ];
}

function labelledChecks(data: Comparison): Block[] {
  const { old, new: next } = data.expectation_agreement;
  if (old.labeled_judgments + next.labeled_judgments === 0) return [];
  const sides = (data.same_scan ? [next] : [old, next]).map(
    ({ checks }) => new Map(checks.map((check) => [check.check_id, check])),
  );
  const columns = ["as expected", "false pass", "false fail", "unlabelled"];
  const header = data.same_scan ? columns : [...columns.flatMap((name) => [`${name}, old`, "new"]), ...DISCORDANT];
  return [
    {
      title: "Labels by check",
      table: [
        ["check", ...header],
        ...data.by_check.map(({ check_id, paired_correctness }): Row => {
          const counts = sides.map((checks) => checks.get(check_id));
          return [
            check_id,
            ...counts.map((row) => ratio(row?.agreed ?? NONE)),
            ...counts.map((row) => row?.false_pass ?? 0),
            ...counts.map((row) => row?.false_fail ?? 0),
            ...counts.map((row) => row?.unlabeled_judgments ?? 0),
            ...(data.same_scan ? [] : discordant(paired_correctness)),
          ];
        }),
      ],
    },
  ];
}

const DISCORDANT = ["old only right", "new only right", "p"];

function discordant(data: PairedCorrectness | null): Row {
  if (data === null) return ["-", "-", "-"];
  return [data.old_only_right, data.new_only_right, data.mcnemar.p === null ? "-" : probability(data.mcnemar.p)];
}

function byBoundary(data: Comparison): Block[] {
  return data.studies.new.map((study) => {
    const old = data.studies.old.find(({ study_id }) => study_id === study.study_id);
    const cellsOf = (row: (typeof study.boundaries)[number] | undefined): Row => [
      ratio(row?.agreed ?? NONE),
      ratio(row?.pairs_consistent ?? NONE),
    ];
    const before = new Map(old?.boundaries.map((row) => [row.boundary_id, row]));
    const changed = new Map(
      data.by_boundary.filter(({ study_id }) => study_id === study.study_id).map((row) => [row.boundary_id, row]),
    );
    return {
      title: `Study ${study.study_id}: pairs with both members right ${ratio(study.pairs_consistent)}`,
      table: [
        data.same_scan
          ? ["boundary", "as expected", "pairs right"]
          : [
              "boundary",
              "as expected, old",
              "pairs right, old",
              "as expected",
              "pairs right",
              "changed",
              ...DISCORDANT,
            ],
        ...study.boundaries.map((boundary): Row => {
          const id = boundary.boundary_id;
          if (data.same_scan) return [id, ...cellsOf(boundary)];
          const change = changed.get(id);
          return [
            id,
            ...cellsOf(before.get(id)),
            ...cellsOf(boundary),
            ratio(change?.changed_verdicts ?? NONE),
            ...discordant(change?.paired_correctness ?? null),
          ];
        }),
      ],
    };
  });
}

function differences(data: Comparison): Block[] {
  const { rows } = data.expectation_agreement.new;
  const different = rows.filter((row) => row.mismatch !== null || row.observed === null);
  if (different.length === 0) return [];
  const seen = new Set(data.new.seen.flatMap(({ seen_cases }) => seen_cases));
  return [
    {
      title: `Differences from expectation${data.same_scan ? "" : ", new scan"}`,
      table: [
        ["case", "check", "expected", "observed", "kind", "seen"],
        ...different
          .slice(0, MOST_ROWS)
          .map((row) => [
            row.scenario_id,
            row.check_id,
            row.expected,
            row.observed === null ? "not judged" : row.asked === 0 ? `${row.observed} (not asked)` : row.observed,
            row.mismatch ?? "",
            seen.has(row.scenario_id) ? "seen" : "",
          ]),
      ],
      notes: rest(different.length),
    },
  ];
}

function gates(data: Comparison): Block[] {
  if (data.gates.length === 0) return [];
  return [
    {
      title: "Gates on the new scan",
      lines: data.gates.map(
        (gate) => `gate ${gate.name} <= ${gate.most}: ${gate.observed}, ${gate.met ? "met" : "NOT MET"}`,
      ),
    },
  ];
}

function matrix(counts: Matrix): Row[] {
  return [["", ...VERDICTS], ...VERDICTS.map((from): Row => [from, ...VERDICTS.map((to) => counts[from][to])])];
}

function cells(counts: Record<string, number>): string {
  return Object.entries(counts)
    .map(([name, n]) => `${name} ${n}`)
    .join(", ");
}

function short(names: readonly string[]): string {
  const more = names.length - MOST_ROWS;
  return [...names.slice(0, MOST_ROWS), ...(more > 0 ? [`and ${more} more; --json lists all`] : [])].join(", ");
}

function rest(rows: number): string[] {
  return rows > MOST_ROWS ? [`and ${rows - MOST_ROWS} more; --json lists all`] : [];
}

function probability(p: number): string {
  return p < 0.0001 ? "<0.0001" : p.toFixed(4);
}

function yes(value: boolean): string {
  return value ? "yes" : "no";
}
