import { h, hidden, s } from "./dom.js";
import type { Child } from "./dom.js";

export type Verdict = "PASS" | "FAIL" | "UNCLEAR" | "NOT_APPLICABLE";

/** The one order of every table, chart and list. */
export const VERDICTS: readonly Verdict[] = ["PASS", "FAIL", "UNCLEAR", "NOT_APPLICABLE"];

const SHORT: Record<Verdict, string> = { PASS: "Pass", FAIL: "Fail", UNCLEAR: "Unclear", NOT_APPLICABLE: "N/A" };
const SLUG: Record<Verdict, string> = { PASS: "pass", FAIL: "fail", UNCLEAR: "unclear", NOT_APPLICABLE: "na" };

export function isVerdict(value: unknown): value is Verdict {
  return VERDICTS.some((verdict) => verdict === value);
}
export const verdictShort = (verdict: Verdict): string => SHORT[verdict];
export const verdictSlug = (verdict: Verdict): string => SLUG[verdict];

/** The shape of a verdict: disc, diamond, split disc, dash. It tells verdicts apart without any colour. */
export function verdictMark(verdict: Verdict): SVGElement {
  const shape: Record<Verdict, () => Child[]> = {
    PASS: () => [s("circle", { cx: 6, cy: 6, r: 4.5, fill: "currentColor" })],
    FAIL: () => [s("path", { d: "M6 0.6 11.4 6 6 11.4 0.6 6Z", fill: "currentColor" })],
    UNCLEAR: () => [
      s("circle", { cx: 6, cy: 6, r: 4.1, fill: "none", stroke: "currentColor", "stroke-width": 1.3 }),
      s("path", { d: "M6 1.9a4.1 4.1 0 0 1 0 8.2Z", fill: "currentColor" }),
    ],
    NOT_APPLICABLE: () => [s("path", { d: "M1.5 6h9", stroke: "currentColor", "stroke-width": 2 })],
  };
  return s(
    "svg",
    { class: "mark", viewBox: "0 0 12 12", width: 12, height: 12, "aria-hidden": "true" },
    shape[verdict](),
  );
}

/** Colour, shape and word together. `null` is "not judged": no verdict exists, which is not UNCLEAR. */
export function verdictChip(verdict: Verdict | null, options: { href?: string; title?: string } = {}): HTMLElement {
  const body: Child[] =
    verdict === null
      ? [h("span", { class: "mark mark-none", "aria-hidden": "true" }, "·"), "not judged"]
      : [verdictMark(verdict), SHORT[verdict], verdict === "NOT_APPLICABLE" ? hidden(" (not applicable)") : null];
  const attributes = { class: `chip chip-${verdict === null ? "none" : SLUG[verdict]}`, title: options.title };
  return options.href === undefined ? h("span", attributes, body) : h("a", { ...attributes, href: options.href }, body);
}

/** The verdicts still possible, for UNCLEAR: each as a chip, joined by "or". */
export function possibleChips(possible: readonly string[]): HTMLElement {
  const chips = possible.filter(isVerdict).map((verdict) => verdictChip(verdict));
  return h(
    "span",
    { class: "possible" },
    chips.flatMap((chip, i) => (i === 0 ? [chip] : [" or ", chip])),
  );
}

export type VerdictCounts = Partial<Record<Verdict, number>>;

/** A stacked bar of counts; patterns repeat what the colours say, the numbers stand beside it in the table. */
export function verdictBar(counts: VerdictCounts): HTMLElement {
  const total = VERDICTS.reduce((sum, verdict) => sum + (counts[verdict] ?? 0), 0);
  const label = VERDICTS.map((verdict) => `${SHORT[verdict]} ${counts[verdict] ?? 0}`).join(", ");
  return h(
    "span",
    { class: "verdict-bar", role: "img", "aria-label": `${label}, of ${total}` },
    VERDICTS.filter((verdict) => (counts[verdict] ?? 0) > 0).map((verdict) =>
      h("span", { class: `seg seg-${SLUG[verdict]}`, style: { "flex-grow": String(counts[verdict] ?? 0) } }),
    ),
  );
}

/** Which mark means which verdict, once a page. */
export function verdictLegend(): HTMLElement {
  return h(
    "p",
    { class: "legend" },
    VERDICTS.map((verdict) => verdictChip(verdict)),
  );
}
