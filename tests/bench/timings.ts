// How long the workbench takes: `npm run timings -- [--answers 1000000] [--runs 3] [--shipped]
// [--site <built site>] [--bundle <made before>]`. Builds the site with the
// shipped data, and with a generated scan of so many answers beside it, opens every page of both cold, and holds the
// medians against the limits this project sets itself. Exit 1 where one is missed.
import { execFileSync } from "node:child_process";
import { mkdtempSync, readdirSync, rmSync, statSync } from "node:fs";
import { loadavg, tmpdir } from "node:os";
import { basename, delimiter, join } from "node:path";
import { parseArgs } from "node:util";
import type { Browser } from "playwright-core";
import { packageRoot } from "../../engine/canon/root.ts";
import { readPlan, scanIdOf } from "../../engine/scan/index.ts";
import { scanOfAnswers } from "../helpers/many-answers.ts";
import { openBrowser } from "../site/browse.ts";
import { serve } from "../site/server.ts";
import { visit, type Visit } from "./visit.ts";

const FIRST_MS = { shipped: 1500, generated: 3000 };
const INTERACTION_MS = 200;
const ANSWER_SHARE = 0.1;
/** Pages whose subject is answers may read them. */
const SHOWS_ANSWERS = ["sql", "conversation", "questions"];

const { values: options } = parseArgs({
  options: {
    answers: { type: "string", default: "1000000" },
    runs: { type: "string", default: "3" },
    shipped: { type: "boolean", default: false },
    site: { type: "string" },
    bundle: { type: "string" },
  },
});
const work = mkdtempSync(join(tmpdir(), "assay-timings-"));
const say = (text: string): unknown => process.stdout.write(`${text}\n`);
let missed = 0;

/** The built site's directory; with `data`, the bundles below it too. */
function build(name: string, data?: string): string {
  const dist = join(work, name);
  const bin = join(packageRoot, "node_modules", ".bin");
  execFileSync("observable", ["build"], {
    cwd: packageRoot,
    stdio: ["ignore", "ignore", "inherit"],
    env: {
      ...process.env,
      ASSAY_DIST: dist,
      ...(data === undefined ? {} : { ASSAY_DATA: data }),
      PATH: `${bin}${delimiter}${process.env["PATH"] ?? ""}`,
    },
  });
  return dist;
}

/** Every page of the site, the parameterised ones for the largest scan; addresses relative to its root. */
function pagesOf(dist: string, scan: string, conversation: string): Record<string, string> {
  const pages = readdirSync(dist).filter(
    (name) => name.endsWith(".html") && name !== "404.html" && name !== "gallery.html",
  );
  const [study] = readdirSync(join(dist, "studies"));
  return {
    ...Object.fromEntries(pages.map((name) => [basename(name, ".html"), name])),
    ...(study === undefined ? {} : { study: `studies/${study}` }),
    scan: `scans/${scan}.html`,
    conversation: `conversation.html?${new URLSearchParams({ scan, id: conversation }).toString()}`,
    sql: `sql.html#${encodeURIComponent("select band, count(*) as n from answers group by all order by all")}`,
  };
}

/** Bytes of the answers table, as the site holds it once; a scan's own file is the same rows again. */
function answerBytes(dist: string): number {
  const data = join(dist, "_file", "data");
  return readdirSync(data)
    .filter((name) => /^answers\.[^-]*parquet$/.test(name))
    .reduce((sum, name) => sum + statSync(join(data, name)).size, 0);
}

const median = (values: readonly number[]): number =>
  [...values].sort((a, b) => a - b)[values.length >> 1] ?? Number.NaN;

function verdict(holds: boolean): string {
  if (!holds) missed += 1;
  return holds ? "holds " : "MISSED";
}

