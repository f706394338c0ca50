import { z } from "zod";

/** The one order in which verdicts are listed everywhere: tables, pages, cards, JSON. */
export const VERDICTS = ["PASS", "FAIL", "UNCLEAR", "NOT_APPLICABLE"] as const;
export const Verdict = z.enum(VERDICTS);
export type Verdict = z.infer<typeof Verdict>;

/** What a rule returns in one fully resolved world: never UNCLEAR. */
export const WORLD_VERDICTS = ["PASS", "FAIL", "NOT_APPLICABLE"] as const;
export const WorldVerdict = z.enum(WORLD_VERDICTS);
export type WorldVerdict = z.infer<typeof WorldVerdict>;

/** The three claims a result may support; every surface names one. */
export const CLAIMS = ["development_exemplars", "frozen_validation_cases", "target_model_conversations"] as const;
export const Claim = z.enum(CLAIMS);
export type Claim = z.infer<typeof Claim>;

export const CLAIM_TEXT: Record<Claim, string> = {
  development_exemplars: "The saved answers still produce the authored rule outcomes.",
  frozen_validation_cases: "Agreement with the declared expectations, on their stated basis.",
  target_model_conversations: "Observed behaviour under the recorded conditions.",
};
