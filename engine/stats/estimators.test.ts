import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { bisect, logGamma, normalCdf, normalWidth, studentWidth } from "./distributions.ts";
import {
  clopperPearsonInterval,
  cohenKappa,
  fleissKappa,
  gwetAC1,
  gwetAC1Raters,
  krippendorffAlpha,
  mcnemarExact,
  newcombeDifference,
  wilsonInterval,
} from "./index.ts";

// Each estimator against a second, slow implementation straight from its definition.
const close = (a: number | null | undefined, b: number, tolerance = 1e-12): void => {
  expect(Math.abs((a ?? NaN) - b), `${a} against ${b}`).toBeLessThanOrEqual(tolerance * Math.max(1, Math.abs(b)));
};
const proportion = fc.nat({ max: 400 }).chain((n) => fc.tuple(fc.nat({ max: n }), fc.constant(n)));
const someProportion = proportion.filter(([, n]) => n > 0);
const level = fc.constantFrom(0.5, 0.8, 0.9, 0.95, 0.99, 0.999);
const matrix = fc
  .integer({ min: 2, max: 4 })
  .chain((q) =>
    fc.array(fc.array(fc.nat({ max: 12 }), { minLength: q, maxLength: q }), { minLength: q, maxLength: q }),
  );
const range = (n: number): number[] => Array.from({ length: n }, (_, i) => i);
const sum = (values: readonly number[]): number => values.reduce((a, b) => a + b, 0);
/** The items a matrix counts, each as its two ratings. */
const items = (table: readonly (readonly number[])[]): [number, number][] =>
  table.flatMap((row, i) => row.flatMap((count, j) => range(count).map((): [number, number] => [i, j])));
const mean = (values: readonly number[]): number => sum(values) / values.length;

describe("distributions", () => {
  it("printed quantiles", () => {
    close(normalWidth(0.95), 1.959963984540054);
    close(normalWidth(0.99), 2.575829303548901);
    close(normalWidth(0.999999), 4.891638475698973, 1e-9);
    close(studentWidth(0.95, 1), 12.706204736174698);
    close(studentWidth(0.95, 10), 2.2281388519862744);
    close(studentWidth(0.95, 99), 1.9842169515864165);
  });
  it("the normal's two forms meet, and integrate its density", () => {
    for (const z of [-4, -2.999999, -1, 0, 0.5, 2.5, 3, 3.000001, 5]) {
      const steps = 200_000;
      const width = Math.abs(z) / steps;
      const area =
        sum(range(steps).map((i) => Math.exp(-(((i + 0.5) * width) ** 2) / 2))) * (width / Math.sqrt(2 * Math.PI));
      close(normalCdf(z), 0.5 + Math.sign(z) * area, 1e-10);
    }
  });
  it("factorials", () => {
    let logFactorial = 0;
    for (let n = 1; n < 200; n++) {
      close(logGamma(n), logFactorial, 1e-14);
      logFactorial += Math.log(n);
    }
    close(logGamma(0.5), Math.log(Math.PI) / 2, 1e-14);
  });
});

