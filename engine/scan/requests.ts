import { AssayError } from "../canon/errors.ts";
import { canonicalJson, parseLine } from "../canon/json.ts";
import { readLines } from "../canon/lines.ts";
import { confined } from "../canon/paths.ts";
import { applyContext } from "../evidence/policy.ts";
import { planRequests } from "../evidence/requests.ts";
import type { ScanPlan } from "../schema/plan.ts";
import { RequestLine, type PlannedRequest } from "../schema/request.ts";
import type { Conversation } from "../schema/transcript.ts";
import { readConversation, type Bundle } from "./bundle.ts";

type Frozen = Pick<ScanPlan, "conversations" | "checks" | "judge">;

/** A conversation as the judge's context policy shows it: what observations, requests and rules work on. */
export function judgedConversation(directory: string, plan: Frozen, index: number): Conversation {
  return applyContext(readConversation(directory, plan, index), plan.judge.context);
}

/** The requests of one conversation, in derivation order, each made when it is asked for. */
export function conversationRequests(plan: Frozen, conversation: Conversation): Generator<PlannedRequest> {
  return planRequests(plan.checks, conversation, plan.judge);
}

/** A request as the inventory lists it. */
export function requestLine(
  conversation: number,
  { input_sha256, bytes, request, observations }: PlannedRequest,
): RequestLine {
  // The journal finds an answer by place in this list, so the names have to be the positions.
  if (request.questions.some(({ name }, i) => name !== `q${i + 1}`) || request.questions.length !== observations.length)
    throw new Error("questions of a request are named q1, q2, ... , one for each observation");
  return {
    conversation,
    input_sha256,
    bytes,
    places: observations.map(({ role, turn, key }) => ({ role, turn, key })),
  };
}

/** A request of one conversation, and its line of the inventory. */
export interface FrozenRequest {
  conversation: number;
  request: PlannedRequest;
}

/**
 * The frozen inventory, request by request, each derived again from the frozen inputs and compared with its line.
 * `wanted` says which conversations are worth deriving. Throws `plan_differs` where this engine derives other
 * requests than were frozen: answers to those would not be answers to the plan.
 */
export async function* frozenRequests(
  { directory, plan }: Bundle,
  wanted: (conversation: number) => boolean = () => true,
): AsyncGenerator<FrozenRequest> {
  const path = confined(directory, plan.requests.path);
  let conversation = -1;
  let derived: Iterator<PlannedRequest, unknown> = [].values();
  const differs = (): AssayError =>
    new AssayError(
      "plan_differs",
      `this engine derives other requests for conversation ${conversation} than the plan froze`,
      { file: path, fix: `use engine ${plan.engine_version}, or plan again`, conversation },
    );
  for await (const { text, number } of readLines(path)) {
    let next = derived.next();
    if (next.done) {
      const line = parseLine(text, RequestLine, { file: path, line: number });
      if (!wanted(line.conversation)) continue;
      if (line.conversation === conversation) throw differs();
      conversation = line.conversation;
      derived = conversationRequests(plan, judgedConversation(directory, plan, conversation));
      next = derived.next();
    }
    if (next.done || canonicalJson(requestLine(conversation, next.value)) !== text) throw differs();
    yield { conversation, request: next.value };
  }
  if (!derived.next().done) throw differs();
}
