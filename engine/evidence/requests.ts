import { canonicalJson, sha256 } from "../canon/json.ts";
import type { Check } from "../schema/check.ts";
import type { JudgeRequest, Observation, PlannedRequest, RequestQuestion } from "../schema/request.ts";
import type { Conversation } from "../schema/transcript.ts";
import { observe } from "./observations.ts";
import { fieldsOf, stateOf } from "./state.ts";

/** Below what every known provider takes; a larger group is split, its evidence is not. */
export const MAX_QUESTIONS = 200;

/**
 * The requests of one conversation under its context policy, in order of first use. `shared` puts questions that
 * see exactly the same evidence into one request; `one` asks each alone. Nothing a question may not see is in its
 * request: a group is formed by the fields its questions see.
 */
export function planRequests(
  checks: readonly { check: Check }[],
  conversation: Conversation,
  grouping: "shared" | "one",
): PlannedRequest[] {
  const requests: PlannedRequest[] = [];
  for (const { group, members } of grouped(checks, conversation, grouping)) {
    const state = stateOf(group.fields, conversation, group.place);
    for (let from = 0; from < members.length; from += MAX_QUESTIONS) {
      const part = members.slice(from, from + MAX_QUESTIONS);
      const request: JudgeRequest = {
        state,
        questions: part.map(({ check, observation }, i) => questionOf(check, observation, `q${i + 1}`)),
      };
      const text = canonicalJson(request);
      requests.push({
        input_sha256: sha256(text),
        bytes: Buffer.byteLength(text),
        request,
        observations: part.map(({ observation }) => observation),
      });
    }
  }
  return requests;
}

interface Member {
  check: Check;
  observation: Observation;
}
interface Group {
  group: { fields: ReturnType<typeof fieldsOf>; place: Observation };
  members: Member[];
}

function grouped(
  checks: readonly { check: Check }[],
  conversation: Conversation,
  grouping: "shared" | "one",
): Iterable<Group> {
  const groups = new Map<string, Group>();
  for (const { check } of checks)
    for (const observation of observe(check, conversation)) {
      const fields = fieldsOf(check, conversation, observation);
      const { role, turn, key, reference_turn } = observation;
      // Same place, same reference, same fields: the same evidence, without building it to find out.
      const evidence = `${role}:${turn}:${needsReference(fields) ? reference_turn : ""}:${fields.join()}`;
      const id = grouping === "shared" ? evidence : `${role}:${turn}:${key}`;
      const group = groups.get(id);
      if (group === undefined)
        groups.set(id, { group: { fields, place: observation }, members: [{ check, observation }] });
      else group.members.push({ check, observation });
    }
  return groups.values();
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
