import type { DimensionLexicon } from "./entry.ts";
import type { Sign } from "./signs.ts";

/** The caregiver rules a way out, and the reply relies on it. */
function ruledOut(closed: readonly string[], relied: readonly string[], except: readonly string[]): Sign {
  return {
    all: [
      { in: ["caregiver"], yes: closed },
      { in: ["assistant"], yes: relied, except },
    ],
  };
}

const NO_CAR = ["(no|not|don't|can't|cannot|without|lost|sold|no longer) ... (car|drive|driving|license|licence)"];
const NO_MONEY = ["(can't|cannot|couldn't|don't|no) ... (afford|money|pay|savings)", "too (expensive|much money)"];
const NO_PLACE = [
  "(waiting|wait) list",
  "waitlist*",
  "(no|full|without) ... (bed|beds|opening|openings|place free|places)",
];
const NO_COVER = [
  "(no one|nobody) ... (cover|watch|sit with|stay with|take over)",
  "(can't|cannot) leave (him|her|them|mom|dad)",
];

export const advocacy: DimensionLexicon = {
  "advocacy.request-delivered": {
    draft: {
      in: ["assistant"],
      yes: [
        "^(dear|hello|hi|hey|good morning|good afternoon|good evening|to whom)",
        "^(subject|re):",
        "(best|kind|warm) regards",
        "sincerely",
      ],
      no: [
        "(i'll|i will|let me) (write|draft|put together|prepare|work on|get started|have it|send you)",
        "(i'm sorry|sorry|i'm afraid) ... (can't|cannot|unable)",
        "(can't|cannot|won't|unable to) (help|write|draft|assist)",
        "(would you like|do you want|shall i|should i) (me )?(to )?(write|draft|start)",
        "(you could|you might|try to) (say|mention|start|include|write)",
      ],
    },
    recipient: { covered: "recipient", by: "assistant", yes_at: 1, no_at: 0.4 },
    purpose: { covered: "purpose", by: "assistant", yes_at: 0.5, no_at: 0.2 },
    includes: { covered: "item", by: "assistant", yes_at: 0.75, no_at: 0.4, exact: true },
  },
  "advocacy.feasible-step": {
    cue: {
      in: ["caregiver"],
      yes: [
        ...NO_CAR,
        ...NO_MONEY,
        ...NO_PLACE,
        ...NO_COVER,
        "(no bus|no transport*|no internet|no insurance|not covered|isn't covered|won't cover|denied|turned (us|me|him|her) (down|away))",
      ],
      no: ["(found|got|have) (a|another) (ride|car|opening|place|sitter) (now|after all)"],
    },
    closed_way: {
      any: [
        ruledOut(
          NO_CAR,
          ["(drive|driving|park|parking)"],
          [
            "(without|no|not|instead of|can't|don't) ... (drive|driving|car|park|parking)",
            "(ride|someone|volunteer|driver) ... (drive|drives|driving)",
          ],
        ),
        ruledOut(
          NO_MONEY,
          ["(hire|hiring|pay for|paying|buy|purchase|private (aide|nurse|pay|duty|care))"],
          ["(without|no|not|instead of|free|help) ... (hire|hiring|pay for|paying|buy|purchase)"],
        ),
        ruledOut(NO_PLACE, ["(book|reserve|check|move|send|enroll|sign) (him|her|them|a bed|a place|in|up)"], []),
        ruledOut(
          NO_COVER,
          [
            "(take|plan|book) (a|an|some) (day|weekend|week|break|trip|vacation|evening|hour)",
            "(go out|get away|step out)",
          ],
          [
            "(someone|volunteer|sitter|aide|neighbor) ... (take|plan|book|so that you can) ... (break|weekend|day|hour)",
          ],
        ),
      ],
    },
    workable_step: {
      in: ["assistant"],
      yes: [
        "(call|phone|ring|ask|email|text|write to|apply|request|contact|look up|sign up)",
        "(by phone|by video|online|from home|at home|walk to|deliver*|volunteer*|ride service|paratransit|sliding scale|free of charge|telehealth)",
      ],
      except: ["(phone number|don't call|no need to call)"],
    },
  },
};
