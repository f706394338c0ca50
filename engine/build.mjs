// Bundles the command line to build/: one small file per lazily imported module, dependencies left in node_modules.
import { chmodSync, rmSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const root = fileURLToPath(new URL("..", import.meta.url));
rmSync(`${root}build`, { recursive: true, force: true });
await build({
  entryPoints: [`${root}engine/cli/bench.ts`],
  outdir: `${root}build`,
  bundle: true,
  splitting: true,
  format: "esm",
  platform: "node",
  target: "node20",
  packages: "external",
  sourcemap: true,
  logLevel: "warning",
});
chmodSync(`${root}build/bench.js`, 0o755);
