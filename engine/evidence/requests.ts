import { canonicalJson, canonicalOnce, sha256 } from "../canon/json.ts";
import type { Check, EvidenceField } from "../schema/check.ts";
import type { JudgeSettings } from "../schema/judge.ts";
import type { Evidence, JudgeRequest, Observation, PlannedRequest, RequestQuestion } from "../schema/request.ts";
import type { Conversation } from "../schema/transcript.ts";
import { observations } from "./observations.ts";
import { fieldsOf, stateOf } from "./state.ts";

/** Below what every known provider takes; a larger group is split, its evidence is not. */
export const MAX_QUESTIONS = 200;
const KEPT_STATES = 64;

/**
 * The requests of one conversation under its context policy, in order of first use, each made when it is asked for: a
 * long conversation has hundreds of thousands, and every one shows much of it. `shared` puts questions that see exactly
 * the same evidence into one request, in the checks' order or in its reverse; `one` asks each alone. Nothing a question may not see is in its request: a group
 * is formed by the fields its questions see.
 */
export function* planRequests(
  checks: readonly { check: Check }[],
  conversation: Conversation,
  { grouping, question_order }: Pick<JudgeSettings, "grouping" | "question_order">,
): Generator<PlannedRequest> {
  const states = new States(conversation);
  for (const { place, members } of grouping === "one" ? alone(checks, conversation) : shared(checks, conversation)) {
    const state = states.of(place);
    for (let from = 0; from < members.length; from += MAX_QUESTIONS) {
      const part = members.slice(from, from + MAX_QUESTIONS);
      if (question_order === "reversed") part.reverse();
      const request: JudgeRequest = {
        state,
        questions: part.map(({ check, observation }, i) => questionOf(check, observation, `q${i + 1}`)),
      };
      // The canonical form of the whole, of which the state was written once for all requests that show it.
      const text = `{"questions":${canonicalJson(request.questions)},"state":${canonicalOnce(state)}}`;
      const bytes = new TextEncoder().encode(text);
      yield {
        input_sha256: sha256(bytes),
        bytes: bytes.length,
        request,
        observations: part.map(({ observation }) => observation),
      };
    }
  }
}

interface Member {
  check: Check;
  observation: Observation;
}
/** What a question is shown: these fields, as they are at this observation. */
interface Place {
  fields: readonly EvidenceField[];
  observation: Observation;
}
interface Group {
  place: Place;
  members: Member[];
}

function* alone(checks: readonly { check: Check }[], conversation: Conversation): Generator<Group> {
  for (const { check } of checks)
    for (const observation of observations(check, conversation))
      yield {
        place: { fields: fieldsOf(check, conversation, observation), observation },
        members: [{ check, observation }],
      };
}

function* shared(checks: readonly { check: Check }[], conversation: Conversation): Generator<Group> {
  const groups = new Map<string, Group>();
  for (const { check } of checks)
    for (const observation of observations(check, conversation)) {
      const place = { fields: fieldsOf(check, conversation, observation), observation };
      const id = evidenceId(place);
      const group = groups.get(id);
      if (group === undefined) groups.set(id, { place, members: [{ check, observation }] });
      else group.members.push({ check, observation });
    }
  for (const [id, group] of groups) {
    groups.delete(id);
    yield group;
  }
}

/** Same place, same reference, same fields: the same evidence, without building it to find out. */
function evidenceId({ fields, observation: { role, turn, reference_turn } }: Place): string {
  return `${role}:${turn}:${needsReference(fields) ? reference_turn : ""}:${fields.join()}`;
}

/** The evidence last shown, since questions about one place follow one another. */
class States {
  readonly #recent = new Map<string, Evidence>();
  readonly #conversation: Conversation;

  constructor(conversation: Conversation) {
    this.#conversation = conversation;
  }

  of(place: Place): Evidence {
    const id = evidenceId(place);
    let state = this.#recent.get(id);
    if (state === undefined) {
      this.#recent.set(id, (state = stateOf(place.fields, this.#conversation, place.observation)));
      if (this.#recent.size > KEPT_STATES) this.#recent.delete(this.#recent.keys().next().value!);
    }
    return state;
  }
}

function needsReference(fields: readonly string[]): boolean {
  return fields.includes("caregiver") || fields.includes("anchor");
}

function questionOf(check: Check, observation: Observation, name: string): RequestQuestion {
  const { question, type, sentence, detail } = observation;
  const source = question === "cue" && check.cue !== undefined ? check.cue : check.questions[question]!;
  return {
    name,
    type,
    instructions: source.instructions,
    ...(source.criteria === undefined ? {} : { criteria: source.criteria }),
    ...(sentence === undefined ? {} : { bind: { field: "sentences" as const, index: sentence } }),
    ...(detail === undefined ? {} : { bind: { field: detail.list, index: detail.index } }),
  };
}
