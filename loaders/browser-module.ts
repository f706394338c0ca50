import { build, type Plugin } from "esbuild";
import { dirname, join } from "node:path";
import { packageRoot } from "../engine/canon/root.ts";
import { shippedChecks } from "../engine/checks/shipped.ts";

/** Zod brings its messages in every language, a third of a bundle; the engine speaks one. */
const oneLanguage: Plugin = {
  name: "one-language",
  setup(build) {
    build.onResolve({ filter: /\/locales\/index\.js$/ }, ({ path, resolveDir }) => {
      return { path: join(resolveDir, dirname(path), "en.js") };
    });
  },
};

/**
 * A part of the engine as one browser module, to stdout: pages cannot import from outside `src`, and a second
 * implementation would be another result. What needs a file or a process does not bundle, and fails the build.
 */
export async function emitModule(entry: string): Promise<void> {
  process.stdout.write(await browserModule(entry));
}

export async function browserModule(entry: string): Promise<string> {
  const { outputFiles } = await build({
    entryPoints: [join(packageRoot, entry)],
    bundle: true,
    write: false,
    minify: true,
    format: "esm",
    platform: "browser",
    target: "es2022",
    define: { SHIPPED_CHECKS: JSON.stringify(shippedChecks()) },
    plugins: [oneLanguage],
    logLevel: "warning",
  });
  return outputFiles[0]?.text ?? "";
}