describe("intervals", () => {
  it("Wilson solves the score equation", () => {
    fc.assert(
      fc.property(someProportion, level, ([x, n], level) => {
        const z = normalWidth(level);
        const outside = (p: number) => (x / n - p) ** 2 > (z * z * p * (1 - p)) / n;
        const [low, high] = wilsonInterval(x, n, level)!;
        close(low, x === 0 ? 0 : bisect(outside, 0, x / n));
        close(high, x === n ? 1 : bisect((p) => !outside(p), x / n, 1));
      }),
    );
  });
  it("Clopper-Pearson puts half of what is left in each binomial tail", () => {
    const tail = (n: number, from: number, to: number, p: number) => {
      let total = 0;
      for (let k = from; k <= to; k++) {
        let term = 1;
        // Factors in an order that keeps the product near 1.
        let [up, ps, qs] = [1, k, n - k];
        while (up <= k || ps > 0 || qs > 0) {
          if (term < 1 && up <= k) term *= (n - k + up) / up++;
          else if (ps > 0) [term, ps] = [term * p, ps - 1];
          else if (qs > 0) [term, qs] = [term * (1 - p), qs - 1];
          else term *= (n - k + up) / up++;
        }
        total += term;
      }
      return total;
    };
    const small = fc.integer({ min: 1, max: 60 }).chain((n) => fc.tuple(fc.nat({ max: n }), fc.constant(n)));
    fc.assert(
      fc.property(small, level, ([x, n], level) => {
        const half = (1 - level) / 2;
        const [low, high] = clopperPearsonInterval(x, n, level)!;
        close(low, x === 0 ? 0 : bisect((p) => tail(n, x, n, p) < half, 0, 1));
        close(high, x === n ? 1 : bisect((p) => tail(n, 0, x, p) > half, 0, 1));
      }),
      { numRuns: 40 },
    );
  });
  it("a difference's interval mirrors, and holds the difference", () => {
    fc.assert(
      fc.property(someProportion, someProportion, level, ([x1, n1], [x2, n2], level) => {
        const [low, high] = newcombeDifference(x1, n1, x2, n2, level)!;
        const [mirroredLow, mirroredHigh] = newcombeDifference(x2, n2, x1, n1, level)!;
        close(low, -mirroredHigh);
        close(high, -mirroredLow);
        const d = x1 / n1 - x2 / n2;
        expect(low <= d && d <= high).toBe(true);
      }),
    );
  });
  it("nothing observed has no interval; impossible counts are refused", () => {
    expect(wilsonInterval(0, 0)).toBeNull();
    expect(clopperPearsonInterval(0, 0)).toBeNull();
    expect(newcombeDifference(0, 0, 1, 2)).toBeNull();
    for (const [x, n] of [
      [2, 1],
      [-1, 3],
      [0.5, 1],
      [NaN, 1],
      [1, Infinity],
    ] as const) {
      expect(() => wilsonInterval(x, n)).toThrow(RangeError);
      expect(() => clopperPearsonInterval(x, n)).toThrow(RangeError);
    }
    expect(() => wilsonInterval(1, 2, 95)).toThrow(RangeError);
  });
});

describe("McNemar", () => {
  it("is the exact binomial test in whole numbers", () => {
    const choose = (n: bigint, k: bigint): bigint => {
      let result = 1n;
      for (let i = 1n; i <= k; i++) result = (result * (n - k + i)) / i;
      return result;
    };
    const ratio = (a: bigint, b: bigint): number => Number((a * 10n ** 30n) / b) / 1e30;
    fc.assert(
      fc.property(fc.nat({ max: 200 }), fc.nat({ max: 200 }), (b, c) => {
        fc.pre(b + c > 0);
        const n = BigInt(b + c);
        const all = range(b + c + 1).map((k) => choose(n, BigInt(k)));
        const point = all[b]!;
        // As likely as what was seen, or less: for a fair coin that is both tails.
        const asExtreme = all.filter((count) => count <= point).reduce((x, y) => x + y, 0n);
        const { p, midP } = mcnemarExact(b, c);
        const equals = b === c ? 1n : 2n;
        close(p, ratio(asExtreme, 2n ** n));
        close(midP, ratio(2n * asExtreme - equals * point, 2n * 2n ** n));
      }),
    );
  });
  it("without discordant pairs is undefined", () => {
    expect(mcnemarExact(0, 0)).toEqual({ p: null, midP: null, reason: "no discordant pairs" });
    expect(() => mcnemarExact(-1, 2)).toThrow(RangeError);
  });
});

