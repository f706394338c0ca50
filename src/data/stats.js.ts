import { fileURLToPath } from "node:url";
import { build } from "esbuild";

// Pages cannot import from outside src: the engine's own estimators reach them as one module.
const { outputFiles } = await build({
  entryPoints: [fileURLToPath(new URL("../../engine/stats/index.ts", import.meta.url))],
  bundle: true,
  write: false,
  format: "esm",
  target: "es2022",
  logLevel: "warning",
});
process.stdout.write(outputFiles[0]?.text ?? "");
