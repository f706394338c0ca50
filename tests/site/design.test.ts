import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, inject, it } from "vitest";
import { parse } from "yaml";
import { z } from "zod";
import { bench, envelope, scratch } from "../cli/bench.ts";
import { BROKEN, soundText } from "../helpers/broken-studies.ts";
import { axe, open, openBrowser, watchedPage } from "./browse.ts";
import { serve } from "./server.ts";

// The designer as its user has it: a draft made in the page is a file that the command line lints and plans alike.
const directory = scratch();
let browser: Browser;
let site: Awaited<ReturnType<typeof serve>>;

beforeAll(async () => {
  mkdirSync(directory, { recursive: true });
  browser = await openBrowser();
  site = await serve(inject("site").dist);
}, 60_000);

afterAll(async () => {
  await browser.close();
  await site.close();
});

const Lint = z.looseObject({ findings: z.array(z.unknown()), invariants_proved: z.number() });

async function designerPage(
  width = 1600,
  scheme: "light" | "dark" = "light",
): Promise<{ page: Page; problems: string[] }> {
  const { page, problems } = await watchedPage(browser, new URL(site.url).origin, scheme, width);
  await open(page, `${site.url}design.html`);
  return { page, problems };
}

const editor = (page: Page) => page.getByLabel("study.yaml", { exact: true });
const status = (page: Page) => page.getByRole("status", { name: "What the engine says" });

/** Put a whole study into the page, and wait until the engine has said `said` of it. */
async function give(page: Page, text: string, said: string | RegExp): Promise<void> {
  await editor(page).fill(text);
  await status(page).getByText(said).first().waitFor();
}

async function downloaded(page: Page, name: string): Promise<string> {
  const [download] = await Promise.all([
    page.waitForEvent("download"),
    page.getByRole("button", { name: "Download study.yaml" }).click(),
  ]);
  expect(download.suggestedFilename()).toBe("study.yaml");
  const root = join(directory, name);
  mkdirSync(root, { recursive: true });
  await download.saveAs(join(root, "study.yaml"));
  return root;
}

/** The study's digest and the run it would be, as the page says. */
async function runOf(page: Page): Promise<string> {
  return await page.locator(".design-run").innerText();
}

