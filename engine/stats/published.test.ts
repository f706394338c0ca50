import { describe, expect, it } from "vitest";
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

/** Agreement with a value printed with so many decimals: half a unit in the last one. */
function expectPrinted(value: number | null | undefined, printed: string): void {
  const decimals = printed.includes(".") ? printed.split(".")[1]!.length : 0;
  expect(value).not.toBeNull();
  expect(Math.abs((value ?? NaN) - Number(printed)), `${value} against ${printed}`).toBeLessThanOrEqual(
    0.5 * 10 ** -decimals + 1e-12,
  );
}

describe("intervals of a proportion", () => {
  it.each([
    // Newcombe 1998, Table I
    [81, 263, ".2553", ".3662", ".2527", ".3676"],
    [15, 148, ".0624", ".1605", ".0578", ".1617"],
    [0, 20, "0", ".1611", "0", ".1684"],
    [1, 29, ".0061", ".1718", ".0009", ".1776"],
    [13, 16, ".5699", ".9341", ".5435", ".9595"],
    [100, 200, ".4313609", ".5686391", ".4286584", ".5713416"],
  ])("%i of %i", (x, n, wilsonLow, wilsonHigh, exactLow, exactHigh) => {
    const [wilson, exact] = [wilsonInterval(x, n), clopperPearsonInterval(x, n)];
    expectPrinted(wilson?.[0], wilsonLow);
    expectPrinted(wilson?.[1], wilsonHigh);
    expectPrinted(exact?.[0], exactLow);
    expectPrinted(exact?.[1], exactHigh);
  });

  it("bounds used for planning a study's size", () => {
    expectPrinted(wilsonInterval(12, 12)?.[0], ".7575");
    expectPrinted(wilsonInterval(20, 20)?.[0], ".8389");
    expectPrinted(wilsonInterval(0, 50)?.[1], ".0713");
  });

  it("difference of proportions (Fagerland 2015)", () => {
    const difference = newcombeDifference(7, 34, 1, 34);
    expectPrinted(difference?.[0], ".019");
    expectPrinted(difference?.[1], ".34");
  });
});

describe("McNemar's exact test", () => {
  it.each([
    [121, 59, ".000004"],
    [70, 59, ".378688"],
    [80, 59, ".089452"],
    [30, 60, ".00206"],
    [10, 30, ".002221"],
    [10, 10, "1"],
    [6, 16, ".052479"],
    [1, 7, ".0703"],
  ])("%i against %i", (b, c, p) => expectPrinted(mcnemarExact(b, c).p, p));

  it.each([
    [6, 16, ".034690"],
    [1, 7, ".0391"],
  ])("mid-P of %i against %i", (b, c, midP) => expectPrinted(mcnemarExact(b, c).midP, midP));
});

describe("Cohen's kappa", () => {
  const table = [
    [0, 4, 1],
    [0, 8, 0],
    [0, 1, 5],
  ];
  it("value, standard error and interval", () => {
    const { kappa, se, ci } = cohenKappa(table);
    expectPrinted(kappa, ".4842");
    expectPrinted(se, ".1380");
    expectPrinted(ci?.[0], ".2137");
    expectPrinted(ci?.[1], ".7547");
  });
  it("linear weights", () => expectPrinted(cohenKappa(table, "linear").kappa, ".4701"));
  it.each([
    [20, 5, 10, 15, ".400"],
    [45, 15, 25, 15, ".1304"],
    [25, 35, 5, 35, ".2593"],
    [13, 0, 0, 20, "1"],
  ])("[[%i, %i], [%i, %i]]", (a, b, c, d, kappa) => {
    const matrix = [
      [a, b],
      [c, d],
    ];
    expectPrinted(cohenKappa(matrix).kappa, kappa);
  });
});

