import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { packageRoot } from "../../engine/canon/root.ts";

/** The command-line tests spawn the bundled command, as an installed one would run. */
export default function setup(): void {
  execFileSync(process.execPath, [join(packageRoot, "engine/build.mjs")], { stdio: "inherit" });
}
