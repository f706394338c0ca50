import { describe, expect, it } from "vitest";
import { progressLine, progressPrinter } from "./progress.ts";

const at = (done: number) => ({ done, planned: 200, errors: 0, spent_usd: 0, ceiling_usd: 0 });

function printed(isTTY: boolean, times: readonly number[]): string[] {
  const lines: string[] = [];
  const clock = [0, ...times];
  const { show, end } = progressPrinter({ write: (text) => lines.push(text), isTTY }, () => clock.shift() ?? 0);
  times.forEach((_, i) => show(at((i + 1) * 10)));
  end();
  return lines;
}

describe("progress", () => {
  it("says done of planned, spent of ceiling, rate and time left", () => {
    expect(progressLine(at(50), 5)).toBe("50/200 answered, 0/0 USD, 5.0/s, 30 s left");
    expect(progressLine({ ...at(50), errors: 2, spent_usd: 0.0123, ceiling_usd: 1 }, 0)).toBe(
      "50/200 answered, 2 errors, 0.0123/1.0000 USD, 0.0/s, unknown left",
    );
    expect(progressLine({ ...at(0), planned: 100_000 }, 10)).toContain("2 h 47 min left");
  });

  it("rewrites one line on a terminal and clears it", () => {
    const lines = printed(true, [100, 150, 400]);
    expect(lines).toHaveLength(3);
    expect(lines.every((line) => line.startsWith("\r\u001b[K") && !line.includes("\n"))).toBe(true);
    expect(lines.at(-1)).toBe("\r\u001b[K");
  });

  it("writes a line every few seconds elsewhere", () => {
    expect(printed(false, [100, 4900])).toEqual([]);
    const lines = printed(false, [100, 5100, 5200, 11000]);
    expect(lines).toHaveLength(2);
    expect(lines.every((line) => line.endsWith("left\n") && !line.includes("\u001b"))).toBe(true);
  });
});
