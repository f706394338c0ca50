import { join } from "node:path";
import { packageRoot } from "../canon/root.ts";
import type { LoadedCheck } from "../schema/check.ts";
import { loadChecks } from "./load.ts";

/** The definitions that come with this package. Browser bundles take `shipped-browser.ts` in its place. */
export function shippedChecks(): LoadedCheck[] {
  return loadChecks(join(packageRoot, "checks"));
}