async function measure(browser: Browser, dist: string, limitMs: number, pages: Record<string, string>): Promise<void> {
  let read = 0;
  const site = await serve(dist, "/", (path, bytes) => {
    if (/\/answers[-.][^/]*parquet$/.test(path)) read += bytes;
  });
  try {
    for (const [name, path] of Object.entries(pages)) {
      const visits: Visit[] = [];
      let most = 0;
      for (let run = 0; run < Number(options.runs); run += 1) {
        read = 0;
        visits.push(await visit(browser, site.url + path));
        most = Math.max(most, read);
      }
      report(name, visits, limitMs, { most, all: answerBytes(dist) });
    }
  } finally {
    await site.close();
  }
}

function report(name: string, visits: readonly Visit[], limitMs: number, answers: { most: number; all: number }): void {
  const failed = visits.find(({ error }) => error !== null);
  if (failed !== undefined) return void say(`${verdict(false)} ${name}: ${failed.error?.replaceAll("\n", " ") ?? ""}`);
  const first = median(visits.map(({ firstMs }) => firstMs));
  const last = median(visits.map(({ allMs }) => allMs));
  const timing = `first result ${first.toFixed(0)} ms (limit ${limitMs}), all parts ${last.toFixed(0)} ms`;
  say(`${verdict(first <= limitMs)} ${name}: ${timing}`);
  const mayRead = SHOWS_ANSWERS.includes(name);
  const few = answers.most === 0 || answers.most / answers.all < ANSWER_SHARE;
  const note = mayRead ? ", a page of answers" : "";
  say(`${verdict(mayRead || few)} ${name}: answer bytes read ${answers.most}/${answers.all}${note}`);
  const slowest = visits.flatMap((made) => made.slowest ?? []);
  if (slowest.length === 0) return;
  const ms = median(slowest.map((control) => control.ms));
  const limit = `(limit ${INTERACTION_MS})`;
  say(`${verdict(ms < INTERACTION_MS)} ${name}: ${slowest[0]?.control ?? ""} ${ms.toFixed(0)} ms ${limit}`);
}

/** A scan that is there: its id as the pages name it, and its first conversation. */
function subject(directory: string): { scan: string; conversation: string } {
  const { plan, plan_sha256 } = readPlan(directory);
  const conversation = plan.conversations[0];
  if (conversation === undefined) throw new Error(`${directory} judges no conversation`);
  return { scan: scanIdOf(plan, plan_sha256), conversation: `${conversation.model_id}/${conversation.scenario_id}` };
}

const browser = await openBrowser();
try {
  const load = (): string =>
    loadavg()
      .map((value) => value.toFixed(1))
      .join(" ");
  say(`medians of ${options.runs} cold visits; load ${load()}`);
  const shipped = options.site ?? build("shipped");
  const bundles = join(packageRoot, "data", "bundles");
  const [smallest = ""] = readdirSync(bundles).filter((name) => !name.startsWith("."));
  const own = subject(join(bundles, smallest));
  say("\nshipped data");
  await measure(browser, shipped, FIRST_MS.shipped, pagesOf(shipped, own.scan, own.conversation));
  if (!options.shipped) {
    const start = performance.now();
    const made =
      options.bundle ?? (await scanOfAnswers(join(work, "data"), "generated", Number(options.answers))).directory;
    say(
      `\n${readPlan(made).plan.requests.observations} answers, made in ${((performance.now() - start) / 1000).toFixed(0)} s`,
    );
    const began = performance.now();
    const large = build("generated", made);
    say(`site built in ${((performance.now() - began) / 1000).toFixed(0)} s; load ${load()}`);
    const { scan, conversation } = subject(made);
    await measure(browser, large, FIRST_MS.generated, pagesOf(large, scan, conversation));
  }
} finally {
  await browser.close();
  rmSync(work, { recursive: true, force: true, maxRetries: 5 });
}
say(missed === 0 ? "\nevery limit holds" : `\n${missed} limits missed`);
process.exitCode = missed === 0 ? 0 : 1;
