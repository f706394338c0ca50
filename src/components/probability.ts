import { h, s } from "./dom.js";

export interface Band {
  low: number;
  high: number;
}

const WIDTH = 120;
const HEIGHT = 18;

/** P(yes) on a line from 0 to 1, with the open band drawn in: below it is no, above it is yes. */
export function probabilityStrip(p: number | null, band: Band = { low: 0.35, high: 0.65 }): HTMLElement {
  if (p === null) return h("span", { class: "quiet" }, "no answer");
  const reading = p >= band.high ? "yes" : p <= band.low ? "no" : "open";
  const x = (value: number): number => 4 + value * (WIDTH - 8);
  return h(
    "span",
    { class: "strip" },
    s(
      "svg",
      {
        viewBox: `0 0 ${WIDTH} ${HEIGHT}`,
        width: WIDTH,
        height: HEIGHT,
        role: "img",
        "aria-label": `probability of yes ${p.toFixed(2)}, read as ${reading}`,
      },
      s("rect", { class: "strip-band", x: x(band.low), y: 3, width: x(band.high) - x(band.low), height: HEIGHT - 6 }),
      s("path", { class: "strip-axis", d: `M${x(0)} ${HEIGHT / 2}H${x(1)}` }),
      [0, 1].map((end) => s("path", { class: "strip-axis", d: `M${x(end)} ${HEIGHT / 2 - 3}v6` })),
      s("circle", { class: `strip-dot strip-${reading}`, cx: x(p), cy: HEIGHT / 2, r: 4 }),
    ),
    h("span", { class: "strip-value" }, p.toFixed(2)),
    h("span", { class: `strip-reading strip-${reading}` }, reading),
  );
}
