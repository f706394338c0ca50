import { applyContext } from "../evidence/policy.ts";
import { planRequests } from "../evidence/requests.ts";
import { embeddedJudge } from "../judges/embedded.ts";
import { derive } from "../rules/index.ts";
import type { Check } from "../schema/check.ts";
import type { JudgeSettings } from "../schema/judge.ts";
import type { AnswerValue, Observation } from "../schema/request.ts";
import type { Conversation } from "../schema/transcript.ts";
import type { Verdict } from "../schema/verdict.ts";

export interface UnsavedVerdict {
  check_id: string;
  verdict: Verdict;
  /** Observations the judge was asked for; 0: fixed without asking. */
  asked: number;
}

/**
 * What a judge would say, kept nowhere: the requests, answers and rules of a scan without its files, so for judges that
 * cost nothing and answer the same every time. One list of verdicts a conversation, in the order of `checks`.
 */
export async function judgeInMemory(
  settings: JudgeSettings,
  conversations: readonly Conversation[],
  checks: readonly { check: Check }[],
): Promise<UnsavedVerdict[][]> {
  const judge = embeddedJudge(settings);
  const verdicts: UnsavedVerdict[][] = [];
  for (const full of conversations) {
    const conversation = applyContext(full, settings.context);
    const answers = new Map<string, AnswerValue | undefined>();
    for (const { request, observations } of planRequests(checks, conversation, settings)) {
      const answer = await judge.ask(request);
      observations.forEach((observation, i) => answers.set(placeOf(observation), answer.answers[`q${i + 1}`]));
    }
    verdicts.push(
      checks.map(({ check }) => {
        const lookup = (observation: Observation): AnswerValue | undefined => answers.get(placeOf(observation));
        const { verdict, asked } = derive(check, conversation, lookup, settings.thresholds);
        return { check_id: check.id, verdict, asked };
      }),
    );
  }
  return verdicts;
}

function placeOf({ role, turn, key }: Observation): string {
  return `${role}:${turn} ${key}`;
}
