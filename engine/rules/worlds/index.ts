import type { Check } from "../../schema/check.ts";
import type { Conversation } from "../../schema/transcript.ts";
import type { WorldVerdict } from "../../schema/verdict.ts";
import { clausesInWorld } from "./clauses.ts";
import { episodeInWorld } from "./episode.ts";
import { sourceInWorld } from "./source-support.ts";
import { taskInWorld } from "./task-completion.ts";
import type { World } from "./world.ts";

export type { World } from "./world.ts";

/** The verdict of a check in one fully resolved world. */
export function verdictInWorld(check: Check, conversation: Conversation, world: World): WorldVerdict {
  switch (check.rule) {
    case "clauses":
      return clausesInWorld(check, conversation, world);
    case "episode":
      return episodeInWorld(check, conversation, world);
    case "task_completion":
      return taskInWorld(check, conversation, world);
    case "source_support":
      return sourceInWorld(check, conversation, world);
  }
}
