// Bundles the command line to build/: one small file per lazily imported module, dependencies left in node_modules.
import { chmodSync, existsSync, renameSync, rmSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const root = fileURLToPath(new URL("..", import.meta.url));
const target = `${root}build`;
const staging = `${target}.${process.pid}`;
await build({
  entryPoints: [`${root}engine/cli/bench.ts`],
  outdir: staging,
  bundle: true,
  splitting: true,
  format: "esm",
  platform: "node",
  target: "node20",
  packages: "external",
  sourcemap: true,
  logLevel: "warning",
});
chmodSync(`${staging}/bench.js`, 0o755);
// Swapped in whole: a command started during a build finds the old files or the new ones.
const old = `${staging}.old`;
if (existsSync(target)) renameSync(target, old);
renameSync(staging, target);
rmSync(old, { recursive: true, force: true });
