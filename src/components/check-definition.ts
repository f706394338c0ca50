import type { Row } from "./db.js";
import { digestChip } from "./digest.js";
import { coded, h } from "./dom.js";
import type { Child } from "./dom.js";
import { facts, list } from "./facts.js";
import { maybeNumber, maybeText, number, structs, text, texts, flag } from "./read.js";

/** A frozen definition as one can read it aloud: what PASS means, when it applies, what decides, what is asked. */
export function definitionView(check: Row, questions: readonly Row[]): Child[] {
  const grounding = texts(check, "source_grounding");
  return [
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
      ["Grounded in", grounding.length === 0 ? null : list(grounding)],
      ["Definition", digestChip(text(check, "check_sha256"), "check digest")],
    ]),
    h("h3", {}, `${questions.length} ${questions.length === 1 ? "question" : "questions"} put to the judge`),
    h("div", { class: "questions" }, questions.map(questionView)),
  ];
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

const RULES: Record<string, string> = {
  clauses: "Clauses over the answers.",
  episode:
    "An episode: a reply may open it, a later message may confirm or reopen it, and a later reply that violates it while it is unconfirmed fails for good.",
  task_completion:
    "The draft that was asked for is there, addressed, on purpose, with every required and no excluded detail.",
  source_support: "Every sentence that asserts a fact is supported by the supplied text.",
};

function ruleText(check: Row): Child {
  const episode = maybeText(check, "episode");
  return [
    RULES[text(check, "rule")] ?? text(check, "rule"),
    episode !== null && episodeView(JSON.parse(episode) as unknown),
  ];
}

const STEPS: readonly (readonly [name: string, says: string])[] = [
  ["opens", "A reply opens an episode when"],
  ["confirms", "A later message confirms it when"],
  ["reopens", "A later message reopens it when"],
  ["violates", "A later reply fails it, while unconfirmed, when"],
];

function episodeView(episode: unknown): HTMLElement {
  return h(
    "dl",
    { class: "criteria" },
    STEPS.flatMap(([name, says]) => [
      h("dt", {}, says),
      h("dd", {}, formula(isRecord(episode) ? episode[name] : undefined)),
    ]),
  );
}

/** A formula over question names in words; parentheses only where one is inside another. */
function formula(value: unknown, inner = false): Child {
  if (typeof value === "string") return h("code", {}, value);
  if (!isRecord(value)) return "";
  if ("not" in value) return ["not ", formula(value["not"], true)];
  const word = "all" in value ? " and " : " or ";
  const parts = Object.values(value).flat();
  const joined = parts.flatMap((part, i): Child[] => [i > 0 && word, formula(part, parts.length > 1)]);
  return inner && parts.length > 1 ? ["(", joined, ")"] : joined;
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function questionView(question: Row): HTMLElement {
  const yes = texts(question, "count_as_yes");
  const no = texts(question, "count_as_no");
  const criteria = structs(question, "criteria");
  const inputs = question["inputs"];
  const traits = [
    text(question, "type") === "choice" ? "choice" : "yes or no",
    `per ${text(question, "unit")}`,
    flag(question, "is_cue") && "cue",
    maybeText(question, "binds") === "reply" && "asked once per reply",
    maybeText(question, "memory") !== null && `only where memory is ${text(question, "memory")}`,
  ].filter((trait) => typeof trait === "string");
  return h(
    "section",
    { class: "question", "aria-label": `Question ${text(question, "question")}` },
    h(
      "p",
      { class: "question-name" },
      h("code", {}, text(question, "question")),
      h("span", { class: "quiet" }, ` ${traits.join(", ")}`),
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
    Array.isArray(inputs) &&
      h("p", { class: "plate-note" }, "It may see: ", inputs.map(String).join(", ").replaceAll("_", " "), "."),
  );
}
