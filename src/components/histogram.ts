import { s } from "./dom.js";
import type { Band } from "./probability.js";

const WIDTH = 168;
const HEIGHT = 40;
const LEFT = 1;

/**
 * Counts over ten equal bins of a probability, the open band drawn behind them. Heights are shares of the fullest bin:
 * the shape is what it shows, the counts are said beside it and in its label.
 */
export function histogram(bins: readonly number[], band: Band): SVGElement {
  const most = Math.max(1, ...bins);
  const total = bins.reduce((sum, n) => sum + n, 0);
  const x = (p: number): number => LEFT + p * (WIDTH - 2 * LEFT);
  const base = HEIGHT - 6;
  const label = bins.map((n, i) => `${(i / 10).toFixed(1)} to ${((i + 1) / 10).toFixed(1)}: ${n}/${total}`).join("; ");
  return s(
    "svg",
    {
      class: "histogram",
      viewBox: `0 0 ${WIDTH} ${HEIGHT}`,
      width: WIDTH,
      height: HEIGHT,
      role: "img",
      "aria-label": label,
    },
    s("title", {}, label),
    s("rect", { class: "strip-band", x: x(band.low), y: 0, width: x(band.high) - x(band.low), height: base }),
    bins.map((n, i) => {
      const height = n === 0 ? 0 : Math.max(1.5, (n / most) * (base - 2));
      return s("rect", {
        class: "histogram-bin",
        x: x(i / 10) + 0.75,
        width: x((i + 1) / 10) - x(i / 10) - 1.5,
        y: base - height,
        height,
      });
    }),
    s("path", { class: "strip-axis", d: `M${x(0)} ${base}H${x(1)}` }),
    [0, band.low, band.high, 1].map((p) => s("path", { class: "strip-axis", d: `M${x(p)} ${base}v4` })),
  );
}
