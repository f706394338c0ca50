import { AssayError } from "../canon/errors.ts";
import { parseLine } from "../canon/json.ts";
import { decodeUtf8 } from "../canon/utf8.ts";
import { Turn } from "../schema/transcript.ts";

/**
 * The turns of a transcript file (JSONL). Refuses, naming file and line: bytes that are not UTF-8, blank or broken
 * lines, a repeated (role, turn), half a surrogate pair, a task whose text is not visible in its message, and a file without an
 * assistant turn.
 */
export function parseTranscript(bytes: Uint8Array, file: string): Turn[] {
  const lines = decodeUtf8(bytes, file).split("\n");
  if (lines.at(-1) === "") lines.pop();
  const turns = lines.map((text, i) => parseLine(text, Turn, { file, line: i + 1 }));
  assertTurns(turns, (i) => ({ file, line: i + 1 }));
  return turns;
}

/** The rules of a transcript over parsed turns; `place` says where turn i was written. */
export function assertTurns(turns: readonly Turn[], place: (i: number) => { file: string; line?: number }): void {
  const seen = new Set<string>();
  turns.forEach((turn, i) => {
    const id = `${turn.role}:${turn.turn}`;
    if (seen.has(id))
      throw new AssayError("repeated_turn", `repeats (${turn.role}, ${turn.turn})`, {
        ...place(i),
        role: turn.role,
        turn: turn.turn,
        fix: "number each role's turns once",
      });
    seen.add(id);
    assertWhole(turn, place(i));
    assertVisibleTask(turn, place(i));
  });
  if (!turns.some(({ role }) => role === "assistant"))
    throw new AssayError("no_assistant_turn", "has no assistant turn", {
      file: place(0).file,
      fix: "a transcript needs a reply to judge",
    });
}

/** Half a surrogate pair has no UTF-8 form: no request that shows it could be digested or sent. */
function assertWhole({ role, turn, content, task }: Turn, where: { file: string; line?: number }): void {
  const texts = [role, content, task?.recipient, task?.purpose, task?.source_excerpt];
  for (const text of [...texts, ...(task?.required_details ?? []), ...(task?.excluded_details ?? [])])
    if (text !== undefined && !text.isWellFormed())
      throw new AssayError("lone_surrogate", `(${role}, ${turn}) holds half of a surrogate pair`, {
        ...where,
        turn,
        fix: "record the text in whole characters",
      });
}

/** A task states what the message already says; one that adds a fact would show the judge more than the assistant saw. */
function assertVisibleTask({ role, turn, content, task }: Turn, where: { file: string; line?: number }): void {
  if (task === undefined) return;
  const refuse = (problem: string, fix: string): never => {
    throw new AssayError("bad_task", `the task of (${role}, ${turn}) ${problem}`, { ...where, turn, fix });
  };
  if (role !== "user") refuse("is not on a user turn", "put it on the message that asks");
  const required =
    task.kind === "draft"
      ? { recipient: task.recipient, purpose: task.purpose }
      : { source_excerpt: task.source_excerpt };
  for (const [field, text] of Object.entries(required))
    if (text === undefined)
      refuse(`lacks ${field}`, `a ${task.kind} task needs ${Object.keys(required).join(" and ")}`);
  const texts = [
    ["recipient", task.recipient],
    ["purpose", task.purpose],
    ["source_excerpt", task.source_excerpt],
    ...task.required_details.map((text, i) => [`required_details[${i}]`, text] as const),
    ...task.excluded_details.map((text, i) => [`excluded_details[${i}]`, text] as const),
  ] as const;
  for (const [field, text] of texts)
    if (text !== undefined && (text.trim() === "" || !content.includes(text)))
      refuse(`names a ${field} that its message does not show`, "quote it exactly as the message has it");
}
