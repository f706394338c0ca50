/** Textbook estimators, pure. Undefined results are null with a reason, never NaN; impossible arguments a RangeError. */
export { clopperPearsonInterval } from "./clopper-pearson.ts";
export { cohenKappa, type CohenKappa } from "./cohen.ts";
export { fleissKappa, type FleissKappa } from "./fleiss.ts";
export { gwetAC1, gwetAC1Raters, type GwetAC1 } from "./gwet.ts";
export type { Interval } from "./interval.ts";
export { krippendorffAlpha, type Alpha, type Level } from "./krippendorff.ts";
export type { Matrix } from "./matrix.ts";
export { mcnemarExact, type McNemar } from "./mcnemar.ts";
export { newcombeDifference } from "./newcombe.ts";
export { wilsonInterval } from "./wilson.ts";
