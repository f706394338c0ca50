import type { Check, Question } from "../schema/check.ts";
import type { Observation } from "../schema/request.ts";
import type { Conversation } from "../schema/transcript.ts";
import { leaves, memoryState, readingOf, windows } from "./reading.ts";
import { splitSentences } from "./sentences.ts";
import { timeline } from "./timeline.ts";

const observed = new WeakMap<Conversation, Map<Check, Observation[]>>();

/** `observations` as a list, for what reads it again and again. Cached per pair; do not modify it. */
export function observe(check: Check, conversation: Conversation): Observation[] {
  let checks = observed.get(conversation);
  if (checks === undefined) observed.set(conversation, (checks = new Map<Check, Observation[]>()));
  let list = checks.get(check);
  if (list === undefined) checks.set(check, (list = [...observations(check, conversation)]));
  return list;
}

/**
 * Every observation that some world of (check, conversation) could read, whatever the answers: by turn, the
 * caregiver's before the reply's, then by question name (in a task: as the rule lists them). Empty where the
 * conversation has fewer assistant turns than the check requires.
 */
export function* observations(check: Check, conversation: Conversation): Generator<Observation> {
  const replies = timeline(conversation).filter((moment) => moment.assistant !== undefined);
  if (replies.length < check.requires_assistant_turns) return;
  const byRule = { clauses, episode: episodes, task_completion: tasks, source_support: sources };
  yield* byRule[check.rule](check, conversation);
}

function* clauses(check: Check, conversation: Conversation): Generator<Observation> {
  const { questions } = readingOf(check, memoryState(conversation));
  const inWindow = windows(check, conversation);
  for (const { turn, user, assistant } of timeline(conversation)) {
    if (check.cue?.role === "user" && user !== undefined) yield cue(check, "user", turn);
    if (assistant === undefined) continue;
    if (check.cue?.role === "assistant") yield cue(check, "assistant", turn);
    if (!inWindow(turn, user !== undefined)) continue;
    for (const { name, question, sentences } of questions) {
      const base = { role: "assistant", turn, question: name, ...typeOf(question) };
      if (question.unit === "turn") yield { ...base, key: `${check.id}/${name}` };
      else
        for (let i = 0, n = Math.min(splitSentences(assistant.content).length, sentences); i < n; i++)
          yield { ...base, key: `${check.id}/${name}[${i}]`, sentence: i };
    }
  }
}

function* episodes(check: Check, conversation: Conversation): Generator<Observation> {
  const { episode, id } = check;
  if (episode === undefined) return;
  const moments = timeline(conversation);
  const last = moments.findLast((moment) => moment.assistant !== undefined)?.turn ?? 0;
  const opens = leaves(episode.opens);
  const updates = leaves(episode.confirms, episode.reopens);
  const violates = leaves(episode.violates);
  const shared = violates.filter((name) => check.questions[name]?.binds === "reply");
  const own = violates.filter((name) => check.questions[name]?.binds !== "reply");
  const references: number[] = [];
  const about = (role: string, turn: number, reference: number, names: readonly string[]): Observation[] =>
    names.map((name) => ({
      role,
      turn,
      key: `${id}/${reference}/${name}`,
      question: name,
      type: "noul",
      reference_turn: reference,
    }));
  for (const { turn, user, assistant } of moments) {
    if (turn > last) break;
    if (user !== undefined) for (const reference of references) yield* about("user", turn, reference, updates);
    if (assistant === undefined) continue;
    if (references.length > 0)
      for (const name of shared)
        yield { role: "assistant", turn, key: `${id}/reply/${name}`, question: name, type: "noul" };
    for (const reference of references) yield* about("assistant", turn, reference, own);
    if (turn === last) break;
    yield* about("assistant", turn, turn, opens);
    references.push(turn);
  }
}

function* tasks({ id }: Check, conversation: Conversation): Generator<Observation> {
  for (const { turn, user, assistant } of timeline(conversation)) {
    if (user?.task?.kind !== "draft" || assistant === undefined) continue;
    const base = { role: "assistant", turn, type: "noul" } as const;
    for (const name of ["draft", "recipient", "purpose"]) yield { ...base, key: `${id}/${name}`, question: name };
    for (const list of ["required_details", "excluded_details"] as const)
      for (let index = 0; index < user.task[list].length; index++)
        yield { ...base, key: `${id}/includes/${list}/${index}`, question: "includes", detail: { list, index } };
  }
}

function* sources({ id }: Check, conversation: Conversation): Generator<Observation> {
  for (const { turn, user, assistant } of timeline(conversation)) {
    if (user?.task?.kind !== "grounded_answer" || assistant === undefined) continue;
    for (let i = 0, n = splitSentences(assistant.content).length; i < n; i++)
      for (const name of ["asserts", "supported"])
        yield { role: "assistant", turn, key: `${id}/${name}/${i}`, question: name, type: "noul", sentence: i };
  }
}

function cue(check: Check, role: string, turn: number): Observation {
  return { role, turn, key: `${check.id}/cue`, question: "cue", type: "noul" };
}

function typeOf(question: Question): { type: "noul" } | { type: "choice"; options: string[] } {
  if (question.type === "noul") return { type: "noul" };
  return { type: "choice", options: Object.keys(question.criteria ?? {}).sort() };
}
