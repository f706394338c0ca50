import type { Browser, Page } from "playwright-core";
import { settled } from "../site/browse.ts";

export interface Visit {
  /** From the start of the navigation to the first part of the page that shows something. */
  firstMs: number;
  /** To the last part. */
  allMs: number;
  /** The slowest of the page's controls that were tried, from the event to the frame after the last change; null: it has none. */
  slowest: { control: string; ms: number } | null;
  /** What the page says in place of a part. */
  error: string | null;
}

/** One page in a browser that has cached nothing. */
export async function visit(browser: Browser, url: string): Promise<Visit> {
  const context = await browser.newContext({ viewport: { width: 1600, height: 1000 } });
  try {
    const page = await context.newPage();
    // What runs TypeScript here marks functions with a helper that a page does not have.
    await page.addInitScript("globalThis.__name = (marked) => marked;");
    await page.addInitScript(watchParts);
    await page.goto(url, { waitUntil: "commit" });
    await settled(page);
    const [error = null] = await page.locator(".state-error, .observablehq--error").allInnerTexts();
    const { first, last } = await page.evaluate(() => window.shown);
    return { firstMs: first, allMs: last, slowest: await slowestControl(page), error };
  } finally {
    await context.close();
  }
}

declare global {
  interface Window {
    /** When the first and the last part of the page were drawn; ms since the navigation began. */
    shown: { first: number; last: number };
  }
}

/** Runs in the page before its scripts. */
function watchParts(): void {
  const seen = new WeakSet<Element>();
  window.shown = { first: Number.NaN, last: Number.NaN };
  const look = (): void => {
    for (const part of document.querySelectorAll(".part:not([aria-busy])")) {
      if (seen.has(part) || part.childElementCount === 0 || part.querySelector(".state-loading") !== null) continue;
      seen.add(part);
      // The frame in which it is seen.
      requestAnimationFrame(() => {
        const now = performance.now();
        window.shown = { first: Number.isNaN(window.shown.first) ? now : window.shown.first, last: now };
      });
    }
  };
  new MutationObserver(look).observe(document, { subtree: true, childList: true, attributes: true });
}

const CONTROLS = {
  "sort a column": ".sort",
  "choose a value": "main select:not([name=scan]):not([name=beside])",
  "open details": "main summary",
  "choose a pair": ".pair-cell",
} as const;

async function slowestControl(page: Page): Promise<Visit["slowest"]> {
  let slowest: Visit["slowest"] = null;
  for (const [control, selector] of Object.entries(CONTROLS)) {
    const ms = await page.evaluate(useControl, selector);
    if (ms !== null && ms > (slowest?.ms ?? 0)) slowest = { control, ms };
  }
  return slowest;
}

/** Runs in the page: use the first such control; the time to the frame after the last change it caused. */
async function useControl(selector: string): Promise<number | null> {
  const element = document.querySelector<HTMLElement>(selector);
  if (element === null) return null;
  const frame = (): Promise<number> => new Promise((done) => requestAnimationFrame(() => done(performance.now())));
  const start = performance.now();
  let last = start;
  let changes = 0;
  const observer = new MutationObserver(() => {
    changes += 1;
    void frame().then((now) => (last = now));
  });
  observer.observe(document, { subtree: true, childList: true, attributes: true, characterData: true });
  if (element instanceof HTMLSelectElement) {
    element.selectedIndex = (element.selectedIndex + 1) % element.options.length;
    element.dispatchEvent(new Event("change", { bubbles: true }));
  } else element.click();
  const busy = (): boolean => document.querySelector("[aria-busy], .state-loading") !== null;
  while (busy() || performance.now() - last < 300) await new Promise((done) => setTimeout(done, 20));
  observer.disconnect();
  return changes === 0 ? null : last - start;
}