describe("Cohen's kappa", () => {
  it("compares every item with every pair of strangers", () => {
    fc.assert(
      fc.property(matrix, fc.constantFrom("none", "linear", "quadratic"), (table, weights) => {
        const all = items(table);
        fc.pre(all.length > 0 && new Set(all.flat()).size > 1);
        const q = table.length;
        const away = (i: number, j: number) =>
          weights === "none" ? Number(i !== j) : (Math.abs(i - j) / (q - 1)) ** (weights === "linear" ? 1 : 2);
        const observed = mean(all.map(([i, j]) => away(i, j)));
        const expected = mean(all.flatMap(([i]) => all.map(([, j]) => away(i, j))));
        close(cohenKappa(table, weights).kappa, 1 - observed / expected, 1e-11);
      }),
      { numRuns: 60 },
    );
  });
  it("standard error in the form Fleiss, Cohen and Everitt print", () => {
    fc.assert(
      fc.property(matrix, (table) => {
        const n = sum(table.flat());
        const { kappa, se } = cohenKappa(table);
        fc.pre(n > 0 && kappa !== null);
        const p = (i: number, j: number) => table[i]![j]! / n;
        const all = range(table.length);
        const row = (i: number) => sum(all.map((j) => p(i, j)));
        const column = (j: number) => sum(all.map((i) => p(i, j)));
        const pe = sum(all.map((i) => row(i) * column(i)));
        const a = sum(all.map((i) => p(i, i) * (1 - (row(i) + column(i)) * (1 - kappa)) ** 2));
        const b =
          (1 - kappa) ** 2 *
          sum(all.flatMap((i) => all.map((j) => (i === j ? 0 : p(i, j) * (column(i) + row(j)) ** 2))));
        const c = (kappa - pe * (1 - kappa)) ** 2;
        close(se ** 2, Math.max(0, a + b - c) / (n * (1 - pe) ** 2), 1e-11);
      }),
    );
  });
  it("is undefined where chance agreement is complete", () => {
    expect(
      cohenKappa([
        [0, 0],
        [0, 0],
      ]),
    ).toMatchObject({ kappa: null, se: null, ci: null, reason: "no items" });
    expect(
      cohenKappa([
        [9, 0],
        [0, 0],
      ]).reason,
    ).toMatch(/one category/);
    expect(cohenKappa([]).reason).toBe("no items");
    expect(() => cohenKappa([[1, 2]])).toThrow(RangeError);
    expect(() =>
      cohenKappa([
        [1, NaN],
        [0, 1],
      ]),
    ).toThrow(RangeError);
  });
});

describe("Fleiss' kappa", () => {
  it("counts agreeing pairs of raters", () => {
    const ratings = fc
      .integer({ min: 2, max: 6 })
      .chain((m) =>
        fc.array(fc.array(fc.nat({ max: 3 }), { minLength: m, maxLength: m }), { minLength: 1, maxLength: 8 }),
      );
    fc.assert(
      fc.property(ratings, (subjects) => {
        fc.pre(new Set(subjects.flat()).size > 1);
        const m = subjects[0]!.length;
        const pairs = range(m).flatMap((a) => range(m).flatMap((b) => (a === b ? [] : [[a, b] as const])));
        const observed = mean(subjects.flatMap((row) => pairs.map(([a, b]) => Number(row[a] === row[b]))));
        const every = subjects.flat();
        const expected = mean(every.flatMap((a) => every.map((b) => Number(a === b))));
        const table = subjects.map((row) => range(4).map((k) => row.filter((rating) => rating === k).length));
        close(fleissKappa(table).kappa, (observed - expected) / (1 - expected));
      }),
    );
  });
  it("says why it is undefined", () => {
    expect(fleissKappa([])).toEqual({ kappa: null, reason: "no subjects" });
    expect(fleissKappa([[1, 0]]).reason).toBe("fewer than two raters");
    expect(
      fleissKappa([
        [2, 0],
        [1, 0],
      ]).reason,
    ).toMatch(/unequal/);
    expect(
      fleissKappa([
        [3, 0],
        [3, 0],
      ]).reason,
    ).toBe("only one category was used");
  });
});

describe("Krippendorff's alpha", () => {
  const cells = fc.array(
    fc.array(fc.option(fc.integer({ min: 1, max: 5 }), { nil: null, freq: 4 }), { minLength: 3, maxLength: 3 }),
    { minLength: 1, maxLength: 8 },
  );
  it("compares every pair of values within units and over all", () => {
    fc.assert(
      fc.property(cells, fc.constantFrom("nominal", "ordinal", "interval", "ratio"), (table, level) => {
        const units = table.map((row) => row.filter((v) => v !== null)).filter((row) => row.length > 1);
        const values = units.flat();
        fc.pre(new Set(values).size > 1);
        const distance = (a: number, b: number): number => {
          const [low, high] = [Math.min(a, b), Math.max(a, b)];
          if (level === "nominal") return Number(a !== b);
          if (level === "interval") return (a - b) ** 2;
          if (level === "ratio") return ((a - b) / (a + b)) ** 2;
          const count = (v: number) => values.filter((other) => other === v).length;
          const between = values.filter((v) => v >= low && v <= high).length;
          return (between - (count(low) + count(high)) / 2) ** 2;
        };
        const apart = (list: number[]) =>
          list.flatMap((a, i) => list.flatMap((b, j) => (i === j ? [] : [distance(a, b)])));
        const observed = sum(units.map((unit) => sum(apart(unit)) / (unit.length - 1))) / values.length;
        close(krippendorffAlpha(table, level).alpha, 1 - observed / mean(apart(values)));
      }),
    );
  });
  it("says why it is undefined", () => {
    expect(krippendorffAlpha([], "nominal")).toEqual({ alpha: null, reason: "no unit has two values" });
    expect(krippendorffAlpha([[1, null]], "nominal").reason).toBe("no unit has two values");
    expect(
      krippendorffAlpha(
        [
          [1, 1],
          [1, 1],
        ],
        "interval",
      ).reason,
    ).toBe("all values are equal");
    expect(() => krippendorffAlpha([[1, NaN]], "interval")).toThrow(RangeError);
    expect(() => krippendorffAlpha([[1, -1]], "ratio")).toThrow(RangeError);
  });
});

