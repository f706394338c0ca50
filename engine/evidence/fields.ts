import type { Check, EvidenceField } from "../schema/check.ts";

/**
 * The evidence a question of this rule could be shown, whatever its `inputs` say. `role` is whose turn it is asked
 * at; `binds` matters to episodes only. `memory_context` exists only where the run declares memory.
 */
export function fieldsOfRule(
  rule: Check["rule"],
  role: string,
  binds?: "reference" | "reply",
): readonly EvidenceField[] {
  switch (rule) {
    case "episode":
      // A reply-bound answer is shared by all episodes, so it may not depend on any one reference.
      return binds === "reply" ? ["message"] : ["caregiver", "anchor", "message"];
    case "task_completion":
      return ["caregiver", "assistant", "recipient", "purpose", "required_details", "excluded_details"];
    case "source_support":
      return ["caregiver", "assistant", "sentences", "source_excerpt"];
    case "clauses":
      if (role === "user") return ["caregiver", "earlier_caregiver", "earlier_assistant"];
      return ["caregiver", "earlier_caregiver", "earlier_assistant", "assistant", "sentences", "memory_context"];
  }
}
