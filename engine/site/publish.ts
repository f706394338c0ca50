import { existsSync } from "node:fs";
import { basename, delimiter, join, resolve } from "node:path";
import { z } from "zod";
import { AssayError } from "../canon/errors.ts";
import { readText } from "../canon/files.ts";
import { digestOf, parseJson, parseWith } from "../canon/json.ts";
import { refusePrivate } from "../canon/private.ts";
import { readPlan, verifyScan, type Bundle } from "../scan/index.ts";
import type { RenderedStudy } from "../schema/study.ts";
import { findStudy } from "../studies/load.ts";
import { studyOf } from "../studies/seen.ts";
import { findBundles } from "./bundles.ts";
import { runFramework } from "./framework.ts";
import { placeSite, requireNew } from "./output.ts";
import { placePages } from "./pages.ts";

/** Pages about the workbench, not about the study. */
const NOT_PUBLISHED: readonly string[] = ["docs", "design.md", "gallery.md"];

const Built = z.looseObject({
  scans: z.array(z.looseObject({ scan_id: z.string(), seal_sha256: z.string() })),
  left_out: z.array(z.looseObject({ name: z.string(), reason: z.string() })),
});

export interface PublishOptions {
  output: string;
  /** The scans to publish; without them, every scan of the study as it stands that the workbench knows. */
  scans?: readonly string[] | undefined;
  /** Called when nothing is left to refuse, with the number of scans. */
  building?: ((scans: number) => void) | undefined;
}

export interface PublishedStudy {
  study_id: string;
  study_sha256: string;
  directory: string;
  scans: { scan_id: string; seal_sha256: string }[];
  /** Scans of other frozen versions of the study, found and not published. */
  other_versions: string[];
}

interface Candidate {
  bundle: Bundle;
  study: RenderedStudy;
}

/**
 * One study as a static site that holds nothing else: the ordinary build over its scans only. Throws `exists`,
 * `no_scan`, `unfinished_scan`, `corrupt_scan`, `duplicate_scan`, `private_data`, `site_failed`; nothing is at
 * `output` then.
 */
export async function publishStudy(id: string, options: PublishOptions): Promise<PublishedStudy> {
  requireNew(options.output);
  const candidates = options.scans === undefined ? foundScans(id) : options.scans.map((path) => namedScan(path, id));
  const study_sha256 = versionOf(id, candidates);
  const chosen = candidates.filter(({ study }) => study.study_sha256 === study_sha256);
  refuseDuplicates(chosen);
  for (const { bundle } of chosen) await requireSealed(bundle.directory);
  const directories = chosen.map(({ bundle }) => resolve(bundle.directory));
  let scans: PublishedStudy["scans"] = [];
  options.building?.(chosen.length);
  await placeSite(options.output, async (scratch) => {
    const site = join(scratch, "site");
    const environment = { ASSAY_ONLY: directories.join(delimiter), ASSAY_MAP: "", ASSAY_DIST: site };
    await runFramework("build", { pages: placePages(scratch, NOT_PUBLISHED), environment, quiet: true });
    scans = publishedScans(site, id, chosen.length);
    return site;
  });
  const other = candidates.filter(({ study }) => study.study_sha256 !== study_sha256);
  return {
    study_id: id,
    study_sha256,
    directory: options.output,
    scans,
    other_versions: other.map(({ bundle }) => bundle.directory),
  };
}

function foundScans(id: string): Candidate[] {
  return findBundles().flatMap((directory) => {
    try {
      const bundle = readPlan(directory);
      const study = studyOf(directory, bundle.plan);
      return study?.study.id === id ? [{ bundle, study }] : [];
    } catch (error) {
      // One that cannot be read concerns this study only where its name says so.
      if (basename(directory).startsWith(`${id}-`)) throw error;
      return [];
    }
  });
}

function namedScan(path: string, id: string): Candidate {
  refusePrivate(path);
  const bundle = readPlan(path);
  const study = studyOf(bundle.directory, bundle.plan);
  if (study?.study.id === id) return { bundle, study };
  throw new AssayError("other_study", `is ${study === undefined ? "no study's scan" : `a scan of ${study.study.id}`}`, {
    file: path,
    fix: `name scans of ${id}`,
  });
}

/** The digest of the version to publish: the study as it stands, else the only one there is. */
function versionOf(id: string, candidates: readonly Candidate[]): string {
  const versions = [...new Set(candidates.map(({ study }) => study.study_sha256))];
  if (versions.length === 0)
    throw new AssayError("no_scan", `there is no scan of ${id}`, {
      fix: `bench study plan ${id} --output <dir>, then bench scan run`,
    });
  if (versions.length === 1 && versions[0] !== undefined) return versions[0];
  const current = digestOf(findStudy(id).study);
  if (versions.includes(current)) return current;
  throw new AssayError("other_study", `has scans of ${versions.length} frozen versions, none as it stands now`, {
    file: id,
    fix: "name the scans of one version with --scan",
  });
}

function refuseDuplicates(chosen: readonly Candidate[]): void {
  const known = new Map<string, string>();
  for (const { bundle } of chosen) {
    const { judge } = bundle.plan;
    const name = `${judge.name} (${judge.context})`;
    const first = known.get(name);
    if (first !== undefined)
      throw new AssayError("duplicate_scan", `is a second scan by ${name}, beside ${first}`, {
        file: bundle.directory,
        fix: "delete one of them, or name the scans to publish with --scan",
      });
    known.set(name, bundle.directory);
  }
}

async function requireSealed(directory: string): Promise<void> {
  const { status, findings } = await verifyScan(directory);
  if (status === "sealed_ok") return;
  const [first] = findings;
  if (status === "failed")
    throw new AssayError("corrupt_scan", `does not verify: ${first?.file} ${first?.message}`, {
      file: directory,
      fix: "restore it from a copy, or name the scans to publish with --scan",
    });
  throw new AssayError("unfinished_scan", "is not finished, so it has no results to publish", {
    file: directory,
    fix: `bench scan run --plan ${directory}/scan_plan.json, or name the scans to publish with --scan`,
  });
}

/** What the built site says it shows: all that was asked for, with the study's page, or it is not published. */
function publishedScans(site: string, id: string, expected: number): PublishedStudy["scans"] {
  const file = join(site, "data", "build.json");
  const { scans, left_out } = parseWith(Built, parseJson(readText(file), { file }), { file });
  const [missing] = left_out;
  if (missing !== undefined || scans.length !== expected || !existsSync(join(site, "studies", `${id}.html`)))
    throw new AssayError("site_failed", `the site shows ${scans.length} of ${expected} scans`, {
      fix: missing === undefined ? "run it again with --debug" : `${missing.name}: ${missing.reason}`,
    });
  return scans.map(({ scan_id, seal_sha256 }) => ({ scan_id, seal_sha256 }));
}
