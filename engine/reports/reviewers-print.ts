import { VERDICTS } from "../schema/verdict.ts";
import type { ReviewedItem } from "../validation/index.ts";
import { visible } from "./escape.ts";
import type { ReviewerPair } from "./reviewers.ts";
import { ratio } from "./tally.ts";
import { textTable } from "./text-table.ts";

interface PrintedReview {
  output: string;
  items: number;
  authors: string[];
  labelled: number;
  unlabelled: number;
  expectations: number;
  disputed: readonly ReviewedItem[];
  agreement: readonly ReviewerPair[];
}

export function printReview(data: PrintedReview): string {
  const parts = [
    [
      `${data.labelled}/${data.items} items labelled by ${data.authors.map(visible).join(", ")}`,
      `${data.expectations} expectations in ${visible(data.output)}; ${data.disputed.length} disputed items make none`,
      "The record names the reviewers; it cannot prove that they worked independently.",
    ].join("\n"),
    ...data.agreement.map(
      ({ a, b, table, agreed, kappa, alpha, ac1, baselines }) =>
        `${visible(a)} (rows) by ${visible(b)} (columns): ${ratio(agreed)}; kappa ${shown(kappa)}, alpha ${shown(alpha)}, AC1 ${shown(ac1)}; ` +
        `${baselines.map((row) => `always ${row.always} against ${row.against} ${ratio(row.agreed)}`).join(", ")}\n` +
        textTable([
          ["", ...VERDICTS],
          ...VERDICTS.map((row) => [row, ...VERDICTS.map((column) => table[row][column])]),
        ]),
    ),
    ...(data.disputed.length === 0
      ? []
      : [
          `Disputed\n${textTable([
            ["item", "scenario", "check", "labels"],
            ...data.disputed.map((row) => [
              row.item,
              row.scenario_id,
              row.check_id,
              row.labels.map(({ author, label }) => `${author} ${label}`).join(", "),
            ]),
          ])}`,
        ]),
    "Agreement between reviewers is not correctness.",
  ];
  return `${parts.join("\n\n")}\n`;
}

function shown({ value }: { value: number | null }): string {
  return value === null ? "-" : value.toFixed(3);
}
