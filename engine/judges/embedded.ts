import type { JudgeSettings } from "../schema/judge.ts";
import { constantJudge } from "./constant.ts";
import type { Judge } from "./judge.ts";
import { lexiconJudge } from "./lexicon.ts";
import { overlapJudge } from "./overlap.ts";

/** The judges that are code of this package: they answer at once, from nothing but the request. */
export function embeddedJudge(settings: JudgeSettings): Judge {
  switch (settings.adapter) {
    case "lexicon":
      return lexiconJudge(settings);
    case "overlap":
      return overlapJudge(settings);
    case "constant":
      return constantJudge(settings);
    default:
      throw new Error(`${settings.name} is not code of this package`);
  }
}
