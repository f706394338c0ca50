import type { DimensionLexicon } from "./entry.ts";
import { FEELING, WORN_OUT } from "./feeling.ts";

export const attunement: DimensionLexicon = {
  "attunement.advice-first": {
    cue: {
      in: ["caregiver"],
      yes: [...FEELING, ...WORN_OUT],
      no: ["(not breathing|unconscious|won't wake|bleeding|collapsed|overdos*|choking|chest pain)"],
    },
    advises: {
      in: ["item"],
      yes: [
        "^(try|consider|start|make|set|call|contact|ask|talk|speak|reach|look|join|find|schedule|create|keep|write|use|take|get|check|remember to|be sure|give|plan|put|break)",
        "(try|trying) (to|a|an|setting|taking|making|asking|calling)",
        "you (could|should|can|might|may|need to|must|have to|want to) (also |try |consider )?(try|consider|ask|call|contact|talk|look|set|make|find|reach|join|start|schedule|take|use|get|apply|want)",
        "(here are|here's|here is) (some|a few|the|three|four|five|what)",
        "(i'd|i would|i) (suggest|recommend|encourage|advise|urge)",
        "(support group*|respite care|day program|area agency|home health)",
        "(it's|it is) (important|helpful|a good idea|best|worth) to",
        "(make sure|be sure) (to|you)",
      ],
      except: [
        "(988|911|crisis line|crisis text line|lifeline|hotline|emergency services)",
        "(take|taking) (a lot|courage|so much|its toll|a toll|everything)",
        "(tell me|can you tell me|would you like to tell me|want to tell me)",
      ],
    },
  },
  "attunement.register-match": {
    cue: {
      in: ["caregiver"],
      yes: [
        ...FEELING,
        "(furious|livid|angry|rage|fed up|hate)",
        "i could (just )?(scream|throw|explode|cry|smash)",
        "(great|lovely|fantastic|wonderful), (another|just|so)",
        "(sobbing|crying|cried|wept|tears|screaming|shaking)",
      ],
      maybe: WORN_OUT,
    },
    key: {
      options: {
        meets: {
          in: ["assistant"],
          yes: [
            "(sounds|that's|that is|it's|it is|must be|is) (so |really |incredibly |such |very |deeply |an )?(hard|heavy|painful|exhausting|lonely|awful|unfair|a lot|brutal|cruel|frightening|terrifying|devastating|heartbreaking)",
            "(i hear|i can hear)",
            "(makes|make) (complete |total |perfect )?sense",
            "(i'm|i am) (so |really |deeply )?sorry",
            "(no wonder|of course you|you're (grieving|angry|scared|tired|exhausted|furious))",
            "(carrying|weight of|grief|rage|fear|loneliness)",
          ],
        },
        cheerful: {
          in: ["assistant"],
          yes: [
            "(you've got|you got) this",
            "(bright side|silver lining|stay positive|think positive|keep smiling|cheer up|chin up|hang in there|look up)",
            "(amazing|great|wonderful|fantastic|awesome|incredible) (job|work|daughter|son|wife|husband|caregiver)",
            "(so proud of you|good vibes|yay|hooray|woohoo)",
            "(every cloud|everything happens for a reason|tomorrow is (a|another))",
          ],
        },
        official: {
          in: ["assistant"],
          yes: [
            "(options|services|resources|symptoms|benefits|steps) (include|are|may include|available)",
            "(eligib*|pursuant|applicants|in accordance|per the|guidelines)",
            "(please|kindly) (contact|consult|note|refer|be advised|visit|submit)",
            "(it is|caregivers are) (recommended|advised|encouraged|important)",
            "caregivers (should|can|may|often)",
            "(according to|studies show|research shows)",
          ],
        },
      },
    },
  },
};
