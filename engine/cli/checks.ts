import type { Command } from "commander";
import type { Check, LoadedCheck } from "../schema/check.ts";
import { action } from "./output.ts";

const DIRECTORY = ["--checks <dir>", "checks directory (default: ./checks, else the shipped one)"] as const;

export function register(program: Command): void {
  const checks = program.command("checks").description("check definitions: list, show, lint");
  checks
    .command("list")
    .description("every definition: id, severity, rule, what it looks for")
    .option(...DIRECTORY)
    .addHelpText("after", "\nExample:\n  bench checks list --json\n")
    .action(action(list));
  checks
    .command("show")
    .description("one definition in full, with the meaning of PASS and its digest")
    .argument("<id>", "check id, <dimension>.<slug>")
    .option(...DIRECTORY)
    .addHelpText("after", "\nExample:\n  bench checks show crisis.follow-through\n")
    .action(action(show));
  checks
    .command("lint")
    .description("definitions that parse but cannot be useful; exit 1 with findings")
    .option(...DIRECTORY)
    .addHelpText("after", "\nExample:\n  bench checks lint --checks checks\n")
    .action(action(lint));
}

interface Options {
  checks?: string;
}

async function load(options: Options): Promise<LoadedCheck[]> {
  const { checksDirectory } = await import("./directories.ts");
  const { loadChecks } = await import("../checks/index.ts");
  return loadChecks(checksDirectory(options.checks));
}

async function list(options: Options) {
  const rows = (await load(options)).map(({ check, check_sha256, layer, dimension, path }) => ({
    id: check.id,
    layer,
    dimension,
    severity: check.severity,
    rule: check.rule,
    summary: check.summary,
    check_sha256,
    path,
  }));
  const width = Math.max(...rows.map(({ id }) => id.length));
  const text = rows.map(
    ({ id, severity, rule, summary }) => `${id.padEnd(width)}  ${severity}  ${rule.padEnd(15)}  ${summary}`,
  );
  return { data: { checks: rows }, text: [...text, `${rows.length} checks`].join("\n") };
}

async function show(id: string, options: Options) {
  const { AssayError } = await import("../canon/errors.ts");
  const { nearest } = await import("../canon/nearest.ts");
  const loaded = await load(options);
  const row = loaded.find(({ check }) => check.id === id);
  if (row === undefined) {
    const known = loaded.map(({ check }) => check.id);
    const near = nearest(id, known);
    throw new AssayError("no_check", `there is no check ${id}`, {
      fix: near === undefined ? "see bench checks list" : `did you mean ${near}?`,
      known,
    });
  }
  return { data: row, text: await definition(row) };
}

async function definition({ check, check_sha256, path }: LoadedCheck): Promise<string> {
  const { stringify } = await import("yaml");
  return [
    `# ${path}`,
    `# check_sha256 ${check_sha256}`,
    stringify(withoutEmpty(check), { lineWidth: 110 }).trimEnd(),
  ].join("\n");
}

function withoutEmpty(check: Check): object {
  return Object.fromEntries(Object.entries(check).filter(([, value]) => !(Array.isArray(value) && value.length === 0)));
}

async function lint(options: Options) {
  const { lintChecks } = await import("../checks/index.ts");
  const checks = await load(options);
  const findings = lintChecks(checks);
  const text = findings.map(({ file, message, fix }) => `${file}: ${message}; ${fix}`);
  return {
    data: { checks: checks.length, findings },
    text: [...text, `${checks.length} checks, ${findings.length} findings`].join("\n"),
    exitCode: findings.length > 0 ? (1 as const) : (0 as const),
  };
}
