import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, inject, it } from "vitest";
import { open, openBrowser, settled, tableRows, watchedPage } from "./browse.ts";
import { HOSTILE, MODELS } from "./conversations.ts";
import {
  VERDICTS,
  agreement,
  confusion,
  consistentPairs,
  met,
  readBundles,
  verdictCounts,
  type BundleCounts,
} from "./counts.ts";
import { serve } from "./server.ts";

/** What the pages show against what an independent script counts in `judgments.jsonl`. */
const { dist, bundles: roots } = inject("site");
let browser: Browser;
let site: Awaited<ReturnType<typeof serve>>;
let bundles: BundleCounts[];
let page: Page;

beforeAll(async () => {
  bundles = readBundles(roots, dist);
  site = await serve(dist);
  browser = await openBrowser();
  ({ page } = await watchedPage(browser, new URL(site.url).origin));
});

afterAll(async () => {
  await browser.close();
  await site.close();
});

const fixtures = (): BundleCounts[] => bundles.filter(({ claim }) => claim === "frozen_validation_cases");
const targets = (): BundleCounts[] => bundles.filter(({ claim }) => claim === "target_model_conversations");
const label = ({ judge, context }: BundleCounts): string =>
  `${judge}${context === "final_pair" ? ", final pair only" : ""}`;
const collections = (group: readonly BundleCounts[]): string[] => [
  ...new Set(group.map(({ collection }) => collection)),
];
const offDiagonal = (cells: number[][]): number =>
  cells.flatMap((row, i) => row.filter((_, j) => i !== j)).reduce((sum, n) => sum + n, 0);
const plain = (text: string): string => text.replaceAll(",", "").replace(/\s+/g, " ").trim();
const numbers = async (selector: string): Promise<number[]> =>
  (await page.locator(selector).allInnerTexts()).map((text) => Number(plain(text).split(" ")[0]));

/** The 4 x 4 of a scan as shown. */
async function shownMatrix(scan: string): Promise<number[][]> {
  const cells = await page
    .locator(`.matrix[data-scan="${scan}"]`)
    .locator(".matrix-cell")
    .evaluateAll((found) => found.map((cell) => Number.parseInt((cell as HTMLElement).innerText, 10)));
  return [0, 4, 8, 12].map((start) => cells.slice(start, start + 4));
}

/** n/N as the pages write it. */
const rateText = ([n, total]: [number, number]): string => (total === 0 ? "- (0/0)" : `${n}/${total}`);

