import type { JudgeSettings } from "../schema/judge.ts";
import type { AnswerValue, Evidence, RequestQuestion } from "../schema/request.ts";
import { questionDigest } from "./digest.ts";
import type { Judge } from "./judge.ts";
import { textsOf } from "./lexicon/signs.ts";
import { contentWords } from "./lexicon/text.ts";

type Bag = ReadonlyMap<string, number>;

/**
 * A baseline that nobody authored: how much the words of the evidence look like the words of each side.
 *
 * A side's text is its criterion; a yes/no question without criteria takes its question with `count_as_yes` for
 * yes and `count_as_no` for no. Evidence is the bound item where there is one, else every field. Similarity s is
 * the cosine of content-word counts, and P(side) = (s + 0.05) / (sum over sides of s + 0.05).
 */
export function overlapJudge(settings: JudgeSettings): Judge {
  return {
    settings,
    ask({ state, questions }) {
      const answers: Record<string, AnswerValue> = {};
      for (const question of questions) answers[question.name] = overlapAnswer(state, question);
      return { model: settings.model, answers, input_tokens: 0, output_tokens: 0, cost_usd: 0 };
    },
  };
}

const FLOOR = 0.05;

function overlapAnswer(state: Evidence, question: RequestQuestion): AnswerValue {
  const sides = sidesOf(question);
  const evidence = evidenceBag(state, question);
  const scores = sides.map(({ bag }) => cosine(evidence, bag) + FLOOR);
  const sum = scores.reduce((a, b) => a + b, 0);
  const share = (i: number): number => Math.round((scores[i]! / sum) * 1e6) / 1e6;
  if (question.type === "noul") return share(0);
  return Object.fromEntries(sides.map(({ name }, i) => [name, share(i)]));
}

const KEPT = 4096;
const sideCache = new Map<string, { name: string; bag: Bag }[]>();
const stateBags = new WeakMap<Evidence, Bag>();
const textBags = new Map<string, Bag>();

function sidesOf(question: RequestQuestion): { name: string; bag: Bag }[] {
  const key = questionDigest(question);
  let sides = sideCache.get(key);
  if (sides === undefined) {
    if (sideCache.size >= KEPT) sideCache.clear();
    sideCache.set(
      key,
      (sides = Object.entries(sideTexts(question)).map(([name, text]) => ({ name, bag: bagOf(text) }))),
    );
  }
  return sides;
}

function sideTexts({ type, instructions, criteria }: RequestQuestion): Record<string, string> {
  if (type === "choice") {
    const options = Object.entries(criteria ?? {}).sort(([a], [b]) => (a < b ? -1 : 1));
    return Object.fromEntries(options.map(([name, text]) => [name, `${name} ${text}`]));
  }
  const asked = typeof instructions === "string" ? { question: instructions } : instructions;
  const yes = [criteria?.["true"], ...(asked.count_as_yes ?? [])].filter((text) => text !== undefined);
  const no = [criteria?.["false"], ...(asked.count_as_no ?? [])].filter((text) => text !== undefined);
  return { yes: [asked.question, ...yes].join(" "), no: no.join(" ") };
}

function evidenceBag(state: Evidence, { bind }: RequestQuestion): Bag {
  if (bind !== undefined) {
    const item = state[bind.field]?.[bind.index];
    return textBag(typeof item === "string" ? item : "");
  }
  let bag = stateBags.get(state);
  if (bag === undefined) {
    const sum = new Map<string, number>();
    for (const value of Object.values(state))
      for (const text of textsOf(value)) for (const [word, n] of textBag(text)) sum.set(word, (sum.get(word) ?? 0) + n);
    stateBags.set(state, (bag = sum));
  }
  return bag;
}

function textBag(text: string): Bag {
  let bag = textBags.get(text);
  if (bag === undefined) {
    if (textBags.size >= KEPT) textBags.clear();
    textBags.set(text, (bag = bagOf(text)));
  }
  return bag;
}

function bagOf(text: string): Bag {
  const bag = new Map<string, number>();
  for (const word of contentWords(text)) bag.set(word, (bag.get(word) ?? 0) + 1);
  return bag;
}

function cosine(a: Bag, b: Bag): number {
  const [few, many] = a.size < b.size ? [a, b] : [b, a];
  let dot = 0;
  for (const [word, n] of few) dot += n * (many.get(word) ?? 0);
  return dot === 0 ? 0 : dot / (norm(a) * norm(b));
}

const norms = new WeakMap<Bag, number>();
function norm(bag: Bag): number {
  let length = norms.get(bag);
  if (length === undefined) {
    let squares = 0;
    for (const n of bag.values()) squares += n * n;
    norms.set(bag, (length = Math.sqrt(squares)));
  }
  return length;
}
