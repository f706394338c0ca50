// The whole suite as one command: static checks, then unit, command-line and browser tests. Each static check
// counts as one test. The last line is always `N passed, N failed`, with `, N skipped` where tests were skipped.
import { spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { z } from "zod";
import { packageRoot } from "../engine/canon/root.ts";
import { chromiumVersion, ensureChromium } from "./browser.ts";

interface Tally {
  passed: number;
  failed: number;
  skipped: number;
}

const Report = z.object({
  numPassedTests: z.number(),
  numFailedTests: z.number(),
  numPendingTests: z.number(),
  numTodoTests: z.number(),
  testResults: z.array(z.object({ status: z.string(), assertionResults: z.array(z.object({ status: z.string() })) })),
});

const bin = join(packageRoot, "node_modules/.bin");
const env: NodeJS.ProcessEnv = {
  ...process.env,
  PATH: `${bin}${delimiter}${process.env["PATH"] ?? ""}`,
  FORCE_COLOR: "0",
};

/** Run a program in the package root, its output passed on; its exit code, or 1 where it could not start. */
function run(program: string, args: readonly string[]): Promise<number> {
  return new Promise((done) => {
    const child = spawn(program, args, { cwd: packageRoot, env, stdio: ["ignore", "inherit", "inherit"] });
    child.on("error", (error) => {
      process.stderr.write(`${program}: ${error.message}\n`);
      done(1);
    });
    child.on("close", (code) => done(code ?? 1));
  });
}

async function check(program: string, ...args: string[]): Promise<Tally> {
  const failed = (await run(program, args)) === 0 ? 0 : 1;
  return { passed: 1 - failed, failed, skipped: 0 };
}

function browser(): Tally {
  try {
    const path = ensureChromium((text) => process.stderr.write(`${text}\n`));
    process.env["CHROME_PATH"] = env["CHROME_PATH"] = path;
    process.stdout.write(`${chromiumVersion(path)} at ${path}\n`);
    return { passed: 1, failed: 0, skipped: 0 };
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
    return { passed: 0, failed: 1, skipped: 0 };
  }
}

async function vitest(project: string): Promise<Tally> {
  const folder = mkdtempSync(join(tmpdir(), "assay-tests-"));
  const file = join(folder, "report.json");
  const code = await run("vitest", [
    "run",
    "--project",
    project,
    "--reporter=dot",
    "--reporter=json",
    `--outputFile=${file}`,
  ]);
  const report = readReport(file);
  rmSync(folder, { recursive: true, force: true });
  if (report === undefined) return { passed: 0, failed: 1, skipped: 0 };
  // A file that fails before its first test has no failed test in it, and still is a failure.
  const broken = report.testResults.filter(
    ({ status, assertionResults }) =>
      status === "failed" && !assertionResults.some((result) => result.status === "failed"),
  ).length;
  const failed = report.numFailedTests + broken;
  return {
    passed: report.numPassedTests,
    failed: failed === 0 && code !== 0 ? 1 : failed,
    skipped: report.numPendingTests + report.numTodoTests,
  };
}

function readReport(file: string): z.infer<typeof Report> | undefined {
  try {
    return Report.parse(JSON.parse(readFileSync(file, "utf8")));
  } catch {
    return undefined;
  }
}

const steps: readonly [name: string, step: () => Promise<Tally> | Tally][] = [
  ["command line built", () => check("node", "engine/build.mjs")],
  ["format", () => check("prettier", "--check", "--log-level=warn", ".")],
  ["lint", () => check("eslint", ".")],
  ["types", () => check("tsc", "-p", ".")],
  ["unused files, exports and dependencies", () => check("knip", "--no-progress")],
  ["unit tests", () => vitest("unit")],
  ["command-line tests", () => vitest("cli")],
  ["browser", browser],
  ["site tests", () => vitest("site")],
];

const total: Tally = { passed: 0, failed: 0, skipped: 0 };
for (const [name, step] of steps) {
  const start = Date.now();
  process.stdout.write(`\n== ${name}\n`);
  const { passed, failed, skipped } = await step();
  total.passed += passed;
  total.failed += failed;
  total.skipped += skipped;
  const counts = `${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ""}`;
  process.stdout.write(`== ${name}: ${counts} (${((Date.now() - start) / 1000).toFixed(1)} s)\n`);
}
process.exitCode = total.failed === 0 ? 0 : 1;
process.stdout.write(
  `\n${total.passed} passed, ${total.failed} failed${total.skipped > 0 ? `, ${total.skipped} skipped` : ""}\n`,
);
