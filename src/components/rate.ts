import { h } from "./dom.js";

export type Claim = "development_exemplars" | "frozen_validation_cases" | "target_model_conversations";

/** Below this many conversations a percentage would say more than the data does. */
export const MIN_FOR_PERCENT = 30;

/** Wilson score interval at 95 %, or null for an empty denominator. */
export function wilson(x: number, n: number, z = 1.959963984540054): [number, number] | null {
  if (!(n > 0)) return null;
  const p = x / n;
  const z2 = z * z;
  const center = (p + z2 / (2 * n)) / (1 + z2 / n);
  const half = (z / (1 + z2 / n)) * Math.sqrt((p * (1 - p)) / n + z2 / (4 * n * n));
  return [Math.max(0, center - half), Math.min(1, center + half)];
}

/** True where a percentage with its interval may be shown beside n/N. */
export function allowsPercent(total: number, claim: Claim | undefined): boolean {
  return claim === "target_model_conversations" && total >= MIN_FOR_PERCENT;
}

export function percent(share: number): string {
  return `${(100 * share).toFixed(share >= 0.0005 && share < 0.1 ? 1 : 0)} %`;
}

/** "12/40", or "- (0/0)" where nothing is counted: an empty denominator is never 0 %. */
export function rateText(count: number, total: number): string {
  return total === 0 ? "- (0/0)" : `${count}/${total}`;
}

/** A rate as n/N; a percentage and its interval only where the claim and N support them. `href` opens the rows. */
export function rate(
  count: number,
  total: number,
  options: { claim?: Claim | undefined; href?: string | undefined; label?: string } = {},
): HTMLElement {
  const text = rateText(count, total);
  const main =
    options.href === undefined || total === 0
      ? h("span", { class: "rate-n" }, text)
      : h(
          "a",
          { class: "rate-n", href: options.href, "aria-label": options.label && `${text}: ${options.label}` },
          text,
        );
  const interval = allowsPercent(total, options.claim) ? wilson(count, total) : null;
  return h(
    "span",
    { class: "rate" },
    main,
    interval &&
      h(
        "span",
        { class: "rate-ci" },
        ` ${percent(count / total)} [${percent(interval[0]).replace(" %", "")}–${percent(interval[1])}]`,
      ),
  );
}

/** A number that opens the rows it counts. */
export function count(value: number, href?: string, label?: string): HTMLElement {
  const text = String(value);
  return href === undefined || value === 0
    ? h("span", { class: "num" }, text)
    : h("a", { class: "num", href, "aria-label": label && `${text} ${label}` }, text);
}
