import { join } from "node:path";
import { sha256 } from "../canon/json.ts";
import { cacheRoot } from "../tables/cache.ts";
import { findBundles, namedMap } from "./bundles.ts";
import { runFramework } from "./framework.ts";
import { placeSite, requireNewOrSite } from "./output.ts";
import { placePages } from "./pages.ts";

/**
 * The working directory's site, in `output`: a new directory, an empty one, or an earlier site, which is replaced.
 * `building` is called when nothing that is named is left to refuse.
 */
export async function buildSite(output: string, building: () => void): Promise<void> {
  requireNewOrSite(output);
  refuseNamed();
  building();
  await placeSite(output, async (scratch) => {
    const site = join(scratch, "site");
    await runFramework("build", { pages: ownPages(), environment: { ASSAY_DIST: site }, quiet: true });
    return site;
  });
}

/** Serve the working directory's site until interrupted. */
export async function previewSite({ port, host }: { port?: string; host?: string }): Promise<void> {
  refuseNamed();
  const words = { "--port": port, "--host": host };
  const args = Object.entries(words).flatMap(([name, value]) => (value === undefined ? [] : [name, value]));
  await runFramework("preview", { pages: ownPages(), args: ["--no-open", ...args] });
}

/** What the loaders would refuse, before a build is begun. */
function refuseNamed(): void {
  findBundles();
  namedMap();
}

/** The pages of this working directory's site, kept between builds with what Framework made of them. */
function ownPages(): string {
  return placePages(join(cacheRoot(), "pages", sha256(process.cwd()).slice(0, 16)));
}