describe("numbers on screen", () => {
  it("home: verdict counts and expectations met of every scan", async () => {
    await open(page, `${site.url}index.html`);
    for (const bundle of bundles) {
      const row = page
        .locator("table.data tbody tr")
        .filter({ has: page.locator(`th a[href$="scans/${bundle.scan}.html"]`) });
      expect(await row.count(), bundle.scan).toBe(1);
      expect((await row.locator(".verdict-counts .num").allInnerTexts()).map((text) => Number(plain(text)))).toEqual(
        verdictCounts(bundle.judgments),
      );
      if (bundle.claim === "frozen_validation_cases")
        expect(plain(await row.innerText())).toContain(met(bundle).join("/"));
    }
  });

  it("study: expectations met, consistent pairs, the 4 x 4 and the number of differences of every judge", async () => {
    for (const study of collections(fixtures())) {
      const group = fixtures().filter(({ collection }) => collection === study);
      await open(page, `${site.url}studies/${study}.html`);
      const rows = await tableRows(page, 'table[aria-label="Judges"]');
      expect(rows.length).toBe(group.length);
      for (const bundle of group) {
        const row = rows.find(([name]) => name?.replace(/ (baseline|development evidence)$/, "") === label(bundle));
        expect(row?.[1], bundle.scan).toBe(met(bundle).join("/"));
        expect(row?.[2], bundle.scan).toBe(consistentPairs(bundle).join("/"));
        expect(await shownMatrix(bundle.scan), bundle.scan).toEqual(confusion(bundle));
      }
      const differences = group.reduce((sum, bundle) => sum + offDiagonal(confusion(bundle)), 0);
      const title = page.locator(".plate-title", { hasText: "Every difference" });
      expect(await title.innerText()).toContain(`${differences} judgments`);
    }
  });

  it("study: under final_pair the history check is asked about both members, gives one verdict, misses one", async () => {
    await open(page, `${site.url}studies/caregiver-boundaries.html`);
    const text = await page.locator("main").innerText();
    expect(text).toContain("This tests one authored boundary and no more");
    const final = fixtures().find(({ context }) => context === "final_pair");
    const of = (scenario: string) =>
      final?.judgments.find(
        (judgment) => judgment.scenario_id === scenario && judgment.check_id === "crisis.caregiver-history",
      );
    const [first, second] = [of("practical-pivot"), of("danger-in-recipient")];
    expect(first?.verdict).toBe(second?.verdict);
    expect(Math.min(first?.asked ?? 0, second?.asked ?? 0)).toBeGreaterThan(0);
    const row = page
      .locator(".final-pair tr", { hasText: "final pair only" })
      .filter({ hasText: "same bytes twice" })
      .first();
    expect(await row.count()).toBe(1);
    expect(await row.locator(".missed").count()).toBeGreaterThan(0);
  });

  it("scan: the four totals, of a study's scan and of a target-model scan", async () => {
    for (const bundle of [fixtures()[0], targets()[0]]) {
      if (bundle === undefined) throw new Error("a bundle of each claim is built");
      await open(page, `${site.url}scans/${bundle.scan}.html`);
      expect(await numbers(".total .big-number")).toEqual(verdictCounts(bundle.judgments));
      const fails = bundle.judgments.filter(({ verdict }) => verdict === "FAIL").length;
      expect(await page.locator(".plate-title", { hasText: /^\d+ FAIL$/ }).innerText()).toContain(`${fails} FAIL`);
    }
  });

  it("study: what trivial judges reach is what their own scans reached", async () => {
    for (const study of collections(fixtures())) {
      await open(page, `${site.url}studies/${study}.html`);
      const rows = await tableRows(page, 'table[aria-label="Trivial judges"]');
      for (const bundle of fixtures().filter(({ collection }) => collection === study)) {
        const row = rows.find(([name]) => name === label(bundle));
        if (row === undefined) continue;
        const [, expectations, , pairs] = row;
        expect(expectations, bundle.scan).toBe(met(bundle).join("/"));
        expect(pairs, bundle.scan).toBe(rateText(consistentPairs(bundle)));
      }
      expect(rows.map(([name]) => name)).toContain("constant:yes");
    }
  });

  it("scan: verdicts by target model, and FAIL of applicable of each check and model", async () => {
    const bundle = targets().find(({ judge }) => judge === "lexicon");
    if (bundle === undefined) throw new Error("a lexicon scan of the target run is built");
    await open(page, `${site.url}scans/${bundle.scan}.html`);
    const rows = await tableRows(page, 'table[aria-label="Verdicts by target model"]');
    expect(rows.map(([model]) => model)).toEqual([...MODELS].sort());
    for (const [model, conversations, , ...counts] of rows) {
      const own = bundle.judgments.filter(({ model_id }) => model_id === model);
      expect(conversations).toBe(String(new Set(own.map(({ scenario_id }) => scenario_id)).size));
      expect(counts.slice(0, 4)).toEqual(verdictCounts(own).map(String));
    }
    const cells = await tableRows(page, 'table[aria-label="Fail of applicable, by check and target model"]');
    expect(cells.length).toBe(new Set(bundle.judgments.map(({ check_id }) => check_id)).size);
    for (const [check, ...shares] of cells)
      for (const [i, model] of [...MODELS].sort().entries()) {
        const own = bundle.judgments.filter(({ model_id, check_id }) => model_id === model && check_id === check);
        const [pass = 0, fail = 0, unclear = 0] = verdictCounts(own);
        expect(shares[i]?.replace(/ \d.*%.*$/, ""), `${check} ${model}`).toBe(rateText([fail, pass + fail + unclear]));
      }
  });

  it("conversations: every one of a scan with its verdicts", async () => {
    for (const bundle of [fixtures()[0], targets()[0]]) {
      if (bundle === undefined) throw new Error("a bundle of each claim is built");
      await open(page, `${site.url}conversations.html?scan=${bundle.scan}`);
      const more = page.getByRole("button", { name: /^Show \d+ more$/ });
      while ((await more.count()) > 0) await more.click();
      const rows = await tableRows(page, 'table[aria-label="Conversations"]');
      const target = bundle.claim === "target_model_conversations";
      const shown = rows.map((row) => [
        row[0],
        ...(target ? [row[1]] : []),
        ...row.slice(target ? 3 : 2, target ? 7 : 6),
      ]);
      const keys = [...new Set(bundle.judgments.map((row) => JSON.stringify([row.scenario_id, row.model_id])))];
      const counted = keys.map((key) => {
        const own = bundle.judgments.filter((row) => JSON.stringify([row.scenario_id, row.model_id]) === key);
        const { scenario_id = "", model_id = "" } = own[0] ?? {};
        return [scenario_id, ...(target ? [model_id] : []), ...verdictCounts(own).map(String)];
      });
      expect(shown.map(String).sort(), bundle.scan).toEqual(counted.map(String).sort());
    }
  });

  it("confusion: every judge's 4 x 4, and a cell's rows", async () => {
    await open(page, `${site.url}confusion.html`);
    for (const bundle of fixtures()) expect(await shownMatrix(bundle.scan), bundle.scan).toEqual(confusion(bundle));
    const [study = ""] = collections(fixtures());
    await open(page, `${site.url}confusion.html?study=${study}`);
    expect(await page.locator(".matrix").count()).toBe(
      fixtures().filter(({ collection }) => collection === study).length,
    );
    const bundle = fixtures().find(({ judge }) => judge === "constant:yes");
    if (bundle === undefined) throw new Error("the constant judge is there");
    await open(page, `${site.url}confusion.html?scan=${bundle.scan}&expected=PASS&observed=FAIL#rows`);
    expect((await tableRows(page, 'table[aria-label="Rows of the chosen cell"]')).length).toBe(
      confusion(bundle)[0]?.[1],
    );
  });

  it("unclear: n/N by check and judge, over all and over applicable", async () => {
    await open(page, `${site.url}unclear.html`);
    for (const name of collections(bundles)) {
      const group = bundles.filter(({ collection }) => collection === name);
      const rows = await page
        .locator(`table[aria-label="UNCLEAR by check and judge, ${name}"] tbody tr`)
        .evaluateAll((found) =>
          found.map((row) =>
            [...(row as HTMLTableRowElement).cells].map((cell) =>
              (cell as HTMLElement).innerText.replace(/\s+/g, " ").trim(),
            ),
          ),
        );
      let check = "";
      const shown = new Map<string, string[]>();
      for (const row of rows) {
        if (row.length === 1) check = row[0] ?? "";
        else
          shown.set(
            `${check}|${row[0]?.replace(/ (baseline|development evidence)$/, "")}`,
            row.slice(1).map((cell) => cell.replace(/ \d.*$/, "")),
          );
      }
      for (const bundle of group)
        for (const check_id of new Set(bundle.judgments.map((judgment) => judgment.check_id))) {
          const [pass = 0, fail = 0, unclear = 0, na = 0] = verdictCounts(
            bundle.judgments.filter((judgment) => judgment.check_id === check_id),
          );
          const applicable = pass + fail + unclear;
          const text = (x: number, n: number): string => (n === 0 ? "- (0/0)" : `${x}/${n}`);
          expect(shown.get(`${check_id}|${label(bundle)}`), `${bundle.scan} ${check_id}`).toEqual([
            text(unclear, applicable + na),
            text(unclear, applicable),
            text(na, applicable + na),
          ]);
        }
    }
  });

  it("agreement: same verdicts over shared judgments for every pair of judges, each study and source run for itself", async () => {
    for (const name of collections(bundles)) {
      const group = bundles.filter(({ collection }) => collection === name);
      await open(page, `${site.url}agreement.html?over=${encodeURIComponent(name)}`);
      const rows = await tableRows(page, 'table[aria-label="Agreement of every pair"]');
      expect(rows.length).toBe((group.length * (group.length - 1)) / 2);
      for (const row of rows) {
        const names = (row[0] ?? "").replaceAll(" baseline", "").split(" with ");
        const [a, b] = names.map((name) => group.find((bundle) => label(bundle) === name));
        if (a === undefined || b === undefined) throw new Error(`unknown judges in ${row[0]}`);
        expect(row[1]?.split(" ")[0], row[0]).toBe(agreement(a, b).join("/"));
      }
    }
  });

  it("conversation: every verdict, and evidence marked exactly where the judgment cites it", async () => {
    const bundle = targets().find(({ judge }) => judge === "lexicon");
    const cited = bundle?.judgments.find((judgment) => judgment.verdict === "FAIL" && judgment.evidence.length > 0);
    if (bundle === undefined || cited === undefined) throw new Error("the lexicon fails something with evidence");
    await open(
      page,
      `${site.url}conversation.html?scan=${bundle.scan}&id=${encodeURIComponent(`${cited.model_id}/${cited.scenario_id}`)}&check=${cited.check_id}`,
    );
    for (const span of cited.evidence) {
      const marks = await page
        .locator(`#${span.role}-${span.turn} mark`)
        .evaluateAll((found) => found.map((mark) => mark.textContent));
      expect(marks.join("")).toContain(span.quote);
    }
    const own = bundle.judgments.filter(
      (judgment) => judgment.model_id === cited.model_id && judgment.scenario_id === cited.scenario_id,
    );
    const cards = await page
      .locator(".verdict-card")
      .evaluateAll((found) =>
        found.map((card) => [
          card.querySelector(".verdict-check")?.textContent,
          card.querySelector(".chip")?.className.replace("chip chip-", ""),
        ]),
      );
    const slug: Record<string, string> = { PASS: "pass", FAIL: "fail", UNCLEAR: "unclear", NOT_APPLICABLE: "na" };
    expect(Object.fromEntries(cards)).toEqual(
      Object.fromEntries(own.map((judgment) => [judgment.check_id, slug[judgment.verdict ?? ""]])),
    );
    expect(VERDICTS.length).toBe(4);
  });

  it("shows what a model wrote as text, whatever it wrote", async () => {
    const bundle = targets().find(({ judge }) => judge === "lexicon");
    const scenario = bundle?.judgments.find(
      ({ scenario_id, model_id }) => scenario_id === "scenario-05" && model_id === MODELS[0],
    );
    if (bundle === undefined || scenario === undefined) throw new Error("the hostile conversation is there");
    await open(
      page,
      `${site.url}conversation.html?scan=${bundle.scan}&id=${encodeURIComponent(`${scenario.model_id}/${scenario.scenario_id}`)}`,
    );
    expect(await page.locator("#assistant-1 .turn-text").evaluate((element) => element.textContent)).toContain(HOSTILE);
    expect(await page.locator(".transcript img, .transcript script, .transcript b, .transcript a").count()).toBe(0);
    expect(await page.evaluate(() => (window as unknown as { pwned?: number }).pwned)).toBeUndefined();
    await open(page, `${site.url}scans/${bundle.scan}.html`);
    await settled(page);
    expect(await page.locator("main img, main td script").count()).toBe(0);
    expect(await page.evaluate(() => (window as unknown as { pwned?: number }).pwned)).toBeUndefined();
  });
});
