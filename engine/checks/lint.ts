import type { Check, Clause, LoadedCheck, MemoryState } from "../schema/check.ts";

export interface LintFinding {
  check_id: string;
  file: string;
  message: string;
  fix: string;
}

/** Definitions that parse and yet cannot be useful: a check that can never fail, a question nothing reads. */
export function lintChecks(checks: readonly LoadedCheck[]): LintFinding[] {
  return checks.flatMap(({ check, path }) => {
    const found: LintFinding[] = [];
    const say = (message: string, fix: string) => found.push({ check_id: check.id, file: path, message, fix });
    if (check.rule === "clauses") lintClauses(check, say);
    if (check.rule === "episode") lintEpisode(check, say);
    return found;
  });
}

type Say = (message: string, fix: string) => void;

function lintClauses(check: Check, say: Say): void {
  const gated = [...clausesOf(check), ...Object.values(check.questions)].some((part) => part.memory !== undefined);
  const states: MemoryState[] = gated ? ["declared", "undeclared"] : ["undeclared"];
  for (const state of states) {
    const present = (clause: Clause) => exists(clause.memory, state) && exists(check.questions[clause.question]?.memory, state);
    if (!check.fail_if.some(present) && !check.pass_if_any.some(present))
      say(
        `can never fail${gated ? ` where memory is ${state}` : ""}`,
        "add a fail_if or pass_if_any clause that exists there",
      );
  }
  const read = new Set(clausesOf(check).map((clause) => clause.question));
  for (const name of Object.keys(check.questions))
    if (!read.has(name)) say(`nothing reads the question ${name}`, "remove it or read it in a clause");
  for (const clause of clausesOf(check)) {
    const question = check.questions[clause.question];
    if (question?.memory !== undefined && clause.memory !== undefined && question.memory !== clause.memory)
      say(`the clause on ${clause.question} exists in no memory state`, "gate clause and question alike");
  }
}

function lintEpisode(check: Check, say: Say): void {
  const read = JSON.stringify(check.episode);
  for (const name of Object.keys(check.questions))
    if (!read.includes(`"${name}"`)) say(`nothing reads the question ${name}`, "remove it or read it in the episode");
  if (check.requires_assistant_turns < 2)
    say("an episode needs a later reply", "set requires_assistant_turns to 2 or more");
}

function clausesOf(check: Check): Clause[] {
  return [...check.applies_if, ...check.fail_if, ...check.pass_if_any];
}

function exists(gate: MemoryState | undefined, state: MemoryState): boolean {
  return gate === undefined || gate === state;
}
