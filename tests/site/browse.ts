import { AxeBuilder } from "@axe-core/playwright";
import { chromium, type Browser, type Page } from "playwright-core";
import { chromiumArgs, ensureChromium } from "../browser.ts";

/** Hosts the browser itself asks for; not the page's doing. */
const BROWSER_OWN = /(^|\.)(google|gvt1|googleapis|gstatic)\.com$/;

export async function openBrowser(): Promise<Browser> {
  return await chromium.launch({ executablePath: ensureChromium(), args: chromiumArgs });
}

export interface Watched {
  page: Page;
  /** Console errors, page errors, failed requests and requests beyond the site's origin, as one line each. */
  problems: string[];
}

export async function watchedPage(
  browser: Browser,
  origin: string,
  scheme: "light" | "dark" = "light",
  width = 1600,
): Promise<Watched> {
  const context = await browser.newContext({ viewport: { width, height: 1000 }, colorScheme: scheme });
  const page = await context.newPage();
  const problems: string[] = [];
  page.on("console", (message) => {
    if (message.type() === "error") problems.push(`console: ${message.text()}`);
  });
  page.on("pageerror", (error) => problems.push(`page error: ${error.message}`));
  page.on("requestfailed", (request) => {
    // Leaving a page ends what it was still reading.
    if (request.failure()?.errorText !== "net::ERR_ABORTED") problems.push(`failed: ${request.url()}`);
  });
  page.on("response", (response) => {
    if (response.status() >= 400) problems.push(`${response.status()}: ${response.url()}`);
  });
  page.on("request", (request) => {
    const url = new URL(request.url());
    if (!["data:", "blob:"].includes(url.protocol) && url.origin !== origin && !BROWSER_OWN.test(url.hostname))
      problems.push(`outside: ${request.url()}`);
  });
  return { page, problems };
}

/** Open a page and wait until none of its parts is still loading. */
export async function open(page: Page, url: string): Promise<void> {
  await page.goto(url, { waitUntil: "load" });
  await settled(page);
}

export async function settled(page: Page): Promise<void> {
  // Cells run one after the other, each may start another part: wait for a whole second without one.
  await page.waitForFunction(
    () => {
      const busy =
        document.querySelector(".part") === null ||
        document.querySelector("[aria-busy], .state-loading, observablehq-loading") !== null;
      const state = window as unknown as { quiet?: number | undefined };
      state.quiet = busy ? undefined : (state.quiet ?? performance.now());
      return state.quiet !== undefined && performance.now() - state.quiet > 600;
    },
    undefined,
    { timeout: 60_000, polling: 100 },
  );
}

/** Rows of the tables on the page as their cells' texts. */
export async function tableRows(page: Page, selector: string): Promise<string[][]> {
  return await page
    .locator(`${selector} tbody tr:not(.group-row)`)
    .evaluateAll((rows) =>
      rows.map((row) =>
        [...(row as HTMLTableRowElement).cells].map((cell) =>
          (cell as HTMLElement).innerText.replace(/\s+/g, " ").trim(),
        ),
      ),
    );
}

/** Serious and critical findings, one line each. Of axe's rules only contrast depends on the colour scheme. */
export async function axe(page: Page, scheme: "light" | "dark"): Promise<string[]> {
  const builder = new AxeBuilder({ page }).options({ resultTypes: ["violations"] });
  const { violations } = await (scheme === "dark" ? builder.withRules(["color-contrast"]) : builder).analyze();
  return violations
    .filter(({ impact }) => impact === "serious" || impact === "critical")
    .map(
      ({ id, nodes }) =>
        `${id}: ${nodes
          .slice(0, 3)
          .map((node) => `${node.target.join(" ")} ${node.failureSummary ?? ""}`.replace(/\s+/g, " "))
          .join(" | ")}`,
    );
}
