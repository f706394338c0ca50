import { existsSync } from "node:fs";
import { join } from "node:path";
import type { SeenRow } from "../schema/seen.ts";
import type { RenderedStudy, Study } from "../schema/study.ts";
import { loadStudy, type LoadedStudy } from "./load.ts";
import type { Register } from "./register.ts";
import { renderCases } from "./render.ts";

export interface SeenCase {
  case_id: string;
  transcript_sha256: string;
  seen: boolean;
  /** The rows that make it so. */
  by: SeenRow[];
}

/** What the register needs to know of a study: from its files, or from what a bundle froze. */
export interface KnownStudy extends Pick<Study, "id"> {
  revises: string | undefined;
  cases: Pick<RenderedStudy["cases"][number], "id" | "transcript_sha256" | "derives_from">[];
}

export function knownStudy(loaded: LoadedStudy): KnownStudy {
  const { id, revises } = loaded.study;
  return { id, revises, cases: renderCases(loaded) };
}

export function frozenStudy({ study: { id, revises }, cases }: RenderedStudy): KnownStudy {
  return { id, revises, cases };
}

/**
 * Whether each case of a study was seen before a plan was frozen; without a plan, whether it is now. A case is seen
 * if it, a case it derives from, or its namesake in a study this one revises has a row outside the plan's wave; the
 * same bytes under any name are the same case. Which check, question, threshold or judge it was makes no difference.
 */
export function seenIn(study: KnownStudy, register: Register, plan_sha256?: string): SeenCase[] {
  const wave = register.waves.find(
    (row) => row.study === study.id && row.plans.some((plan) => plan.plan_sha256 === plan_sha256),
  );
  const own = new Set(wave?.plans.map((plan) => plan.plan_sha256) ?? (plan_sha256 === undefined ? [] : [plan_sha256]));
  const before = wave?.register.rows ?? 0;
  const outside = register.rows.filter((row, i) => i < before || !own.has(row.plan_sha256));
  const lineage = lineageOf(study, register.directory);
  return study.cases.map(({ id: case_id, transcript_sha256 }) => {
    const related = lineage(case_id);
    const by = outside.filter(
      (row) =>
        related.places.has(JSON.stringify([row.study, row.case])) || related.transcripts.has(row.transcript_sha256),
    );
    return { case_id, transcript_sha256, seen: by.length > 0, by };
  });
}

/** The same, of a study as its files stand. */
export function seenCases(loaded: LoadedStudy, register: Register, plan_sha256?: string): SeenCase[] {
  return seenIn(knownStudy(loaded), register, plan_sha256);
}

export function isSeen(loaded: LoadedStudy, caseId: string, register: Register, plan_sha256?: string): boolean {
  return seenCases(loaded, register, plan_sha256).some(({ case_id, seen }) => case_id === caseId && seen);
}

interface Related {
  /** `[study, case]` as JSON. */
  places: Set<string>;
  transcripts: Set<string>;
}

/** A case with its ancestors, here and in every older study that is revised. */
function lineageOf(study: KnownStudy, directory: string): (caseId: string) => Related {
  const studies: Pick<KnownStudy, "id" | "cases">[] = [];
  const visited = new Set<string>();
  for (let at = study; ; ) {
    visited.add(at.id);
    studies.push(at);
    const { revises } = at;
    if (revises === undefined || visited.has(revises)) break;
    const older = join(directory, revises);
    // The older study's files may be gone; its rows still name its cases.
    if (!existsSync(join(older, "study.yaml"))) {
      studies.push({ id: revises, cases: [] });
      break;
    }
    at = knownStudy(loadStudy(older));
  }
  const byId = studies.map(({ id, cases }) => ({ id, cases: new Map(cases.map((row) => [row.id, row])) }));
  return (caseId) => {
    const related: Related = { places: new Set(), transcripts: new Set() };
    const names = new Set([caseId]);
    for (const { id, cases } of byId) {
      for (const name of [...names]) for (const ancestor of cases.get(name)?.derives_from ?? []) names.add(ancestor);
      for (const name of names) {
        related.places.add(JSON.stringify([id, name]));
        const sha = cases.get(name)?.transcript_sha256;
        if (sha !== undefined) related.transcripts.add(sha);
      }
    }
    return related;
  };
}
