import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import type { TestProject } from "vitest/node";
import { packageRoot } from "../../engine/canon/root.ts";
import { makeSiteData } from "./data.ts";

declare module "vitest" {
  interface ProvidedContext {
    /** The built site, and the directories that hold the bundles it was built from. */
    site: { dist: string; bundles: string[] };
  }
}

const bin = join(packageRoot, "node_modules", ".bin");

/**
 * Builds the site once: the shipped study's bundles, and scans of a made-up target-model run through ASSAY_DATA, so
 * that the pages have both kinds of conversations to keep apart. `ASSAY_SITE_DIST` names a built site to test instead,
 * with `ASSAY_SITE_BUNDLES` the roots of its bundles.
 */
export default async function setup(project: TestProject): Promise<() => void> {
  const given = process.env["ASSAY_SITE_DIST"];
  if (given !== undefined) {
    const bundles = (process.env["ASSAY_SITE_BUNDLES"] ?? "").split(delimiter).filter((path) => path !== "");
    project.provide("site", { dist: given, bundles });
    return () => undefined;
  }
  const folder = mkdtempSync(join(tmpdir(), "assay-site-"));
  const dist = join(folder, "dist");
  const { data, map } = await makeSiteData(folder);
  execFileSync("observable", ["build"], {
    cwd: packageRoot,
    env: {
      ...process.env,
      ASSAY_DATA: data,
      ASSAY_MAP: map,
      ASSAY_DIST: dist,
      PATH: `${bin}${delimiter}${process.env["PATH"] ?? ""}`,
    },
    stdio: ["ignore", "ignore", "inherit"],
  });
  project.provide("site", { dist, bundles: [join(packageRoot, "data", "bundles"), data] });
  return () => rmSync(folder, { recursive: true, force: true });
}
