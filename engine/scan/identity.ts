import type { ScanPlan } from "../schema/plan.ts";

/** File systems take 255 bytes a name; slugs are joined with others. */
const LONGEST_SLUG = 120;

/** Lower-case letters, digits and single hyphens, at most 120; "x" where nothing is left. */
export function slugOf(text: string): string {
  const slug = text
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, "-")
    .replace(/^-+|-+$/g, "")
    .slice(0, LONGEST_SLUG)
    .replace(/-+$/, "");
  return slug === "" ? "x" : slug;
}

/** Names become file names; what tells scans apart is the digest at the end, so the rest may be cut. */
const LONGEST_RUN = 60;
const LONGEST_JUDGE = 40;

/**
 * The name of a scan in tables, pages and directories: what was judged, by whom, under which context, and eight
 * digits of the plan, so that two plans never share one. A run made from a study is named `<study>@<digest>`.
 */
export function scanIdOf(plan: ScanPlan, planSha256: string): string {
  const run = plan.sources[0]?.run_id ?? "";
  const study = plan.sources[0]?.study === undefined ? run : run.replace(/@[0-9a-f]{12}$/, "");
  const [runSlug, judge] = [slugOf(study).slice(0, LONGEST_RUN), slugOf(plan.judge.name).slice(0, LONGEST_JUDGE)];
  return [runSlug, judge, slugOf(plan.judge.context), planSha256.slice(0, 8)].join("-").replace(/-{2,}/g, "-");
}
