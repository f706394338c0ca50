import type { Browser } from "playwright-core";
import { afterAll, beforeAll, expect, inject, it } from "vitest";
import { openBrowser } from "./browse.ts";
import { serve } from "./server.ts";

const { dist } = inject("site");
let browser: Browser;
let site: Awaited<ReturnType<typeof serve>>;

beforeAll(async () => {
  site = await serve(dist, "/some/where/");
  browser = await openBrowser();
});

afterAll(async () => {
  await browser.close();
  await site.close();
});

it("runs no script and reaches no host that the page did not come with, were markup ever to get in", async () => {
  const asked: string[] = [];
  const other = await serve(dist, "/", (path) => asked.push(path));
  const page = await browser.newPage();
  try {
    await page.goto(`${site.url}index.html`);
    const ran = await page.evaluate(async (address) => {
      const ran: string[] = [];
      Object.assign(window, { ran });
      const place = document.createElement("div");
      place.innerHTML =
        '<img src="nowhere.png" onerror="ran.push(\'handler\')"><a href="javascript:ran.push(\'address\')">x</a>';
      document.body.append(place);
      place.querySelector("a")?.click();
      const script = document.createElement("script");
      script.textContent = "ran.push('script')";
      document.body.append(script);
      const elsewhere = document.createElement("script");
      elsewhere.src = `data:text/javascript,ran.push("data")`;
      document.body.append(elsewhere);
      await fetch(address, { mode: "no-cors" }).catch(() => undefined);
      await new Promise((done) => setTimeout(done, 300));
      return ran;
    }, `${other.url}index.html`);
    expect(ran).toEqual([]);
    expect(asked).toEqual([]);
  } finally {
    await page.close();
    await other.close();
  }
});
