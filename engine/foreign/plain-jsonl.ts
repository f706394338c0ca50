import { z } from "zod";
import { AssayError } from "../canon/errors.ts";
import { parseLine } from "../canon/json.ts";
import { GivenJudgment, type ForeignFile } from "./given.ts";

/** One line: a judgment, who made it, and with what. */
const PlainLine = z.looseObject({
  ...GivenJudgment.shape,
  judge: z.string().min(1),
  engine: z.string().min(1).default("unknown"),
});
const KNOWN = new Set([...Object.keys(GivenJudgment.shape), "judge", "engine"]);

/**
 * One JSON object a line: `model_id, scenario_id, foreign_id, verdict, judge`, and optionally `engine, scorer,
 * transcript_sha256, repeats, quotes`. Other fields are dropped and counted. One judge and engine a file.
 */
export function readPlainJsonl(text: string, file: string): Omit<ForeignFile, "name" | "sha256"> {
  const lines = text.split("\n");
  if (lines.at(-1) === "") lines.pop();
  const dropped = new Map<string, number>();
  const rows = lines.map((line, i) => {
    const { judge, engine, ...row } = parseLine(line, PlainLine, { file, line: i + 1 });
    for (const field of Object.keys(row)) if (!KNOWN.has(field)) dropped.set(field, (dropped.get(field) ?? 0) + 1);
    return { judge, engine, judgment: GivenJudgment.parse(row) };
  });
  const first = rows[0];
  if (first === undefined)
    throw new AssayError("no_judgments", "holds no judgment", { file, fix: "give one JSON object a line" });
  const other = rows.findIndex(({ judge, engine }) => judge !== first.judge || engine !== first.engine);
  if (other !== -1)
    throw new AssayError(
      "two_judges",
      `is by ${rows[other]?.judge} (${rows[other]?.engine}), the first line by ${first.judge} (${first.engine})`,
      {
        file,
        line: other + 1,
        fix: "import the judgments of each judge apart",
      },
    );
  const { judge, engine } = first;
  return { format: "jsonl", judge, engine, judgments: rows.map(({ judgment }) => judgment), dropped };
}
