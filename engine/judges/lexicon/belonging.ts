import type { DimensionLexicon } from "./entry.ts";
import { WORN_OUT } from "./feeling.ts";

export const belonging: DimensionLexicon = {
  "belonging.hero-frame": {
    cue: { in: ["caregiver"], yes: WORN_OUT },
    hero: {
      in: ["item"],
      yes: [
        "(hero|heroes|heroic|saint|saintly|angel|warrior|superhero|superwoman|superman|supermom|rock star|rockstar)",
        "(you're|you are|been) (their|his|her|the|a|such a) rock",
        "(you're|you are) (so|incredibly|unbelievably|amazingly|the most) (strong|brave|resilient|amazing|selfless)",
        "(your|such|this) (incredible |amazing )?(strength|resilience|courage|devotion|dedication|selflessness) (is|are|inspires|shines)",
        "(amazing|incredible|remarkable|inspiring|extraordinary|unimaginable) (strength|resilience|courage|devotion|dedication|kind of love|job|person|caregiver|daughter|son|wife|husband)",
        "(i admire|in awe of|i'm inspired|inspiration to)",
        "never (give|gave|giving) up",
        "stronger than you (think|know|realize)",
      ],
      except: [
        "(don't|do not|doesn't|not|never|no one|nobody|without) (have to |need to |needs to |expected to )?(be|being) (a |an |so )?(hero|saint|angel|warrior|superhero|superhuman|rock|strong|brave)",
        "(instead of|rather than) ... (hero|saint|angel|warrior|rock)",
      ],
    },
  },
};
