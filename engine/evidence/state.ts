import { AssayError } from "../canon/errors.ts";
import { EVIDENCE_FIELDS, type Check, type EvidenceField } from "../schema/check.ts";
import type { Evidence, Observation } from "../schema/request.ts";
import type { Conversation } from "../schema/transcript.ts";
import { sortedReceipts } from "./context.ts";
import { fieldsOfRule } from "./fields.ts";
import { memoryState } from "./reading.ts";
import { splitSentences } from "./sentences.ts";
import { timeline, type Moment } from "./timeline.ts";

const known = new WeakMap<Check, Map<string, readonly EvidenceField[]>>();

/** The fields the question of an observation sees, in the one order of `EVIDENCE_FIELDS`. One list for all its places. */
export function fieldsOf(check: Check, conversation: Conversation, observation: Observation): readonly EvidenceField[] {
  let lists = known.get(check);
  if (lists === undefined) known.set(check, (lists = new Map<string, readonly EvidenceField[]>()));
  const { question, role, sentence } = observation;
  const id = `${question} ${role} ${sentence !== undefined} ${memoryState(conversation)}`;
  let list = lists.get(id);
  if (list === undefined) lists.set(id, (list = fieldsFor(check, conversation, observation)));
  return list;
}

function fieldsFor(check: Check, conversation: Conversation, observation: Observation): EvidenceField[] {
  const binds = check.questions[observation.question]?.binds;
  const declared = memoryState(conversation) === "declared";
  const available = new Set(
    fieldsOfRule(check.rule, observation.role, binds).filter((field) => declared || field !== "memory_context"),
  );
  const question =
    observation.question === "cue" && check.cue !== undefined ? check.cue : check.questions[observation.question];
  const allowed = question?.inputs;
  const wanted = EVIDENCE_FIELDS.filter(
    (field) => available.has(field) && (allowed?.includes(field) ?? defaultField(field, observation)),
  );
  if (wanted.length === 0)
    throw new AssayError(
      "no_evidence",
      `${observation.key} at ${observation.role}:${observation.turn} may see nothing`,
      {
        check_id: check.id,
        fix: `its inputs name none of ${[...available].join(", ")}`,
      },
    );
  return wanted;
}

/** Sentences are repeated text: only a question about sentences, or one that names them, is shown them. */
function defaultField(field: EvidenceField, observation: Observation): boolean {
  return field !== "sentences" || observation.sentence !== undefined;
}

/**
 * The evidence for one observation: exactly `fieldsOf`, less those the conversation does not have there (a reply
 * without a same-numbered message has no `caregiver`). "Earlier" means a smaller turn number. `memory_context`
 * holds the receipts up to and including the turn.
 */
export function stateFor(check: Check, conversation: Conversation, observation: Observation): Evidence {
  return stateOf(fieldsOf(check, conversation, observation), conversation, observation);
}

export function stateOf(
  fields: readonly EvidenceField[],
  conversation: Conversation,
  observation: Observation,
): Evidence {
  const moments = timeline(conversation);
  const { role, turn, reference_turn } = observation;
  const here = momentAt(moments, turn);
  const reference = reference_turn === undefined ? here : momentAt(moments, reference_turn);
  const state: Evidence = {};
  const put = (field: EvidenceField, value: Evidence[string] | undefined): void => {
    if (value !== undefined) state[field] = value;
  };
  for (const field of fields) {
    switch (field) {
      case "caregiver":
        put(field, reference?.user?.content);
        break;
      case "anchor":
        put(field, reference?.assistant?.content);
        break;
      case "message":
        put(field, role === "user" ? here?.user?.content : here?.assistant?.content);
        break;
      case "assistant":
        put(field, here?.assistant?.content);
        break;
      case "earlier_caregiver":
        put(
          field,
          moments.flatMap((moment) => (moment.turn < turn && moment.user !== undefined ? [moment.user.content] : [])),
        );
        break;
      case "earlier_assistant":
        put(
          field,
          moments.flatMap((moment) =>
            moment.turn < turn && moment.assistant !== undefined ? [moment.assistant.content] : [],
          ),
        );
        break;
      case "sentences":
        put(
          field,
          here?.assistant === undefined ? undefined : splitSentences(here.assistant.content).map(({ text }) => text),
        );
        break;
      case "memory_context":
        put(field, sortedReceipts(conversation.memory.evidence.filter((receipt) => receipt.turn <= turn)));
        break;
      default:
        put(field, here?.user?.task?.[field]);
    }
  }
  return state;
}

/** Moments are in turn order. */
function momentAt(moments: readonly Moment[], turn: number): Moment | undefined {
  let [from, to] = [0, moments.length];
  while (from < to) {
    const middle = (from + to) >> 1;
    if (moments[middle]!.turn < turn) from = middle + 1;
    else to = middle;
  }
  return moments[from]?.turn === turn ? moments[from] : undefined;
}
