import type { LoadedCheck } from "../schema/check.ts";

/** Written into a browser bundle when it is made. */
declare const SHIPPED_CHECKS: LoadedCheck[];

/** The same for a browser, which has no files. */
export function shippedChecks(): LoadedCheck[] {
  return SHIPPED_CHECKS;
}
