import { AssayError, type ErrorDetails } from "../canon/errors.ts";
import { nearest } from "../canon/nearest.ts";
import { MOST_OPTIONS } from "../rules/index.ts";
import { fieldsOfRule } from "../evidence/fields.ts";
import type { Check, Clause, EvidenceField, Formula, MemoryState, Question } from "../schema/check.ts";

type Path = readonly PropertyKey[];
type Place = (path: Path) => ErrorDetails;
type Refuse = (path: Path, problem: string, fix: string) => never;

const TASK_QUESTIONS = {
  task_completion: ["draft", "recipient", "purpose", "includes"],
  source_support: ["asserts", "supported"],
} as const;
const CLAUSE_LISTS = ["applies_if", "fail_if", "pass_if_any"] as const;

/** What a schema cannot say: that the parts of a definition fit each other. Throws the first misfit, at its place. */
export function assertConsistent(check: Check, place: Place): void {
  const refuse: Refuse = (path, problem, fix) => {
    throw new AssayError("bad_check", `${path.map(String).join(".")}: ${problem}`, { ...place(path), fix });
  };
  for (const [name, question] of Object.entries(check.questions)) assertQuestion(check, name, question, refuse);
  if (check.cue !== undefined) assertCue(check, check.cue, refuse);
  if (check.rule !== "episode" && check.episode !== undefined)
    refuse(["episode"], `belongs to rule: episode, and this rule is ${check.rule}`, "set rule: episode or remove it");
  if (check.rule !== "clauses") {
    for (const list of CLAUSE_LISTS)
      if (check[list].length > 0) refuse([list], `a ${check.rule} check has no clauses`, `remove ${list}`);
    if (check.window === "after") refuse(["window"], `a ${check.rule} check has no window`, "remove it");
  }
  switch (check.rule) {
    case "clauses":
      for (const list of CLAUSE_LISTS)
        check[list].forEach((clause, i) => assertClause(check, clause, [list, i], refuse));
      break;
    case "episode":
      assertEpisode(check, refuse);
      break;
    default:
      assertTaskQuestions(check, TASK_QUESTIONS[check.rule], refuse);
  }
}

function assertQuestion(check: Check, name: string, question: Question, refuse: Refuse): void {
  const path = ["questions", name];
  if (check.cue !== undefined && name === "cue") refuse(path, "the name cue is taken by the cue", "rename the question");
  const criteria = Object.keys(question.criteria ?? {});
  if (question.type === "choice") {
    if (criteria.length < 2)
      refuse([...path, "criteria"], "a choice needs two or more options", "list each option with a description");
    if (criteria.length > MOST_OPTIONS)
      refuse(
        [...path, "criteria"],
        `a choice has ${criteria.length} options; the most is ${MOST_OPTIONS}`,
        "merge options, or ask two questions",
      );
    if (question.unit === "sentence")
      refuse([...path, "unit"], "a choice is asked about a turn", "use a yes/no question for sentences");
    if (check.rule !== "clauses")
      refuse([...path, "type"], `a ${check.rule} check asks yes/no questions only`, "remove type: choice");
  } else assertYesNoCriteria(question, path, refuse);
  assertInputs(question, fieldsOfRule(check.rule, "assistant", question.binds), path, refuse);
  for (const field of neededFields(check, name, question))
    if (question.inputs !== undefined && !question.inputs.includes(field))
      refuse([...path, "inputs"], `${name} is asked about an item of ${field}, which its inputs leave out`, `add ${field}`);
  if (question.binds !== undefined && check.rule !== "episode")
    refuse([...path, "binds"], "only an episode's questions bind", "remove it or use rule: episode");
  if (check.rule !== "clauses") {
    if (question.unit === "sentence")
      refuse([...path, "unit"], `a ${check.rule} check has no sentence questions of its own`, "remove unit");
    if (question.memory !== undefined)
      refuse([...path, "memory"], `a ${check.rule} check does not gate on memory`, "remove memory");
  }
}

function assertCue(check: Check, cue: NonNullable<Check["cue"]>, refuse: Refuse): void {
  if (check.rule !== "clauses") refuse(["cue"], `a ${check.rule} check has no cue`, "remove it or use rule: clauses");
  assertYesNoCriteria(cue, ["cue"], refuse);
  assertInputs(cue, fieldsOfRule(check.rule, cue.role), ["cue"], refuse);
}

