import { mkdirSync } from "node:fs";
import { join } from "node:path";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, inject, it } from "vitest";
import { packageRoot } from "../../engine/canon/root.ts";
import { axe, open, openBrowser, settled, watchedPage } from "./browse.ts";
import { readBundles, type BundleCounts } from "./counts.ts";
import { serve } from "./server.ts";

const { dist, bundles: roots } = inject("site");
const results = join(packageRoot, "test-results");
let browser: Browser;
let site: Awaited<ReturnType<typeof serve>>;
let bundles: BundleCounts[];
let paths: Record<string, string>;

beforeAll(async () => {
  mkdirSync(results, { recursive: true });
  bundles = readBundles(roots, dist);
  const fixture =
    bundles.find(({ claim, context }) => claim === "frozen_validation_cases" && context === "final_pair")?.scan ?? "";
  const target =
    bundles.find(({ claim, judge }) => claim === "target_model_conversations" && judge === "lexicon")?.scan ?? "";
  paths = {
    home: "index.html",
    study: "studies/caregiver-boundaries.html",
    "scan-fixture": `scans/${fixture}.html`,
    "scan-target": `scans/${target}.html`,
    confusion: "confusion.html",
    unclear: "unclear.html",
    checks: "checks.html",
    check: "checks/crisis.follow-through.html",
    questions: `questions.html?scan=${fixture}`,
    agreement: "agreement.html",
    sql: "sql.html",
    conversations: `conversations.html?scan=${fixture}`,
    conversation: `conversation.html?scan=${fixture}&id=${encodeURIComponent("fixture/caregiver-boundaries/practical-pivot")}`,
  };
  // Below a path, so that a link which is not relative fails.
  site = await serve(dist, "/some/where/");
  browser = await openBrowser();
});

afterAll(async () => {
  await browser.close();
  await site.close();
});

const names = [
  "home",
  "study",
  "scan-fixture",
  "scan-target",
  "confusion",
  "unclear",
  "checks",
  "check",
  "questions",
  "agreement",
  "sql",
  "conversations",
  "conversation",
];

it.each(names)(
  "%s: own origin only, no error, no serious accessibility finding, fits 400 and 1600 px, light and dark",
  async (name) => {
    const { page, problems } = await watchedPage(browser, new URL(site.url).origin);
    await open(page, `${site.url}${paths[name]}`);
    await page.keyboard.press("Tab");
    expect(await page.evaluate(() => document.activeElement?.textContent)).toBe("Skip to the content");
    await page.evaluate(() => document.activeElement instanceof HTMLElement && document.activeElement.blur());
    expect(await page.locator("h1").count()).toBe(1);
    expect(await page.locator("main").count()).toBe(1);
    expect(await page.evaluate(() => document.documentElement.lang)).toBe("en");
    expect(await page.title()).toContain("Assay");
    expect(await foreignOrMissing(page)).toEqual([]);
    const findings: string[] = [];
    for (const colorScheme of ["light", "dark"] as const)
      for (const width of [1600, 400]) {
        await page.emulateMedia({ colorScheme });
        await page.setViewportSize({ width, height: 1000 });
        await page.screenshot({ path: join(results, `${name}-${colorScheme}-${width}.png`) });
        findings.push(...(await axe(page, colorScheme)).map((finding) => `${colorScheme} ${width}: ${finding}`));
        const overflow = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
        if (overflow > 0) findings.push(`${colorScheme} ${width}: the page is ${overflow} px too wide`);
      }
    expect(findings).toEqual([]);
    expect(await page.locator(".state-error, .observablehq--error").allInnerTexts()).toEqual([]);
    expect(problems).toEqual([]);
    await page.context().close();
  },
  300_000,
);

/** Links that leave the site's own path, or lead to no page of it. */
async function foreignOrMissing(page: Page): Promise<string[]> {
  const links = await page
    .locator("a[href]")
    .evaluateAll((elements) => elements.map((element) => (element as HTMLAnchorElement).href));
  const targets = [...new Set(links.map((link) => link.replace(/[?#].*$/, "")))];
  const found = await Promise.all(
    targets.map(async (link) => (link.startsWith(site.url) && (await fetch(link)).status === 200 ? [] : [link])),
  );
  return found.flat();
}

describe("states", () => {
  it("shows an empty state where no conversation is named, and where it is not there", async () => {
    const { page, problems } = await watchedPage(browser, new URL(site.url).origin);
    await open(page, `${site.url}conversation.html`);
    expect(await page.locator(".state-empty").innerText()).toContain("No conversation is named");
    await open(page, `${site.url}conversation.html?scan=none&id=none`);
    expect(await page.locator(".state-empty").innerText()).toContain("not in that scan");
    expect(problems).toEqual([]);
    await page.context().close();
  });

  it("prints the study with its digests in full and without navigation", async () => {
    const { page } = await watchedPage(browser, new URL(site.url).origin);
    await open(page, `${site.url}${paths["study"]}`);
    await page.emulateMedia({ media: "print" });
    expect(await page.locator(".masthead nav").isVisible()).toBe(false);
    expect(await page.locator(".digest-print").first().innerText()).toMatch(/^[0-9a-f]{64}$/);
    await page.pdf({ path: join(results, "study.pdf"), format: "A4" });
    await page.context().close();
  });
});

describe("sql", () => {
  it("runs the query in the address, shows the error of a broken one, and states its row cap", async () => {
    const { page, problems } = await watchedPage(browser, new URL(site.url).origin);
    await open(page, `${site.url}sql.html#${encodeURIComponent("select count(*) as n from judgments")}`);
    await page.waitForSelector(".console-output td");
    const all = bundles.reduce((sum, { judgments }) => sum + judgments.length, 0);
    expect(await page.locator(".console-output td").innerText()).toBe(String(all));
    await page.locator("textarea").fill("select nothing from nowhere");
    await page.keyboard.press("Control+Enter");
    expect(await page.locator(".console-output .state-error").innerText()).toMatch(/nowhere/);
    await page.locator("textarea").fill("select * from range(600) t(i)");
    await page.getByRole("button", { name: "Run" }).click();
    await page.waitForSelector(".console-status");
    expect(await page.locator(".console-status").innerText()).toContain("600 rows, the first 500 shown");
    const [download] = await Promise.all([
      page.waitForEvent("download"),
      page.getByRole("button", { name: "Download CSV" }).click(),
    ]);
    expect(download.suggestedFilename()).toBe("assay-query.csv");
    expect(problems).toEqual([]);
    await page.context().close();
  });

  it("runs every example", async () => {
    const { page, problems } = await watchedPage(browser, new URL(site.url).origin);
    await open(page, `${site.url}sql.html`);
    const examples = page.locator(".examples button");
    for (let i = 0; i < (await examples.count()); i += 1) {
      await examples.nth(i).click();
      await page.waitForSelector(".console-status, .console-output .state-error");
      await settled(page);
      expect(
        await page.locator(".console-output .state-error").allInnerTexts(),
        await examples.nth(i).innerText(),
      ).toEqual([]);
    }
    expect(problems).toEqual([]);
    await page.context().close();
  });
});
