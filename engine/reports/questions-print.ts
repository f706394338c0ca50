import { visible } from "./escape.ts";
import type { QuestionFamily } from "./question-families.ts";
import type { QuestionEffect, QuestionsReport } from "./questions.ts";
import { textTable } from "./text-table.ts";

const MOST_EFFECTS = 40;

/** The report for a terminal: probabilities first, then what single answers could settle. Counts, no percentages. */
export function printQuestions(data: QuestionsReport): string {
  const parts = [
    `${data.scan_id}: ${data.judge} (${data.context}), thresholds ${data.thresholds.low} / ${data.thresholds.high}\n` +
      `${data.claim_text} No accuracy claim.`,
    `Raw probabilities: ${data.answered}/${data.observations} observations answered\n${families(data.families)}`,
    ...choices(data.families),
    ...(data.repeats > 1 ? [`The same request asked ${data.repeats} times\n${noise(data.families)}`] : []),
    level(data),
    data.note,
  ];
  return `${parts.join("\n\n")}\n`;
}

function families(rows: readonly QuestionFamily[]): string {
  return textTable([
    ["check / question", "answers", "unanswered", "unresolved", "yes", "no", "mean", "0 .. 1 in ten bins"],
    ...rows.map((row) => [
      `${row.check_id}/${row.question}`,
      row.answers,
      row.unanswered,
      `${row.unresolved}/${row.answers}`,
      row.yes ?? "choice",
      row.no ?? "choice",
      row.mean === null ? "" : row.mean.toFixed(3),
      row.histogram.join(" "),
    ]),
  ]);
}

function choices(rows: readonly QuestionFamily[]): string[] {
  const options = rows.flatMap((row) =>
    Object.entries(row.options ?? {}).map(([option, { chosen, mean }]) => [
      `${row.check_id}/${row.question}`,
      option,
      `${chosen}/${row.answers}`,
      mean.toFixed(3),
    ]),
  );
  if (options.length === 0) return [];
  return [
    `Choices: the mean above is of the likeliest option\n${textTable([["question", "option", "chosen", "mean"], ...options])}`,
  ];
}

function noise(rows: readonly QuestionFamily[]): string {
  return textTable([
    ["check / question", "observations", "mean range", "largest range", "other band"],
    ...rows.flatMap(({ check_id, question, noise }) =>
      noise === null
        ? []
        : [
            [
              `${check_id}/${question}`,
              noise.observations,
              noise.mean_range?.toFixed(4) ?? "",
              noise.max_range?.toFixed(4) ?? "",
              `${noise.other_band}/${noise.observations}`,
            ],
          ],
    ),
  ]);
}

function level({ judgment_level: level }: QuestionsReport): string {
  if (level.status === "unavailable") return `Judgment level: unavailable; ${visible(level.reason)}`;
  const lines = [
    `Judgment level: ${level.unclear}/${level.judgments} judgments are UNCLEAR; one answer alone could narrow ${level.affected_judgments}/${level.unclear}` +
      (level.not_judged === 0 ? "" : `; ${level.not_judged} are not judged`),
  ];
  if (level.stakes.length > 0)
    lines.push(
      textTable([
        ["between", "UNCLEAR", "affected", "effects"],
        ...level.stakes.map((row) => [sets(row.possible), row.unclear, `${row.affected}/${row.unclear}`, row.effects]),
      ]),
    );
  for (const { stake, possible } of level.stakes) {
    const rows = level.effects.filter((effect) => effect.stake === stake);
    if (rows.length === 0) continue;
    lines.push("", `Effects on judgments between ${sets(possible)}`, effects(rows.slice(0, MOST_EFFECTS)));
    if (rows.length > MOST_EFFECTS) lines.push(`and ${rows.length - MOST_EFFECTS} more; --json lists all`);
  }
  return lines.join("\n");
}

function effects(rows: readonly QuestionEffect[]): string {
  return textTable([
    ["conversation", "check", "place", "observation", "resolved"],
    ...rows.map((row) => [
      `${row.conversation + 1} ${row.model_id} ${row.scenario_id}`,
      row.check_id,
      `${row.role}:${row.turn}`,
      row.key,
      row.resolutions.map(({ resolution, possible }) => `${resolution} -> ${sets(possible)}`).join("; "),
    ]),
  ]);
}

function sets(possible: readonly string[]): string {
  return possible.length === 1 ? (possible[0] ?? "") : `{${possible.join(", ")}}`;
}