function assertYesNoCriteria({ criteria }: Pick<Question, "criteria">, path: Path, refuse: Refuse): void {
  const stray = Object.keys(criteria ?? {}).find((key) => key !== "true" && key !== "false");
  if (stray !== undefined)
    refuse([...path, "criteria", stray], "a yes/no question describes true and false only", "use type: choice for options");
}

/** `inputs` may only take away: a field that is not there at the question's place would never be shown. */
function assertInputs(
  { inputs, memory }: { inputs?: EvidenceField[] | undefined; memory?: MemoryState | undefined },
  available: readonly EvidenceField[],
  path: Path,
  refuse: Refuse,
): void {
  if (inputs === undefined) return;
  inputs.forEach((field, i) => {
    if (!available.includes(field))
      refuse([...path, "inputs", i], `there is no ${field} where this is asked`, `choose from ${available.join(", ")}`);
  });
  if (memory !== "declared" && inputs.every((field) => field === "memory_context"))
    refuse([...path, "inputs"], "would see nothing where memory is undeclared", "add a field or memory: declared");
}

/** The list fields whose items a question is asked about, one observation an item. */
function neededFields(check: Check, name: string, question: Question): EvidenceField[] {
  if (check.rule === "source_support" || (check.rule === "clauses" && question.unit === "sentence")) return ["sentences"];
  return check.rule === "task_completion" && name === "includes" ? ["required_details", "excluded_details"] : [];
}

function assertClause(check: Check, clause: Clause, path: Path, refuse: Refuse): void {
  const question = Object.hasOwn(check.questions, clause.question) ? check.questions[clause.question] : undefined;
  if (question === undefined)
    return refuse([...path, "question"], `there is no question ${clause.question}`, has(check, clause.question));
  if (question.type === "choice") {
    const options = Object.keys(question.criteria ?? {});
    if (clause.option === undefined)
      refuse(path, `${clause.question} is a choice, so the clause names an option`, `one of ${options.join(", ")}`);
    else if (!options.includes(clause.option))
      refuse([...path, "option"], `${clause.question} has no option ${clause.option}`, `one of ${options.join(", ")}`);
  } else if (clause.option !== undefined)
    refuse([...path, "option"], `${clause.question} is a yes/no question`, "remove option or use type: choice");
  if (clause.within_first !== undefined && question.unit !== "sentence")
    refuse([...path, "within_first"], `${clause.question} is asked about the turn`, "remove it or set unit: sentence");
  if (question.memory !== undefined && clause.memory !== question.memory)
    refuse(
      [...path, "memory"],
      `${clause.question} exists only where memory is ${question.memory}, and the clause is ${gate(clause.memory)}`,
      `add memory: ${question.memory} to the clause`,
    );
}

function gate(memory: MemoryState | undefined): string {
  return memory === undefined ? "not gated" : `gated to ${memory}`;
}

function assertEpisode(check: Check, refuse: Refuse): void {
  const { episode } = check;
  if (episode === undefined)
    return refuse(["rule"], "rule: episode needs an episode", "say what opens, confirms, reopens and violates it");
  for (const part of ["opens", "confirms", "reopens", "violates"] as const)
    for (const { name, path } of leavesOf(episode[part], ["episode", part])) {
      if (!Object.hasOwn(check.questions, name)) refuse(path, `there is no question ${name}`, has(check, name));
      if (check.questions[name]?.binds === "reply" && part !== "violates")
        refuse(path, `${name} binds to a reply, which only violates reads`, "use a question that binds: reference");
    }
}

function leavesOf(formula: Formula, path: Path): { name: string; path: Path }[] {
  if (typeof formula === "string") return [{ name: formula, path }];
  if ("not" in formula) return leavesOf(formula.not, [...path, "not"]);
  const [key, parts] = "all" in formula ? (["all", formula.all] as const) : (["any", formula.any] as const);
  return parts.flatMap((part, i) => leavesOf(part, [...path, key, i]));
}

function assertTaskQuestions(check: Check, names: readonly string[], refuse: Refuse): void {
  const stray = Object.keys(check.questions).find((name) => !names.includes(name));
  if (stray !== undefined)
    refuse(["questions", stray], `a ${check.rule} check has fixed questions`, `only ${names.join(", ")}`);
  const missing = names.find((name) => !Object.hasOwn(check.questions, name));
  if (missing !== undefined)
    refuse(["questions"], `a ${check.rule} check lacks the question ${missing}`, `give ${names.join(", ")}`);
}

function has(check: Check, meant: string): string {
  const names = Object.keys(check.questions);
  const near = nearest(meant, names);
  return near === undefined ? `it has ${names.join(", ") || "none"}` : `did you mean ${near}?`;
}
