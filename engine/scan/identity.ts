import type { ScanPlan } from "../schema/plan.ts";

/** Lower-case letters, digits and single hyphens; "x" where nothing is left. */
export function slugOf(text: string): string {
  const slug = text
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, "-")
    .replace(/^-+|-+$/g, "");
  return slug === "" ? "x" : slug;
}

/**
 * The name of a scan in tables, pages and directories: what was judged, by whom, under which context, and eight
 * digits of the plan, so that two plans never share one. A run made from a study is named `<study>@<digest>`.
 */
export function scanIdOf(plan: ScanPlan, planSha256: string): string {
  const run = plan.sources[0]?.run_id ?? "";
  const study = plan.sources[0]?.study === undefined ? run : run.replace(/@[0-9a-f]{12}$/, "");
  return slugOf(`${study}-${plan.judge.name}-${plan.judge.context}-${planSha256.slice(0, 8)}`);
}
