import { CLAIM_TEXT, VERDICTS, type Claim } from "../schema/verdict.ts";
import { markdown } from "./escape.ts";
import { markdownTable } from "./markdown-table.ts";
import type { ScanView } from "./scan-view.ts";
import { emptyTally, rates, ratio, type Tally } from "./tally.ts";

const NOT_SHOWN: Record<Claim, string> = {
  development_exemplars:
    "These are short developed examples. They say nothing about conversations nobody wrote for this purpose.",
  frozen_validation_cases:
    "These are constructed cases. They say nothing about unseen conversations of real people, about clinical " +
    "outcomes, or about safety in use; a small constructed set supports no estimate for a population.",
  target_model_conversations:
    "These are the verdicts of one judge on these conversations. No label says which of them are right.",
};

export function claimSection({ plan, plan_sha256 }: ScanView, id: string, judgments_sha256: string): string {
  return [
    `# Jury Card: ${markdown(id)}`,
    "",
    `**Claim.** ${CLAIM_TEXT[plan.claim]}`,
    "",
    `**Not shown.** ${NOT_SHOWN[plan.claim]} No accuracy is claimed.`,
    "",
    markdownTable(
      ["Evidence", "SHA-256"],
      [
        ["`scan_plan.json`", `\`${plan_sha256}\``],
        ["`judgments.jsonl`", `\`${judgments_sha256}\``],
      ],
      [],
    ),
  ].join("\n");
}

export function judgeSection({ plan, execution }: ScanView, tally: Tally): string {
  const { judge, estimate, requests } = plan;
  const planned = requests.distinct * judge.repeats;
  const errors = Object.entries(execution.technical_errors).map(([code, n]) => `${markdown(code)} ${n}`);
  const price =
    judge.price === null
      ? "unknown"
      : `${judge.price.input_usd_per_mtok} in, ${judge.price.output_usd_per_mtok} out, USD per million tokens (${markdown(judge.price.source)})`;
  const settings: [string, string | number][] = [
    ["Judge", markdown(judge.name)],
    ["Adapter, method", `${judge.adapter}, ${markdown(judge.method)}`],
    ["Model asked for", markdown(judge.model)],
    ["Models that answered", execution.models.map(markdown).join(", ") || "none"],
    ["Base URL", judge.base_url === undefined ? "none" : markdown(judge.base_url)],
    ["Context", markdown(judge.context)],
    ["Thresholds", `no at ${judge.thresholds.low} or less, yes at ${judge.thresholds.high} or more`],
    [
      "Grouping, repeats",
      `${judge.grouping}${judge.question_order === undefined ? "" : `, questions ${judge.question_order}`}, ${judge.repeats}`,
    ],
    ["Temperature, seed", `${judge.temperature ?? "none"}, ${judge.seed ?? "none"}`],
    ["Price", price],
    ...(judge.prompt_sha256 === undefined
      ? []
      : [["Prompt template", `\`${judge.prompt_sha256}\``] as [string, string]]),
    ...(judge.lexicon_sha256 === undefined ? [] : [["Lexicon", `\`${judge.lexicon_sha256}\``] as [string, string]]),
  ];
  const facts: [string, string | number][] = [
    ["Requests answered", `${execution.answered}/${planned}`],
    ["Valid first attempts", `${execution.valid_first_attempts}/${planned}`],
    ["Technical attempts", errors.length === 0 ? 0 : `${execution.technical_attempts} (${errors.join(", ")})`],
    ...(execution.retried_tries === 0
      ? []
      : [["Tries retried within an attempt", execution.retried_tries] as [string, number]]),
    ["Requests given up", execution.unanswered],
    ["Judgments not judged", `${tally.not_judged}/${tally.judgments}`],
    ["Verdicts fixed without asking the judge", `${tally.not_asked}/${tally.judgments}`],
    ["Questions without a pattern, answered 0.5", execution.uncovered_questions],
    ["Tokens in, out", `${execution.input_tokens}, ${execution.output_tokens}`],
    ["Cost, USD", execution.actual_cost_usd],
    ["Estimate, USD", estimate.estimated_cost_usd ?? "unknown"],
  ];
  return [
    "## Judge",
    markdownTable(["Setting", "Value"], settings, []),
    "## Execution",
    markdownTable(["What", "Count"], facts),
  ].join("\n\n");
}

