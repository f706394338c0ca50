import { spawn } from "node:child_process";
import { createRequire } from "node:module";
import { dirname, join, relative } from "node:path";
import { pathToFileURL } from "node:url";
import { AssayError } from "../canon/errors.ts";
import { packageRoot } from "../canon/root.ts";

export interface FrameworkRun {
  /** Framework's root, from `placePages`. */
  pages: string;
  /** Further words of Framework's command line. */
  args?: readonly string[];
  environment?: NodeJS.ProcessEnv;
  cwd?: string;
  /** Where its lines go; without it the terminal's standard error shows them. */
  quiet?: boolean;
}

const LINES_SHOWN = 12;

/**
 * The ordinary site build or preview, as a process in the working directory whose studies and scans it shows. Throws
 * `site_failed` with the end of what it printed.
 */
export async function runFramework(command: "build" | "preview", run: FrameworkRun): Promise<void> {
  const { pages, args = [], environment = {}, cwd = process.cwd(), quiet = false } = run;
  const resolve = createRequire(join(packageRoot, "package.json")).resolve;
  const framework = join(dirname(resolve("@observablehq/framework/package.json")), "dist", "bin", "observable.js");
  const config = relative(cwd, join(packageRoot, "observablehq.config.ts"));
  const words = ["--import", pathToFileURL(resolve("tsx")).href, framework, command, "--config", config, ...args];
  const child = spawn(process.execPath, words, {
    cwd,
    env: { ...process.env, ...environment, ASSAY_PAGES: pages },
    stdio: quiet ? ["ignore", "pipe", "pipe"] : ["ignore", process.stderr, process.stderr],
  });
  const said: string[] = [];
  for (const stream of [child.stdout, child.stderr])
    stream?.setEncoding("utf8").on("data", (text: string) => said.push(text));
  const code = await new Promise<number | null>((done, fail) => {
    child.once("error", fail);
    child.once("close", (exit, signal) => done(signal === null ? exit : null));
  });
  if (code === null || code === 130) throw new AssayError("interrupted", "was interrupted", {}, 130);
  if (code === 0) return;
  const end = said.join("").trimEnd().split("\n").slice(-LINES_SHOWN);
  const reason = end.find((line) => /\b(error|no_\w+)\b|: .+; /i.test(line));
  throw new AssayError("site_failed", `the site ${command} failed with exit code ${code}`, {
    output: end,
    ...(reason === undefined ? {} : { fix: reason.trim() }),
  });
}
