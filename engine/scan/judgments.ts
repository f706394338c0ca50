import { AssayError } from "../canon/errors.ts";
import { observe } from "../evidence/observations.ts";
import { MAX_QUESTIONS } from "../evidence/requests.ts";
import { derive } from "../rules/index.ts";
import type { Judgment, UsedObservation } from "../schema/judgment.ts";
import type { PlannedCheck } from "../schema/plan.ts";
import type { AnswerValue, Observation, RequestLine } from "../schema/request.ts";
import type { Conversation } from "../schema/transcript.ts";
import type { Answers } from "./answers.ts";
import { readInventory, type Bundle } from "./bundle.ts";
import { requireFrozen } from "./frozen.ts";
import { judgedConversation } from "./requests.ts";

/**
 * Every judgment of a scan from its saved answers, by conversation, then by check; one conversation is in memory
 * at a time. A pure function of plan, inputs and journal. In a closed scan, a judgment that needs an answer there
 * is none of is "not judged"; otherwise that throws `missing_answer`.
 */
export async function* deriveJudgments(bundle: Bundle, answers: Answers): AsyncGenerator<Judgment> {
  const { directory, plan } = bundle;
  await requireFrozen(bundle, [plan.requests]);
  const inventory = readInventory(directory, plan);
  let line = await inventory.next();
  for (const index of plan.conversations.keys()) {
    const places = new Places();
    for (; !line.done && line.value.conversation === index; line = await inventory.next()) places.add(line.value);
    const conversation = judgedConversation(directory, plan, index);
    const saved = savedAnswers(places, answers);
    for (const check of plan.checks) yield judge(bundle, index, conversation, check, saved, answers.index.closed);
  }
}

/** Which question of which request asks an observation; small, since a long conversation has half a million of them. */
class Places {
  readonly #inputs: string[] = [];
  readonly #places = new Map<string, number>();

  add({ input_sha256, places }: RequestLine): void {
    if (places.length > MAX_QUESTIONS) throw new RangeError(`a request of ${places.length} questions is not split`);
    const request = this.#inputs.push(input_sha256) - 1;
    places.forEach((place, i) => this.#places.set(placeKey(place), request * MAX_QUESTIONS + i));
  }

  of(observation: Observation): { input: string; name: string } | undefined {
    const at = this.#places.get(placeKey(observation));
    if (at === undefined) return undefined;
    return { input: this.#inputs[Math.floor(at / MAX_QUESTIONS)]!, name: `q${(at % MAX_QUESTIONS) + 1}` };
  }
}

interface Saved {
  /** undefined: the conversation has no such request. */
  input: (observation: Observation) => string | undefined;
  value: (observation: Observation) => AnswerValue | undefined;
}

/** Verdicts read repeat 0; the other repeats measure the judge's noise. */
function savedAnswers(places: Places, answers: Answers): Saved {
  return {
    input: (observation) => places.of(observation)?.input,
    value: (observation) => {
      const place = places.of(observation);
      return place === undefined ? undefined : answers.get(place.input, 0)?.answers[place.name];
    },
  };
}

function placeKey({ role, turn, key }: { role: string; turn: number; key: string }): string {
  return `${turn} ${role} ${key}`;
}

function judge(
  { plan }: Bundle,
  index: number,
  conversation: Conversation,
  { id, check, check_sha256 }: PlannedCheck,
  saved: Saved,
  closed: boolean,
): Judgment {
  const planned = plan.conversations[index]!;
  const identity = {
    conversation: index,
    model_id: planned.model_id,
    scenario_id: planned.scenario_id,
    check_id: id,
    check_sha256,
    transcript_sha256: planned.transcript.sha256,
    evidence_context_sha256: planned.evidence_context_sha256,
  };
  const use = (observation: Observation): UsedObservation => {
    const { role, turn, key } = observation;
    const input_sha256 = saved.input(observation);
    if (input_sha256 === undefined)
      throw new AssayError("plan_differs", `the plan holds no request for ${role}:${turn} ${key}`, {
        fix: `use engine ${plan.engine_version}, or plan again`,
      });
    return { role, turn, key, input_sha256, value: saved.value(observation) ?? null };
  };
  if (closed) {
    const observations = observe(check, conversation);
    const missing = observations.filter((observation) => saved.value(observation) === undefined);
    if (missing.length > 0)
      return {
        ...identity,
        verdict: null,
        possible: [],
        asked: observations.length,
        rationale: `Not judged: ${missing.length} of ${observations.length} answers ended in technical errors before the scan was closed.`,
        evidence: [],
        observations: observations.map(use),
      };
  }
  const { verdict, possible, asked, rationale, evidence, observations } = derive(
    check,
    conversation,
    saved.value,
    plan.judge.thresholds,
  );
  return { ...identity, verdict, possible, asked, rationale, evidence, observations: observations.map(use) };
}
