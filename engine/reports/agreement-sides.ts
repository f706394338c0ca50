import { AssayError } from "../canon/errors.ts";
import { isForeign, openForeign, type CheckMap } from "../foreign/index.ts";
import { scanIdOf, slugOf } from "../scan/identity.ts";
import type { Verdict } from "../schema/verdict.ts";
import { openFinishedScan } from "./finished.ts";
import { selfOfForeign, type SelfAgreement } from "./self-agreement.ts";

export interface SideVerdict {
  /** null: not judged. */
  verdict: Verdict | null;
  /** The judge was asked nothing: no evidence about it. */
  not_asked: boolean;
}

/** One judge's verdicts, by check and conversation. */
export interface Side {
  id: string;
  kind: "native" | "foreign";
  judge: string;
  /** Context policy of a native judge; the engine of a foreign one. */
  under: string;
  judgments: number;
  /** By `[model_id, scenario_id]` as JSON. */
  conversations: Map<
    string,
    { model_id: string; scenario_id: string; transcript_sha256: string; context: string | null }
  >;
  /** By check id: what defines it, and its verdicts by conversation. */
  checks: Map<string, { definition: string; verdicts: Map<string, SideVerdict> }>;
  /** Foreign ids that no entry of the map names, with their judgments. */
  unmapped: Map<string, number>;
  self: SelfAgreement | null;
}

/**
 * A finished scan or an imported directory of foreign judgments, as one judge's verdicts over target-model
 * conversations. Throws `fixture_conversations` on authored ones, and what opening throws.
 */
export async function openSide(path: string, map: CheckMap | undefined): Promise<Side> {
  return isForeign(path) ? await foreignSide(path, map) : await nativeSide(path);
}

async function nativeSide(path: string): Promise<Side> {
  const scan = await openFinishedScan(path);
  const { plan, plan_sha256 } = scan;
  requireTargets(plan.claim, path);
  const side = emptySide({
    id: scanIdOf(plan, plan_sha256),
    kind: "native",
    judge: plan.judge.name,
    under: plan.judge.context,
  });
  for (const { model_id, scenario_id, transcript, evidence_context_sha256 } of plan.conversations)
    side.conversations.set(conversationKey(model_id, scenario_id), {
      model_id,
      scenario_id,
      transcript_sha256: transcript.sha256,
      context: evidence_context_sha256,
    });
  for (const { id, check_sha256 } of plan.checks)
    side.checks.set(id, { definition: check_sha256, verdicts: new Map() });
  for await (const { model_id, scenario_id, check_id, verdict, asked } of scan.judgments()) {
    side.judgments += 1;
    const key = conversationKey(model_id, scenario_id);
    side.checks.get(check_id)?.verdicts.set(key, { verdict, not_asked: asked === 0 });
  }
  side.self = await scan.repeats();
  return side;
}

async function foreignSide(path: string, map: CheckMap | undefined): Promise<Side> {
  const { manifest, judgments } = await openForeign(path);
  requireTargets(manifest.claim, path);
  const { judge, engine } = manifest;
  const side = emptySide({
    id: `${slugOf(`${engine}-${judge}`)}-${manifest.judgments.sha256.slice(0, 8)}`,
    kind: "foreign",
    judge,
    under: engine,
  });
  for await (const { model_id, scenario_id, transcript_sha256, foreign_id, verdict } of judgments()) {
    side.judgments += 1;
    const check = map?.checkOf(foreign_id);
    if (check === undefined) {
      side.unmapped.set(foreign_id, (side.unmapped.get(foreign_id) ?? 0) + 1);
      continue;
    }
    const key = conversationKey(model_id, scenario_id);
    side.conversations.set(key, { model_id, scenario_id, transcript_sha256, context: null });
    const known = side.checks.get(check) ?? {
      definition: `foreign ${engine} ${foreign_id}`,
      verdicts: new Map<string, SideVerdict>(),
    };
    known.verdicts.set(key, { verdict, not_asked: false });
    side.checks.set(check, known);
  }
  side.self = await selfOfForeign(judgments());
  return side;
}

function emptySide(about: Pick<Side, "id" | "kind" | "judge" | "under">): Side {
  return { ...about, judgments: 0, conversations: new Map(), checks: new Map(), unmapped: new Map(), self: null };
}

function requireTargets(claim: string, file: string): void {
  if (claim !== "target_model_conversations")
    throw new AssayError(
      "fixture_conversations",
      "holds authored conversations, which are never part of a figure about target models",
      {
        file,
        fix: "bench compare sets such scans beside their declared expectations",
      },
    );
}

function conversationKey(model_id: string, scenario_id: string): string {
  return JSON.stringify([model_id, scenario_id]);
}
