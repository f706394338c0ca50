import { AssayError } from "../canon/errors.ts";
import type { Operation } from "../schema/study.ts";
import type { Task, Turn } from "../schema/transcript.ts";

/**
 * A case's turns after its declared operations, in order. Throws `bad_operation`, naming the case and the
 * operation, where one does not do exactly what it says: an edit that hits nothing or twice is a mistake in the case.
 */
export function applyOperations(base: readonly Turn[], operations: readonly Operation[], caseId: string): Turn[] {
  return operations.reduce<readonly Turn[]>((turns, operation, index) => {
    const fail: Fail = (problem, fix) => {
      throw new AssayError("bad_operation", `case ${caseId}, operation ${index + 1} (${operation.op}): ${problem}`, {
        fix,
        case: caseId,
        operation: index + 1,
      });
    };
    return applyOne(turns, operation, fail);
  }, base) as Turn[];
}

type Fail = (problem: string, fix: string) => never;
interface Place {
  role: string;
  turn: number;
}

function applyOne(turns: readonly Turn[], operation: Operation, fail: Fail): Turn[] {
  switch (operation.op) {
    case "append_turns":
      return [...turns, ...operation.turns];
    case "insert_turns": {
      const at = indexOf(turns, operation.before, fail);
      const later = turns.slice(at).map((turn) => ({ ...turn, turn: turn.turn + operation.shift }));
      return [...turns.slice(0, at), ...operation.turns, ...later];
    }
    case "drop_turns": {
      const dropped = new Set(operation.turns.map((place) => indexOf(turns, place, fail)));
      if (dropped.size < operation.turns.length) fail("names one turn twice", "name it once");
      return turns.filter((_, index) => !dropped.has(index));
    }
    case "replace_text": {
      const at = indexOf(turns, operation, fail);
      const turn = turns[at]!;
      return turns.with(at, operation.task ? replaceInTask(turn, operation, fail) : replaceInContent(turn, operation, fail));
    }
    case "rename":
      return renameTurns(turns, operation.from, operation.to, fail);
  }
}

function indexOf(turns: readonly Turn[], place: Place, fail: Fail): number {
  const at = turns.findIndex((turn) => turn.role === place.role && turn.turn === place.turn);
  if (at === -1) fail(`there is no turn ${place.role}:${place.turn}`, "name a turn the case has at that point");
  return at;
}

interface Replacement {
  from: string;
  to: string;
}

function replaceInContent(turn: Turn, { from, to }: Replacement, fail: Fail): Turn {
  requireOnce(occurrences(turn.content, from), from, `the content of ${turn.role}:${turn.turn}`, fail);
  return { ...turn, content: replaceFirst(turn.content, from, to) };
}

function replaceInTask(turn: Turn, { from, to }: Replacement, fail: Fail): Turn {
  if (turn.task === undefined) return fail(`${turn.role}:${turn.turn} carries no task`, "drop `task: true`");
  const found = taskTexts(turn.task).reduce((sum, text) => sum + occurrences(text, from), 0);
  requireOnce(found, from, `the task of ${turn.role}:${turn.turn}`, fail);
  return { ...turn, task: mapTask(turn.task, (text) => replaceFirst(text, from, to)) };
}

function requireOnce(found: number, from: string, where: string, fail: Fail): void {
  if (found !== 1) fail(`${JSON.stringify(from)} occurs ${found} times in ${where}`, "quote text that occurs there once");
}

/**
 * Every occurrence of a word, in contents and task texts, at word boundaries; also what the `rename` invariant
 * applies. Calls `fail` where nothing is renamed.
 */
export function renameTurns(turns: readonly Turn[], from: string, to: string, fail: Fail): Turn[] {
  const word = new RegExp(`(?<![\\p{L}\\p{N}_])${from.replace(/[.*+?^${}()|[\]\\]/g, "\\$&")}(?![\\p{L}\\p{N}_])`, "gu");
  let hits = 0;
  const rename = (text: string): string =>
    text.replace(word, () => {
      hits += 1;
      return to;
    });
  const renamed = turns.map((turn) => ({
    ...turn,
    content: rename(turn.content),
    ...(turn.task === undefined ? {} : { task: mapTask(turn.task, rename) }),
  }));
  if (hits === 0) fail(`the word ${JSON.stringify(from)} does not occur`, "rename a word that does");
  return renamed;
}

function taskTexts(task: Task): string[] {
  const texts: string[] = [];
  mapTask(task, (text) => {
    texts.push(text);
    return text;
  });
  return texts;
}

function mapTask(task: Task, change: (text: string) => string): Task {
  return {
    ...task,
    ...(task.recipient === undefined ? {} : { recipient: change(task.recipient) }),
    ...(task.purpose === undefined ? {} : { purpose: change(task.purpose) }),
    required_details: task.required_details.map(change),
    excluded_details: task.excluded_details.map(change),
    ...(task.source_excerpt === undefined ? {} : { source_excerpt: change(task.source_excerpt) }),
  };
}

function occurrences(text: string, part: string): number {
  return text.split(part).length - 1;
}

function replaceFirst(text: string, from: string, to: string): string {
  const at = text.indexOf(from);
  return at === -1 ? text : text.slice(0, at) + to + text.slice(at + from.length);
}
