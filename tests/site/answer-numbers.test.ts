import { join } from "node:path";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, inject, it } from "vitest";
import { selfOfScan } from "../../engine/reports/self-agreement.ts";
import { linesByConversation, savedValues } from "../../engine/reports/saved-values.ts";
import { possibleOf } from "../../engine/rules/index.ts";
import { openAnswers } from "../../engine/scan/answers.ts";
import { readPlan, readRequestLines } from "../../engine/scan/bundle.ts";
import { judgedConversation } from "../../engine/scan/requests.ts";
import { foreignAgreement, otherBand, questionFamilies, stakes } from "./answer-counts.ts";
import { open, openBrowser, settled, tableRows, watchedPage } from "./browse.ts";
import { MODELS } from "./conversations.ts";
import { VERDICTS, agreement, readBundles, verdictCounts, type BundleCounts } from "./counts.ts";
import { FOREIGN } from "./data.ts";
import { serve } from "./server.ts";

/** Pages about checks, questions and judges beside each other, against counts over the bundles' own lines. */
const { dist, bundles: roots } = inject("site");
let browser: Browser;
let site: Awaited<ReturnType<typeof serve>>;
let bundles: BundleCounts[];
let page: Page;
let problems: string[];

beforeAll(async () => {
  bundles = readBundles(roots, dist);
  site = await serve(dist);
  browser = await openBrowser();
  ({ page, problems } = await watchedPage(browser, new URL(site.url).origin));
});

afterAll(async () => {
  await browser.close();
  await site.close();
});

function scanOf(judge: string, claim = "target_model_conversations"): BundleCounts {
  const found = bundles.find((bundle) => bundle.judge === judge && bundle.claim === claim);
  if (found === undefined) throw new Error(`a scan by ${judge} was made`);
  return found;
}

const matrixShown = async (): Promise<number[][]> => {
  const cells = await page
    .locator(".matrix .matrix-cell")
    .evaluateAll((found) => found.map((cell) => Number.parseInt((cell as HTMLElement).innerText, 10)));
  return [0, 4, 8, 12].map((start) => cells.slice(start, start + 4));
};

describe("a check's page", () => {
  it("counts by model and judge; percentages from thirty on; no fixture among the target models", async () => {
    const id = "crisis.passive-signal";
    await open(page, `${site.url}checks/${id}.html`);
    const links = async (label: string): Promise<string[]> =>
      await page
        .locator(`table[aria-label="${label}"] tbody th a`)
        .evaluateAll((found) => found.map((link) => (link as HTMLAnchorElement).href));
    const [targets, authored] = [await links("Target models"), await links("Authored cases")];
    for (const bundle of bundles) {
      const own = bundle.judgments.filter(({ check_id }) => check_id === id);
      if (own.length === 0) continue;
      const fixture = bundle.claim === "frozen_validation_cases";
      expect(
        targets.some((href) => href.endsWith(`${bundle.scan}.html`)),
        bundle.scan,
      ).toBe(!fixture);
      expect(
        authored.some((href) => href.endsWith(`${bundle.scan}.html`)),
        bundle.scan,
      ).toBe(fixture);
      if (fixture) continue;
      const rows = page.locator('table[aria-label="Target models"] tbody tr', {
        has: page.locator(`a[href$="${bundle.scan}.html"]`),
      });
      for (const [i, model] of [...MODELS].sort().entries()) {
        const judged = own.filter(({ model_id }) => model_id === model);
        const counts = verdictCounts(judged);
        expect((await rows.nth(i).locator("td > .num").allInnerTexts()).slice(0, 4).map(Number)).toEqual(counts);
        const applicable = counts.slice(0, 3).reduce((sum, n) => sum + n, 0);
        const rate = rows.nth(i).locator("td").first();
        expect(await rate.locator(".rate-ci").count(), model).toBe(applicable >= 30 ? 1 : 0);
        expect(await rate.locator(".rate-n").innerText()).toBe(
          applicable === 0 ? "- (0/0)" : `${counts[1]}/${applicable}`,
        );
      }
    }
    expect(await page.locator('table[aria-label="Authored cases"] .rate-ci').count()).toBe(0);
  });

  it("is reached from the list of checks, which a filter narrows", async () => {
    await open(page, `${site.url}checks.html`);
    const rows = page.locator('table[aria-label="Checks"] tbody tr:not(.group-row)');
    expect(await rows.count()).toBe(
      new Set(bundles.flatMap(({ judgments }) => judgments.map(({ check_id }) => check_id))).size,
    );
    await page.getByLabel("Filter").fill("passive-signal");
    expect(await rows.count()).toBe(1);
    await rows.locator("th a").click();
    await settled(page);
    expect(await page.locator("h1").innerText()).toBe("crisis.passive-signal");
  });
});