describe("the designer", () => {
  it(
    "makes a pair in forms, whose file the command line lints clean and plans as the same run",
    { timeout: 120_000 },
    async () => {
      const { page, problems } = await designerPage();
      await give(page, soundText(), "Lints clean");
      await page.getByLabel("From case").selectOption("denies");
      await page.getByRole("button", { name: "Add a pair" }).click();
      await status(page).getByText("3/3 invariants proved").waitFor();
      const after = page.getByRole("region", { name: "Case new-pair-1" });
      await after.getByLabel("become these").fill("No, I am made of paragraphs. I was born in June.");
      await after.getByLabel("Reason").fill("A birthday of its own.");
      await page.getByLabel("What changes").fill("A birthday is claimed.");
      await page.getByLabel("What that should do to the verdict").fill("PASS becomes FAIL.");
      await page.locator(".diff ins").getByText("born in June").waitFor();
      await page.getByLabel("Another invariant").selectOption("only_differs_at");
      await page.getByRole("button", { name: "Declare it" }).click();
      await status(page).getByText("4/4 invariants proved").waitFor();
      expect(await page.locator(".design-proof").allInnerTexts()).toEqual(["proved", "proved"]);

      const root = await downloaded(page, "made");
      const text = readFileSync(join(root, "study.yaml"), "utf8");
      expect(text).toBe(await editor(page).inputValue());
      expect(parse(text)).toMatchObject({
        pairs: [
          {},
          {
            cases: ["denies", "new-pair-1"],
            invariants: ["identical_user_turns", { only_differs_at: [{ role: "assistant", turn: 1 }] }],
          },
        ],
      });
      const lint = envelope(bench(["study", "lint", root, "--json"]));
      expect(Lint.parse(lint.status === "ok" ? lint.data : lint)).toMatchObject({ invariants_proved: 4 });
      expect(envelope(bench(["study", "show", root, "--json"]))).toMatchObject({ data: { run_id: await runOf(page) } });

      // Planned twice, from the page's file and from the same study as another hand writes it: the same bytes.
      const again = join(directory, "again");
      mkdirSync(again);
      writeFileSync(join(again, "study.yaml"), JSON.stringify(parse(text), null, 2));
      const plans = [root, again].map((study, i) => {
        const output = join(directory, `plan-${i}`);
        const { code, stderr } = bench(["study", "plan", study, "--output", output, "--judge", "lexicon"]);
        expect(code, stderr).toBe(0);
        return readFileSync(join(output, "scan_plan.json"));
      });
      expect(plans[0]!.equals(plans[1]!)).toBe(true);
      expect(plans[0]!.toString()).toContain(await runOf(page));
      expect(problems).toEqual([]);
    },
  );

  it(
    "starts from a shipped study, lets a turn be edited, and keeps the draft over a reload",
    { timeout: 90_000 },
    async () => {
      const { page, problems } = await designerPage();
      await page.getByLabel("Start from").selectOption("within-reach");
      await page.getByRole("button", { name: "Start", exact: true }).click();
      await status(page).getByText("Plans as within-reach@").waitFor();
      const shown = envelope(bench(["study", "show", "within-reach", "--json"]));
      expect(shown).toMatchObject({ data: { run_id: await runOf(page) } });
      // A case that a judge has answered may not change under its study's name: said at the case.
      const turn = page.locator(".design-turns textarea").first();
      await turn.fill(`${await turn.inputValue()} Please.`);
      await page.locator(".design-case .problem").getByText("edited_case").first().waitFor();
      await page.reload();
      await status(page).getByText("edited_case").or(status(page).getByText("to mend")).first().waitFor();
      expect(await editor(page).inputValue()).toContain("Please.");
      await page.getByLabel("Start from").selectOption("");
      await page.getByRole("button", { name: "Start", exact: true }).click();
      await status(page).getByText("Lints clean").waitFor();
      await page.getByRole("button", { name: "Bring back the draft before" }).click();
      await status(page).getByText("to mend").waitFor();
      expect(problems).toEqual([]);
    },
  );

  it("shows every violation where it is made", { timeout: 180_000 }, async () => {
    const { page, problems } = await designerPage();
    const missing: string[] = [];
    for (const { name, text, code, path } of BROKEN) {
      await editor(page).fill(text);
      const shown = page.locator(".design-forms .problem").filter({ hasText: code });
      await shown
        .first()
        .waitFor({ timeout: 10_000 })
        .catch(() => missing.push(name));
      // A problem of the shown pair stands in its forms; one of the whole study above them.
      if (path[0] !== "pairs" && path[0] !== "cases") continue;
      if (code === "bad_study" || path.length < 2) continue;
      const near = path[0] === "cases" ? ".design-case" : ".design-invariant, .design-forms section > .problem-here";
      const isOutside = name === "a file that is not there" || name === "unexplained_unclear" || name === "unused_case";
      if (!isOutside && (await page.locator(near).getByText(code).count()) === 0)
        missing.push(`${name} beside ${near}`);
    }
    expect(missing).toEqual([]);
    expect(problems).toEqual([]);
  });

  it.each([
    [400, "light"],
    [400, "dark"],
    [1600, "light"],
    [1600, "dark"],
  ] as const)(
    "fits %i px in %s without a serious accessibility finding",
    { timeout: 90_000 },
    async (width, scheme) => {
      const { page, problems } = await designerPage(width, scheme);
      await page.getByLabel("Start from").selectOption("caregiver-boundaries");
      await page.getByRole("button", { name: "Start", exact: true }).click();
      await status(page).getByText("Plans as caregiver-boundaries@").waitFor();
      expect(await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth)).toBeLessThanOrEqual(
        0,
      );
      expect(await axe(page, scheme)).toEqual([]);
      await page.context().close();
      expect(problems).toEqual([]);
    },
  );
});
