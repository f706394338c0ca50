import type { Command } from "commander";
import { action, note, type Outcome } from "./output.ts";

export function register(program: Command): void {
  program
    .command("init")
    .description("a workbench of your own in this directory: checks to edit, a first study, settings, npm scripts")
    .argument("<study>", "the first study's id: lower-case letters, digits and hyphens")
    .option("--check <id>", "the check under study", "scope.dose-advice")
    .option("--author <name>", "who declares it", "Your name")
    .addHelpText("after", "\nExample:\n  bench init quiet-refusals --check advocacy.request-delivered\n")
    .action(action(init));
  const site = program.command("site").description("the workbench as a site: build, preview");
  site
    .command("build")
    .description("a static site of this directory's studies and scans, for any host and any base path")
    .option("--output <dir>", "a new directory, or an earlier site to replace", "dist")
    .addHelpText("after", "\nExample:\n  bench site build --output dist\n")
    .action(action(build));
  site
    .command("preview")
    .description("serve the site here until interrupted")
    .option("--port <n>", "the port (default: the first free one from 3000)")
    .option("--host <name>", "the address to listen on (default: 127.0.0.1)")
    .addHelpText("after", "\nExample:\n  bench site preview --port 4000\n")
    .action(action(preview));
}

async function init(id: string, options: { check: string; author: string }): Promise<Outcome> {
  const { initWorkbench } = await import("../site/init.ts");
  const data = initWorkbench(id, ".", options);
  const text = [
    ...data.made.map((name) => `made ${name}`),
    ...data.kept.map((name) => `kept ${name} as it is`),
    `Next: write your cases into studies/${id}/study.yaml, bench study lint ${id}, then npm start`,
  ];
  return { data, text: text.join("\n") };
}

async function build({ output }: { output: string }): Promise<Outcome> {
  const { buildSite } = await import("../site/own.ts");
  await buildSite(output, () => note(`building the site into ${output}`));
  return { data: { directory: output }, text: `${output}: open it with any static file server` };
}

async function preview(options: { port?: string; host?: string }): Promise<Outcome> {
  const { previewSite } = await import("../site/own.ts");
  await previewSite(options);
  return { data: {}, text: "" };
}