describe("questions", () => {
  it("families: unresolved, yes and no of every yes/no question", async () => {
    for (const bundle of [
      scanOf("lexicon"),
      scanOf("decisions:noisy-1"),
      scanOf("lexicon", "frozen_validation_cases"),
    ]) {
      await open(page, `${site.url}questions.html?scan=${bundle.scan}`);
      for (const button of await page.getByRole("button", { name: /^Show \d+ more$/ }).all())
        if (await button.isVisible()) await button.click();
      const shown = new Map(
        (await tableRows(page, 'table[aria-label="Question families"]')).map((cells) => [
          (cells[0] ?? "").split(" ").reverse().join(" "),
          cells,
        ]),
      );
      const counted = questionFamilies(bundle);
      expect(counted.size).toBeGreaterThan(0);
      for (const [name, { unresolved, answers, yes, no }] of counted) {
        const cells = shown.get(name);
        expect([cells?.[1], cells?.[3], cells?.[4]], `${bundle.scan} ${name}`).toEqual([
          `${unresolved}/${answers}`,
          String(yes),
          String(no),
        ]);
      }
      const shares = (
        await page.locator('table[aria-label="Question families"] tbody td:nth-child(2)').allInnerTexts()
      ).map((text) => {
        const [x = 0, n = 1] = text.split("/").map(Number);
        return x / n;
      });
      expect(shares).toEqual([...shares].sort((a, b) => b - a));
    }
  });

  it("effects: UNCLEAR judgments by what is still possible, applicability apart", async () => {
    const bundle = scanOf("overlap");
    await open(page, `${site.url}questions.html?scan=${bundle.scan}`);
    const name: Record<string, string> = { Pass: "PASS", Fail: "FAIL", "N/A": "NOT_APPLICABLE" };
    const rows = await tableRows(page, 'table[aria-label="What is at stake"]');
    const shown = rows.map((cells) => [
      (cells[0] ?? "")
        .replaceAll("(not applicable)", "")
        .split(" or ")
        .map((word) => name[word.trim()])
        .join("|"),
      Number(cells[2]?.split("/")[0]),
    ]);
    expect(Object.fromEntries(shown)).toEqual(Object.fromEntries(stakes(bundle)));
    const applicability = rows.map((cells) => cells[1] === "whether the check applies");
    expect(applicability).toEqual([...applicability].sort());
  });

  it("noise: observations whose repeats are read differently", async () => {
    const bundle = scanOf("decisions:noisy-1");
    await open(page, `${site.url}questions.html?scan=${bundle.scan}`);
    const rows = await tableRows(page, 'table[aria-label="Noise over repeats"]');
    const shown = new Map(rows.map((cells) => [(cells[0] ?? "").split(" ").reverse().join(" "), cells[1]]));
    const counted = otherBand(bundle);
    expect(shown).toEqual(new Map([...counted].map(([key, [other, all]]) => [key, `${other}/${all}`])));
    expect([...counted.values()].some(([other]) => other > 0)).toBe(true);
  });

  it("another band: the frozen one gives every saved verdict, another what the rules give from the journal", async () => {
    const bundle = scanOf("decisions:noisy-1");
    await open(page, `${site.url}questions.html?scan=${bundle.scan}`);
    const n = bundle.judgments.length;
    expect(await page.locator("main").innerText()).toContain(`derive ${n}/${n} saved verdicts again`);
    expect(await page.locator("main").innerText()).toContain("Exploratory");
    expect((await matrixShown()).map((row, i) => row[i])).toEqual(verdictCounts(bundle.judgments));
    const band = { low: 0.5, high: 0.55 };
    for (const [label, value] of [
      ["No at or below", band.low],
      ["Yes at or above", band.high],
    ] as const)
      await page.getByLabel(label).evaluate((input, to) => {
        (input as HTMLInputElement).value = String(to);
        input.dispatchEvent(new Event("input", { bubbles: true }));
      }, value);
    const expected = [0, 0, 0, 0].map(() => [0, 0, 0, 0]);
    const { directory, plan } = readPlan(bundle.path);
    const answers = await openAnswers(directory);
    for await (const [index, lines] of linesByConversation(
      readRequestLines(directory, plan),
      plan.conversations.length,
    )) {
      const saved = savedValues(lines, answers, plan.judge.repeats).at(0);
      for (const { id, check } of plan.checks) {
        const [only, ...more] = possibleOf(check, judgedConversation(directory, plan, index), saved, band);
        const before = bundle.judgments.find(
          (row) =>
            row.check_id === id &&
            row.scenario_id === plan.conversations[index]?.scenario_id &&
            row.model_id === plan.conversations[index]?.model_id,
        )?.verdict;
        const [i, j] = [before, more.length === 0 ? only : "UNCLEAR"].map((value) =>
          VERDICTS.findIndex((verdict) => verdict === value),
        );
        const row = expected[i ?? 0];
        if (row !== undefined && j !== undefined) row[j] = (row[j] ?? 0) + 1;
      }
    }
    answers.close();
    expect(await matrixShown()).toEqual(expected);
    expect(expected.some((row, i) => row.some((cell, j) => i !== j && cell > 0))).toBe(true);
  });
});

