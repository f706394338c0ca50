import * as Plot from "npm:@observablehq/plot";
import { h } from "./dom.js";
import { MIN_FOR_PERCENT, rateText, wilson } from "./rate.js";

export interface RateBar {
  label: string;
  count: number;
  total: number;
}

export interface RateChartOptions {
  /** Said to a screen reader instead of the picture. */
  label: string;
  /** The verdict whose rate it is: it gives the colour. */
  verdict: "pass" | "fail" | "unclear" | "na";
  /** Draw the Wilson interval; only for target-model conversations with enough of them. */
  interval?: boolean;
  axis?: string;
}

const WIDEST = 760;

/** Horizontal bars of a rate from 0 to 1, each with its n/N at the end, as wide as there is room for. */
export function rateBars(data: readonly RateBar[], options: RateChartOptions): HTMLElement {
  const place = h("div", { class: "chart" }, draw(data, options, WIDEST));
  let drawn = WIDEST;
  new ResizeObserver(([entry]) => {
    const width = Math.round(Math.min(WIDEST, Math.max(300, entry?.contentRect.width ?? WIDEST)));
    if (width === drawn) return;
    drawn = width;
    place.replaceChildren(draw(data, options, width));
  }).observe(place);
  return place;
}

function draw(data: readonly RateBar[], options: RateChartOptions, width: number): Element {
  const marks = data.map((d, i) => ({
    ...d,
    i,
    share: d.total === 0 ? 0 : d.count / d.total,
    text: rateText(d.count, d.total),
    ci: options.interval === true && d.total >= MIN_FOR_PERCENT ? wilson(d.count, d.total) : null,
  }));
  const longest = Math.max(0, ...data.map((d) => d.label.length));
  const plot = Plot.plot({
    width,
    marginLeft: Math.min(width * 0.42, 14 + longest * 6.2),
    marginRight: 76,
    marginBottom: 44,
    height: 62 + data.length * 24,
    ariaLabel: options.label,
    style: { background: "transparent", fontSize: "12px", color: "var(--ink)" },
    x: {
      domain: [0, 1],
      label: options.axis ?? "share of all judgments",
      labelAnchor: "center",
      labelArrow: "none",
      labelOffset: 38,
      ticks: width < 480 ? 2 : 5,
      tickFormat: (d: number) => `${100 * d} %`,
      grid: true,
    },
    // Bars are placed by their number: two judges may read alike.
    y: {
      label: null,
      type: "band",
      domain: marks.map((d) => d.i),
      tickSize: 0,
      tickFormat: (i: number) => marks[i]?.label ?? "",
    },
    marks: [
      Plot.ruleX([0], { stroke: "var(--ink)" }),
      Plot.barX(marks, {
        x: "share",
        y: "i",
        fill: `var(--${options.verdict}-tint)`,
        stroke: `var(--${options.verdict})`,
        insetTop: 3,
        insetBottom: 3,
      }),
      Plot.ruleY(
        marks.filter((d) => d.ci !== null),
        {
          x1: (d: { ci: [number, number] }) => d.ci[0],
          x2: (d: { ci: [number, number] }) => d.ci[1],
          y: "i",
          stroke: "var(--ink)",
          strokeWidth: 1.5,
        },
      ),
      Plot.text(marks, {
        x: (d: (typeof marks)[number]) => d.ci?.[1] ?? d.share,
        y: "i",
        text: "text",
        dx: 6,
        textAnchor: "start",
        fill: "var(--ink-2)",
      }),
    ],
  });
  plot.setAttribute("role", "img");
  // Inside an image there are no further parts to name, and a plain group may not carry a name.
  for (const group of plot.querySelectorAll("g[aria-label]")) group.removeAttribute("aria-label");
  return plot;
}
