import { InvalidArgumentError, Option, type Command } from "commander";
import type { JudgeSettings } from "../schema/judge.ts";

/** Options that name a judge and its settings, shared by every command that plans. */
export interface JudgeFlags {
  judge: string;
  context?: "full" | "final_pair";
  grouping?: "shared" | "one";
  questionOrder?: "listed" | "reversed";
  repeats?: number;
  low?: number;
  high?: number;
  baseUrl?: string;
  method?: string;
  priceInput?: number;
  priceOutput?: number;
  answers?: string;
}

export function judgeOptions(command: Command): Command {
  return command
    .option("--judge <spec>", "<adapter> or <adapter>:<model>; see bench judges list", "lexicon")
    .addOption(
      new Option("--context <policy>", "what of a conversation the judge sees").choices(["full", "final_pair"]),
    )
    .addOption(
      new Option("--grouping <how>", "questions about equal evidence in one request, or each alone").choices([
        "shared",
        "one",
      ]),
    )
    .addOption(
      new Option("--question-order <order>", "of the questions that share a request").choices(["listed", "reversed"]),
    )
    .option("--repeats <k>", "ask each request k times; verdicts read the first", wholeNumber)
    .option("--low <p>", "an answer at or below is no (default 0.35)", number)
    .option("--high <p>", "an answer at or above is yes (default 0.65)", number)
    .option("--base-url <url>", "the server to ask, without credentials")
    .option("--method <name>", "how probabilities are read")
    .option("--price-input <usd>", "USD per million input tokens", number)
    .option("--price-output <usd>", "USD per million output tokens", number)
    .option("--answers <file>", "saved answers of --judge replay: the answers.jsonl of a finished scan");
}

export async function judgeFrom(flags: JudgeFlags): Promise<JudgeSettings> {
  const { parseJudge } = await import("../judges/index.ts");
  const { DEFAULT_THRESHOLDS } = await import("../schema/judge.ts");
  const { low, high, judge: named, answers, ...options } = flags;
  const { sha256OfFile } = await import("../canon/stream.ts");
  const judge = named === "replay" && answers !== undefined ? `replay:${await sha256OfFile(answers)}` : named;
  const thresholds = { low: low ?? DEFAULT_THRESHOLDS.low, high: high ?? DEFAULT_THRESHOLDS.high };
  return parseJudge(judge, { ...options, thresholds });
}

/** The checks of the working directory, else those shipped with the engine. */
export async function checksDirectory(given: string | undefined): Promise<string> {
  if (given !== undefined) return given;
  const { ownOrShipped } = await import("../canon/root.ts");
  return ownOrShipped("checks");
}

export function number(text: string): number {
  const value = Number(text);
  if (text.trim() === "" || Number.isNaN(value)) throw new InvalidArgumentError("it is a number.");
  return value;
}

export function seconds(text: string): number {
  const value = number(text);
  if (!(value > 0 && value <= 3600)) throw new InvalidArgumentError("it is a number of seconds, at most 3600.");
  return value;
}

export function wholeNumber(text: string): number {
  if (!/^[1-9][0-9]{0,8}$/.test(text)) throw new InvalidArgumentError("it is a whole number from 1.");
  return Number(text);
}

export function collect(value: string, before: string[] | undefined): string[] {
  return [...(before ?? []), value];
}
