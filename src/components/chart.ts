import * as Plot from "npm:@observablehq/plot";
import { h } from "./dom.js";
import { MIN_FOR_PERCENT, rateText, wilson } from "./rate.js";

export interface RateBar {
  label: string;
  /** A colour group such as the judge; one bar each where given. */
  series?: string;
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
  width?: number;
  axis?: string;
}

/** Horizontal bars of a rate from 0 to 1, each with its n/N at the end. Rates over nothing have no bar. */
export function rateBars(data: readonly RateBar[], options: RateChartOptions): HTMLElement {
  const faceted = data.some((d) => d.series !== undefined);
  const longest = Math.max(0, ...data.map((d) => (d.series ?? d.label).length));
  const marks = data.map((d) => ({
    ...d,
    share: d.total === 0 ? 0 : d.count / d.total,
    text: rateText(d.count, d.total),
    ci: wilson(d.count, d.total),
  }));
  const y = faceted ? "series" : "label";
  const plot = Plot.plot({
    width: options.width ?? 680,
    marginLeft: Math.min(260, 14 + longest * 6.4),
    marginRight: 76,
    marginBottom: 44,
    height: 62 + data.length * 24 + (faceted ? new Set(data.map((d) => d.label)).size * 6 : 0),
    ariaLabel: options.label,
    style: { background: "transparent", fontSize: "12px", color: "var(--ink)" },
    x: {
      domain: [0, 1],
      label: options.axis ?? "share of all judgments",
      labelAnchor: "center",
      labelArrow: "none",
      labelOffset: 38,
      ticks: 5,
      tickFormat: (d: number) => `${100 * d} %`,
      grid: true,
    },
    y: { label: null, domain: [...new Set(marks.map((d) => d[y] ?? ""))], tickSize: 0 },
    ...(faceted && { fy: { label: null, domain: [...new Set(marks.map((d) => d.label))] } }),
    marks: [
      Plot.ruleX([0], { stroke: "var(--ink)" }),
      Plot.barX(marks, {
        x: "share",
        y,
        ...(faceted && { fy: "label" }),
        fill: `var(--${options.verdict}-tint)`,
        stroke: `var(--${options.verdict})`,
        insetTop: 3,
        insetBottom: 3,
      }),
      options.interval === true
        ? Plot.ruleY(
            marks.filter((d) => d.ci !== null && d.total >= MIN_FOR_PERCENT),
            {
              x1: (d: { ci: [number, number] }) => d.ci[0],
              x2: (d: { ci: [number, number] }) => d.ci[1],
              y,
              ...(faceted && { fy: "label" }),
              stroke: "var(--ink)",
              strokeWidth: 1.5,
            },
          )
        : null,
      Plot.text(marks, {
        x: (d: (typeof marks)[number]) =>
          options.interval === true && d.ci !== null && d.total >= MIN_FOR_PERCENT ? d.ci[1] : d.share,
        y,
        ...(faceted && { fy: "label" }),
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
  return h("div", { class: "chart" }, plot);
}