describe("Fleiss' kappa", () => {
  it("ten subjects, fourteen raters", () => {
    const rows = "0 0 0 0 14|0 2 6 4 2|0 0 3 5 6|0 3 9 2 0|2 2 8 1 1|7 7 0 0 0|3 2 6 3 0|2 5 3 2 2|6 5 2 1 0|0 2 2 3 7";
    expectPrinted(fleissKappa(rows.split("|").map((row) => row.split(" ").map(Number))).kappa, ".210");
  });
  it("psychiatric diagnoses (Fleiss 1971)", () => {
    const ratings =
      "444444 222555 233335 555555 222444 113333 333355 113334 114444 555555 144444 124444 222333 144444 224445 " +
      "333335 111455 111112 224444 133555 555555 244444 224555 114444 144445 222224 111155 224444 133333 555555";
    const table = ratings.split(" ").map((row) => "12345".split("").map((k) => row.split(k).length - 1));
    expectPrinted(fleissKappa(table).kappa, ".4302445");
  });
  it("two subjects, seven raters", () => {
    const table = [
      [6, 1, 0],
      [0, 7, 0],
    ];
    expectPrinted(fleissKappa(table).kappa, ".708333");
  });
});

/** One string a coder, one character a unit; `.` is missing. Units x coders. */
function units(...coders: string[]): (number | null)[][] {
  return Array.from(coders[0]!, (_, u) => coders.map((coder) => (coder[u] === "." ? null : Number(coder[u]))));
}
const fourCoders = units("123321412...", "1233224125.3", ".3332342251.", "12332441251.");

describe("Krippendorff's alpha", () => {
  it.each([
    ["nominal", ".743"],
    ["ordinal", ".815"],
    ["interval", ".849"],
    ["ratio", ".797"],
  ] as const)("four coders, twelve units, %s", (level, alpha) =>
    expectPrinted(krippendorffAlpha(fourCoders, level).alpha, alpha),
  );
  it.each([
    ["nominal", ".691358"],
    ["interval", ".810845"],
  ] as const)("three coders, fifteen units, %s", (level, alpha) => {
    const threeCoders = units(".....34121133.3", "1.213343.......", "..21344.21133.4");
    expectPrinted(krippendorffAlpha(threeCoders, level).alpha, alpha);
  });
  it("four units, three coders", () => {
    expect(krippendorffAlpha(units("1010", "1010", "1011"), "nominal").alpha).toBeCloseTo(1 - 132 / 420, 12);
  });
  it("units with a single value drop out", () => {
    const without = krippendorffAlpha(units("1010", "1010", "1011"), "nominal");
    expect(krippendorffAlpha(units("10101.", "1010..", "1011.0"), "nominal")).toEqual(without);
  });
});

describe("Gwet's AC1", () => {
  it("two raters, three categories", () => {
    const table = [
      [13, 0, 0],
      [0, 20, 7],
      [0, 4, 56],
    ];
    const { ac1, ci } = gwetAC1(table);
    expectPrinted(cohenKappa(table).kappa, ".796");
    expectPrinted(ac1, ".849");
    expectPrinted(ci?.[0], ".764");
    expectPrinted(ci?.[1], ".935");
  });
  it("four raters, twelve units, ratings missing", () => {
    const { ac1, se } = gwetAC1Raters(fourCoders);
    expectPrinted(ac1, ".775");
    expectPrinted(se, ".143");
    // The printed parts, agreement .818 and chance .190, give the same value.
    expect(Math.abs((0.818 - 0.19) / (1 - 0.19) - (ac1 ?? NaN))).toBeLessThan(1e-3);
  });
});

describe("why a baseline stands beside every agreement figure: 87 items, 10 FAIL and 77 PASS", () => {
  it.each([
    ["A", 7, 16, ".685", ".314"],
    ["B", 6, 18, ".631", ".228"],
    ["C", 5, 16, ".659", ".198"],
    ["D", 3, 4, ".846", ".285"],
    ["always PASS", 0, 0, ".871", "0"],
  ])("%s", (_, caught, failed, ac1, kappa) => {
    const table = [
      [caught, 10 - caught],
      [failed, 77 - failed],
    ];
    expectPrinted(gwetAC1(table).ac1, ac1);
    expectPrinted(cohenKappa(table).kappa, kappa);
  });
});