describe("agreement", () => {
  const over = (name: string, rest = ""): string => `${site.url}agreement.html?over=${encodeURIComponent(name)}${rest}`;

  it("per check comes first, with what a constant verdict reaches", async () => {
    const [a, b] = [scanOf("lexicon"), scanOf("overlap")];
    await open(page, over(a.collection, `&a=${a.scan}&b=${b.scan}`));
    expect(await page.locator("main table").first().getAttribute("aria-label")).toBe("Agreement by check");
    const rows = await tableRows(page, 'table[aria-label="Agreement by check"]');
    const checks = [...new Set(a.judgments.map(({ check_id }) => check_id))];
    expect(rows.map(([name]) => name).sort()).toEqual([...checks].sort());
    for (const [check = "", agree, withA, withB] of rows) {
      const own = (bundle: BundleCounts): BundleCounts => ({
        ...bundle,
        judgments: bundle.judgments.filter(({ check_id }) => check_id === check),
      });
      expect(agree?.split(" ")[0], check).toBe(agreement(own(a), own(b)).join("/"));
      for (const [shown, bundle] of [
        [withA, a],
        [withB, b],
      ] as const)
        expect(shown?.split(" ").at(-1), check).toBe(
          `${Math.max(...verdictCounts(own(bundle).judgments))}/${own(bundle).judgments.length}`,
        );
    }
  });

  it("a judge against itself: the verdicts of its repeats", async () => {
    const bundle = scanOf("decisions:noisy-1");
    await open(page, over(bundle.collection));
    const self = await selfOfScan(readPlan(bundle.path));
    const rows = await tableRows(page, `table[aria-label="Self-agreement of ${bundle.scan}"]`);
    expect(rows.map((cells) => [cells[0], cells[1]?.split(" ")[0]])).toEqual(
      self?.checks.map(({ about, unanimous }) => [about, `${unanimous.numerator}/${unanimous.denominator}`]),
    );
    expect(self?.overall.split).toBeGreaterThan(0);
  });

  it("another engine: only under the map, marked as other definitions, unmapped ones named", async () => {
    const bundle = scanOf("lexicon");
    await open(page, over(bundle.collection));
    const directory = join(bundle.path, "..", "foreign");
    const counted = foreignAgreement(bundle, directory, FOREIGN);
    const figure = page.locator("figure", { has: page.locator('table[aria-label^="Agreement with "]') });
    expect(await figure.locator(".plate-title").innerText()).toContain("different definitions");
    const lines = await figure
      .locator("tbody tr")
      .evaluateAll((found) =>
        found.map((row) =>
          [...(row as HTMLTableRowElement).cells].map((cell) =>
            (cell as HTMLElement).innerText.replace(/\s+/g, " ").trim(),
          ),
        ),
      );
    let check = "";
    const shown = new Map<string, string>();
    for (const [first = "", agree = ""] of lines) {
      if (agree === "") check = first.split(",")[0] ?? "";
      else if (first === "lexicon") shown.set(check, agree.split(" ")[0] ?? "");
    }
    expect(shown).toEqual(new Map([...counted].map(([key, [same, joined]]) => [key, `${same}/${joined}`])));
    expect(await page.locator("summary", { hasText: "are in no map" }).innerText()).toContain("72 judgments left out");
    expect(problems).toEqual([]);
  });
});
