import { join } from "node:path";
import { canonicalJson, digestOf } from "../canon/json.ts";
import { readText } from "../canon/files.ts";
import { confined } from "../canon/paths.ts";
import { sha256OfFile } from "../canon/stream.ts";
import { parseCheckYaml } from "../checks/index.ts";
import { PLAN_FILE, type Bundle } from "./bundle.ts";
import { plannedFiles } from "./frozen.ts";
import { claimOf, describeSource, freezeConversation } from "./plan.ts";
import { conversationKey } from "./retained.ts";
import { loadSource, type LoadedSource } from "./source.ts";
import { reporting, type Report } from "./findings.ts";

/** The bytes of every frozen file, and whether the plan says of sources and checks what they say themselves. */
export async function verifyInputs(bundle: Bundle, report: Report): Promise<void> {
  const { directory, plan } = bundle;
  let sound = true;
  const finding: Report = (found) => {
    sound = false;
    report(found);
  };
  for (const { path, sha256 } of plannedFiles(plan))
    await reporting(directory, path, finding, async () => {
      const found = await sha256OfFile(confined(directory, path));
      if (found !== sha256)
        finding({ file: path, code: "changed", message: `has digest ${found}, frozen as ${sha256}` });
    });
  if (!sound) return;
  const plans = (problem: string): void => finding({ file: PLAN_FILE, code: "plan_differs", message: problem });
  for (const { id, file, check_sha256 } of plan.checks)
    await reporting(directory, file.path, finding, () => {
      const path = confined(directory, file.path);
      if (digestOf(parseCheckYaml(readText(path), path)) !== check_sha256)
        plans(`says another definition of ${id} than ${file.path}`);
    });
  await reporting(directory, PLAN_FILE, finding, () => verifySources(bundle, plans));
}

function verifySources({ directory, plan }: Bundle, plans: (problem: string) => void): void {
  const loaded: { source: LoadedSource }[] = [];
  for (const [index, planned] of plan.sources.entries()) {
    const source = loadSource(join(directory, planned.root));
    loaded.push({ source });
    const judged = plan.conversations.filter((conversation) => conversation.source === index);
    const keys = new Map(
      source.conversations.map((conversation) => [conversationKey(conversation.entry), conversation]),
    );
    const held = judged.map((conversation) => keys.get(conversationKey(conversation)));
    for (const [i, conversation] of judged.entries()) {
      const frozen = held[i];
      const name = `${conversation.model_id} ${conversation.scenario_id}`;
      if (frozen === undefined) plans(`holds ${name}, which ${planned.root} does not`);
      else if (
        canonicalJson(freezeConversation(directory, source, frozen, index, planned.root)) !==
        canonicalJson(conversation)
      )
        plans(`says of ${name} what ${planned.root} does not`);
    }
    const described = describeSource(source, planned.root, new Set(held.filter((one) => one !== undefined)));
    if (canonicalJson(described) !== canonicalJson(planned))
      plans(`says of ${planned.run_id} what ${planned.root} does not`);
  }
  if (plan.conversations.some(({ source }) => source >= plan.sources.length))
    plans("holds a conversation of no source");
  if (claimOf(loaded) !== plan.claim) plans(`claims ${plan.claim}, its sources support ${claimOf(loaded)}`);
}
