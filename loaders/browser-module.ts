import { build } from "esbuild";
import { join } from "node:path";
import { packageRoot } from "../engine/canon/root.ts";

/**
 * A part of the engine as one browser module, to stdout: pages cannot import from outside `src`, and a second
 * implementation would be another result. What needs a file or a process does not bundle, and fails the build.
 */
export async function emitModule(entry: string): Promise<void> {
  const { outputFiles } = await build({
    entryPoints: [join(packageRoot, entry)],
    bundle: true,
    write: false,
    minify: true,
    format: "esm",
    platform: "browser",
    target: "es2022",
    logLevel: "warning",
  });
  process.stdout.write(outputFiles[0]?.text ?? "");
}
