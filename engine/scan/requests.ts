import { AssayError } from "../canon/errors.ts";
import { canonicalJson } from "../canon/json.ts";
import { applyContext } from "../evidence/context.ts";
import { planRequests } from "../evidence/requests.ts";
import type { ScanPlan } from "../schema/plan.ts";
import type { PlannedRequest, RequestLine } from "../schema/request.ts";
import type { Conversation } from "../schema/transcript.ts";
import { readConversation, readRequestLines, type Bundle } from "./bundle.ts";

type Frozen = Pick<ScanPlan, "conversations" | "checks" | "judge">;

/** A conversation as the judge's context policy shows it: what observations, requests and rules work on. */
export function judgedConversation(directory: string, plan: Frozen, index: number): Conversation {
  return applyContext(readConversation(directory, plan, index), plan.judge.context);
}

/** The requests of one conversation, in derivation order. */
export function conversationRequests(plan: Frozen, conversation: Conversation): PlannedRequest[] {
  return planRequests(plan.checks, conversation, plan.judge.grouping);
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

/** The requests of one conversation and its lines of the inventory, which have been compared. */
export interface FrozenRequests {
  index: number;
  lines: readonly RequestLine[];
  requests: readonly PlannedRequest[];
}

/**
 * The frozen inventory, conversation by conversation, each derived again from the frozen inputs and compared with
 * its lines. `wanted` says which conversations are worth deriving. Throws `plan_differs` where this engine derives
 * other requests than were frozen: answers to those would not be answers to the plan.
 */
export async function* frozenRequests(
  { directory, plan }: Bundle,
  wanted: (lines: readonly RequestLine[]) => boolean = () => true,
): AsyncGenerator<FrozenRequests> {
  for await (const lines of readRequestLines(directory, plan)) {
    if (!wanted(lines)) continue;
    const index = lines[0]!.conversation;
    const requests = conversationRequests(plan, judgedConversation(directory, plan, index));
    const derived = requests.map((request) => requestLine(index, request));
    if (canonicalJson(derived) !== canonicalJson(lines))
      throw new AssayError(
        "plan_differs",
        `this engine derives other requests for conversation ${index} than the plan froze`,
        {
          file: `${directory}/${plan.requests.path}`,
          fix: `use engine ${plan.engine_version}, or plan again`,
          conversation: index,
        },
      );
    yield { index, lines, requests };
  }
}