/** Verdict counts by layer, dimension and check, and both UNCLEAR rates; each row carries its denominators. */
export function verdictSections({ plan }: ScanView, byCheck: readonly Tally[]): string[] {
  const row = (name: string, tally: Tally): (string | number)[] => {
    const { unclear_rate_all, unclear_rate_applicable, coverage } = rates(tally);
    return [
      name,
      ...VERDICTS.map((verdict) => tally.verdicts[verdict]),
      ratio(coverage),
      ratio(unclear_rate_all),
      ratio(unclear_rate_applicable),
      tally.not_asked,
    ];
  };
  const header = (first: string): string[] => [
    first,
    ...VERDICTS.map((verdict) => verdict.replace("_", "\\_")),
    "judged",
    "UNCLEAR of all",
    "UNCLEAR of applicable",
    "not asked",
  ];
  const grouped = (name: (index: number) => string): (string | number)[][] => {
    const groups = new Map<string, Tally>();
    byCheck.forEach((tally, index) => groups.set(name(index), sum(groups.get(name(index)) ?? emptyTally(), tally)));
    return [...groups].map(([group, tally]) => row(markdown(group), tally));
  };
  const layerOf = (index: number): string => plan.checks[index]!.layer || "none";
  const total = byCheck.reduce(sum, emptyTally());
  return [
    "## Verdicts",
    "Counts of judgments. A lower UNCLEAR rate is no improvement by itself. A verdict that was not asked for is no evidence about a judge.",
    markdownTable(header("Layer"), [...grouped(layerOf), row("all", total)]),
    markdownTable(
      header("Dimension"),
      grouped((index) => `${layerOf(index)} / ${plan.checks[index]!.dimension}`),
    ),
    markdownTable(
      header("Check"),
      byCheck.map((tally, index) => row(markdown(plan.checks[index]!.id), tally)),
    ),
  ];
}

function sum(a: Tally, b: Tally): Tally {
  return {
    judgments: a.judgments + b.judgments,
    verdicts: {
      PASS: a.verdicts.PASS + b.verdicts.PASS,
      FAIL: a.verdicts.FAIL + b.verdicts.FAIL,
      UNCLEAR: a.verdicts.UNCLEAR + b.verdicts.UNCLEAR,
      NOT_APPLICABLE: a.verdicts.NOT_APPLICABLE + b.verdicts.NOT_APPLICABLE,
    },
    not_judged: a.not_judged + b.not_judged,
    not_asked: a.not_asked + b.not_asked,
  };
}

export function sourceSection({ plan, sources }: ScanView): string {
  const rows = sources.map((source, index) => [
    markdown(source.run_id),
    markdown(source.run_date),
    `${markdown(source.harness)} / ${markdown(source.mode)}`,
    `${plan.conversations.filter((row) => row.source === index).length}/${source.transcripts}`,
    source.actual_cost_usd ?? "unknown",
    source.elapsed_seconds ?? "unknown",
    Object.entries(source.transcript_policy)
      .map(([name, value]) => `${markdown(name)} ${markdown(JSON.stringify(value))}`)
      .join("; "),
  ]);
  const header = ["Run", "Date", "Harness / mode", "Conversations planned", "Cost, USD", "Seconds", "Settings"];
  return `## Sources\n\n${markdownTable(header, rows, [3, 4, 5])}`;
}

export function suspectSection({ plan }: ScanView): string {
  const rows = plan.conversations.flatMap((conversation) =>
    conversation.suspect_turns.map((suspect) => [
      markdown(conversation.model_id),
      markdown(conversation.scenario_id),
      suspect.turn,
      suspect.kind.replaceAll("_", " "),
      markdown(suspect.detail),
    ]),
  );
  const body =
    rows.length === 0
      ? "None."
      : `Accepted at planning, and kept: assistant turns that look like broken generations.\n\n${markdownTable(["Model", "Scenario", "Turn", "Kind", "Detail"], rows, [2])}`;
  return `## Suspect turns (${rows.length})\n\n${body}`;
}