describe("Gwet's AC1", () => {
  it("compares ratings with chance over hard items, and units among themselves for its error", () => {
    fc.assert(
      fc.property(matrix, (table) => {
        const all = items(table);
        fc.pre(all.length > 1);
        const q = table.length;
        const share = range(q).map((k) => mean(all.flat().map((rating) => Number(rating === k))));
        const chance = sum(share.map((p) => p * (1 - p))) / (q - 1);
        const observed = mean(all.map(([i, j]) => Number(i === j)));
        const ac1 = (observed - chance) / (1 - chance);
        const found = gwetAC1(table);
        close(found.ac1, ac1);
        // Linearized: each item's share of the estimate, by the derivative of (pa - pe) / (1 - pe).
        const parts = all.map(([i, j]) => {
          const ownChance = (1 - share[i]! + (1 - share[j]!)) / 2 / (q - 1);
          return (Number(i === j) - chance) / (1 - chance) - (2 * (1 - ac1) * (ownChance - chance)) / (1 - chance);
        });
        close(found.se! ** 2, mean(parts.map((part) => (part - mean(parts)) ** 2)) / all.length, 1e-10);
        // The several-rater form divides by n - 1 where the two-rater form divides by n.
        const raters = gwetAC1Raters(all, range(q));
        close(raters.ac1, ac1);
        close(raters.se! ** 2 * (all.length - 1), found.se! ** 2 * all.length, 1e-10);
      }),
    );
  });
  it("is defined where every item is in one category, where kappa is not", () => {
    expect(
      gwetAC1([
        [9, 0],
        [0, 0],
      ]),
    ).toMatchObject({ ac1: 1, se: 0 });
  });
  it("says why it is undefined", () => {
    expect(
      gwetAC1([
        [0, 0],
        [0, 0],
      ]).reason,
    ).toBe("no items");
    expect(gwetAC1([[4]]).reason).toBe("fewer than two categories");
    expect(
      gwetAC1([
        [1, 0],
        [0, 0],
      ]),
    ).toMatchObject({ ac1: 1, se: null, ci: null });
    expect(gwetAC1Raters([["a", null]], ["a", "b"]).reason).toBe("no unit has two ratings");
    expect(gwetAC1Raters([["a", "a"]]).reason).toBe("fewer than two categories");
    expect(() => gwetAC1Raters([["a", "c"]], ["a", "b"])).toThrow(RangeError);
  });
});

it("no estimator returns NaN or infinity", () => {
  fc.assert(
    fc.property(matrix, (table) => {
      const units = table.map((row) => row.map((value) => (value > 9 ? null : value)));
      const results: unknown[] = [
        cohenKappa(table),
        cohenKappa(table, "quadratic"),
        gwetAC1(table),
        gwetAC1Raters(units),
        fleissKappa(table),
        krippendorffAlpha(units, "ordinal"),
        krippendorffAlpha(units, "ratio"),
      ];
      const numbers = (value: unknown): number[] =>
        typeof value === "number"
          ? [value]
          : typeof value === "object" && value
            ? Object.values(value).flatMap(numbers)
            : [];
      for (const number of results.flatMap(numbers)) expect(Number.isFinite(number)).toBe(true);
    }),
  );
});
