import { AssayError, type ErrorDetails } from "../canon/errors.ts";
import { sha256 } from "../canon/json.ts";
import { assertTurns } from "../evidence/transcript.ts";
import type { Turn } from "../schema/transcript.ts";
import type { ImportedConversation, Reading } from "./imported.ts";

/** Ids longer than this are a mistake: they are shown in every table. */
const LONGEST_ID = 500;

/** A conversation before its transcript is written. */
export interface Draft {
  model?: string | undefined;
  model_id?: string | undefined;
  scenario_id: string;
  category?: string | undefined;
  scenario?: string | undefined;
  turns: readonly Turn[];
}

/** Roles of chat formats; any other has to be named, since a role that is not judged would be left out silently. */
const KNOWN = ["user", "assistant", "system", "developer", "tool", "function"];

/** What a message's role is called here: as `--role` says, or as it is. Throws `bad_role` on one that nobody named. */
export function roleOf(reading: Reading, role: string, where: ErrorDetails): string {
  const named = reading.options.roles?.get(role);
  if (named !== undefined) {
    reading.used.add(`role ${role}`);
    return named;
  }
  if (KNOWN.includes(role)) return role;
  throw new AssayError("bad_role", `has the role ${JSON.stringify(role.slice(0, 80))}`, {
    ...where,
    role,
    fix: `roles are ${KNOWN.join(", ")}; say what it is, as --role human=user`,
  });
}

/** Tool results are not part of what was said to the person; they are counted, never kept. */
export function isTool(role: string): boolean {
  return role === "tool" || role === "function";
}

/**
 * The transcript of a draft: one turn a line. Throws `needs_model`, `bad_record` for an id without a canonical form,
 * and what a transcript throws, at `where`.
 */
export function conversationOf(
  reading: Reading,
  draft: Draft,
  where: ErrorDetails & { file: string },
): ImportedConversation {
  const { turns, scenario_id, category = "", scenario } = draft;
  if (!turns.some(({ role }) => role === "assistant"))
    throw new AssayError("no_assistant_turn", "has no assistant turn", {
      ...where,
      fix: "a transcript needs a reply to judge",
    });
  assertTurns(turns, () => where);
  const names = modelOf(reading, draft, where);
  for (const [field, text] of Object.entries({ ...names, scenario_id, category, scenario }))
    if (text !== undefined && (!text.isWellFormed() || text.length > LONGEST_ID))
      throw new AssayError("bad_record", `its ${field} is longer than ${LONGEST_ID} or holds half a character`, where);
  const bytes = Buffer.from(turns.map((turn) => `${JSON.stringify(turn)}\n`).join(""));
  return {
    ...names,
    scenario_id,
    category,
    ...(scenario === undefined ? {} : { scenario }),
    bytes,
    sha256: sha256(bytes),
    checked: false,
    turns,
  };
}

/** The model as the input names it, else as the command line does; never anything else. */
function modelOf(
  reading: Reading,
  { model, model_id }: Draft,
  where: ErrorDetails,
): { model: string; model_id: string } {
  const { options, used, assumed } = reading;
  const given = options.model_id ?? options.model;
  const recorded = model_id ?? model;
  if (recorded !== undefined) return { model: model ?? recorded, model_id: recorded };
  if (given === undefined)
    throw new AssayError("needs_model", "does not say which model replied", {
      ...where,
      fix: "give --model-id, and --model for a name to show",
    });
  for (const name of ["model", "model_id"] as const) if (options[name] !== undefined) used.add(name);
  assumed.add(`model_id ${given}`);
  return { model: options.model ?? given, model_id: given };
}

/** The run's date where a format records none. Throws `needs_run_date`. */
export function runDateOf({ options, used, assumed, file }: Reading): string {
  if (options.run_date === undefined)
    throw new AssayError("needs_run_date", "does not say when its conversations were made", {
      file,
      fix: "give --run-date YYYY-MM-DD, or --run-date unknown",
    });
  used.add("run_date");
  assumed.add(`run_date ${options.run_date}`);
  return options.run_date;
}
