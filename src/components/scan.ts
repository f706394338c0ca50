import type { Row } from "./db.js";
import { h } from "./dom.js";
import type { Child } from "./dom.js";
import { quote, scanLink, sqlLink, studyLink } from "./links.js";
import { flag, maybeNumber, maybeText, number, text, texts } from "./read.js";
import { count, rate } from "./rate.js";
import type { Claim } from "./rate.js";
import { verdictBar } from "./verdict.js";
import { isClaim } from "./claim.js";

/** The judge of a scan as shown everywhere: its name, and its context policy where that is not the full one. */
export function scanLabel(scan: Row): string {
  const own = maybeText(scan, "label");
  if (own !== null) return own;
  return `${text(scan, "judge")}${text(scan, "context") === "final_pair" ? ", final pair only" : ""}`;
}

/** What a scan's conversations are together: a study's cases, or the conversations of its source runs. */
export function collection(scan: Row): string {
  return maybeText(scan, "study_id") ?? texts(scan, "run_ids").join(", ");
}

/** Scans by the conversations they judged, in the order given; only those of one collection are comparable. */
export function byCollection(scans: readonly Row[]): [name: string, scans: Row[]][] {
  const groups = new Map<string, Row[]>();
  for (const scan of scans) groups.set(collection(scan), [...(groups.get(collection(scan)) ?? []), scan]);
  return [...groups].map(([name, own]) => [name, distinguish(own)]);
}

/** A collection's name as a heading: a study opens its page. */
export function collectionHead(scan: Row): HTMLElement {
  const study = maybeText(scan, "study_id");
  return h("h3", {}, study === null ? collection(scan) : h("a", { href: studyLink(study) }, study));
}

/** The same scans with a `label`: where two would read alike, the source or the scan's id tells them apart. */
function distinguish(scans: readonly Row[]): Row[] {
  const alike = (label: (scan: Row) => string): Set<string> => {
    const seen = scans.map(label);
    return new Set(seen.filter((name, i) => seen.indexOf(name) !== i));
  };
  const sourced = (scan: Row): string => `${scanLabel(scan)}, ${collection(scan)}`;
  const [plain, withSource] = [alike(scanLabel), alike(sourced)];
  return scans.map((scan) => ({
    ...scan,
    label: !plain.has(scanLabel(scan))
      ? scanLabel(scan)
      : withSource.has(sourced(scan))
        ? `${scanLabel(scan)}, ${text(scan, "scan_id").slice(-8)}`
        : sourced(scan),
  }));
}

export function claimOf(scan: Row): Claim {
  const claim = text(scan, "claim");
  if (!isClaim(claim)) throw new Error(`unknown claim ${claim}`);
  return claim;
}

/** What a judge is, in a word or two beside its name. */
export function judgeNote(scan: Row): string | null {
  if (flag(scan, "is_baseline")) return "baseline";
  if (flag(scan, "is_shipped_lexicon") && flag(scan, "is_fixture")) return "development evidence";
  return null;
}

export function judgeCell(scan: Row, link = true): HTMLElement {
  const note = judgeNote(scan);
  const name = scanLabel(scan);
  return h(
    "span",
    { class: "judge" },
    link ? h("a", { href: scanLink(text(scan, "scan_id")) }, name) : name,
    note !== null && h("span", { class: "judge-note" }, ` ${note}`),
  );
}

/** USD as recorded; exactly zero is said to be free, a small amount keeps its digits. */
export function usd(value: number | null): string {
  if (value === null) return "unknown";
  return value === 0 ? "0 USD" : `${value < 0.01 ? value.toPrecision(2) : value.toFixed(2)} USD`;
}

export const scanRows = (scan: string, where = ""): string =>
  sqlLink(
    `select conversation, check_id, verdict, possible, asked, rationale\nfrom judgments\nwhere scan_id = ${quote(scan)}${where === "" ? "" : ` and ${where}`}\norder by conversation, check_id`,
  );

/** Verdict counts of a scan as a bar over four linked numbers. */
export function verdictCell(scan: Row): HTMLElement {
  const id = text(scan, "scan_id");
  const counts = {
    PASS: number(scan, "passes"),
    FAIL: number(scan, "fails"),
    UNCLEAR: number(scan, "unclears"),
    NOT_APPLICABLE: number(scan, "not_applicables"),
  };
  return h(
    "div",
    { class: "verdict-cell" },
    verdictBar(counts),
    h(
      "span",
      { class: "verdict-counts" },
      count(counts.PASS, scanRows(id, "verdict = 'PASS'"), "PASS"),
      count(counts.FAIL, scanRows(id, "verdict = 'FAIL'"), "FAIL"),
      count(counts.UNCLEAR, scanRows(id, "verdict = 'UNCLEAR'"), "UNCLEAR"),
      count(counts.NOT_APPLICABLE, scanRows(id, "verdict = 'NOT_APPLICABLE'"), "not applicable"),
    ),
  );
}

/** Over several checks one conversation is counted several times, which no interval of independent rows describes. */
const soleClaim = (scan: Row): Claim | undefined => (number(scan, "checks") === 1 ? claimOf(scan) : undefined);

export function unclearAll(scan: Row): HTMLElement {
  return rate(number(scan, "unclear_all_numerator"), number(scan, "unclear_all_denominator"), {
    claim: soleClaim(scan),
    href: scanRows(text(scan, "scan_id"), "verdict = 'UNCLEAR'"),
    label: "UNCLEAR over all",
  });
}

export function unclearApplicable(scan: Row): HTMLElement {
  return rate(number(scan, "unclear_applicable_numerator"), number(scan, "unclear_applicable_denominator"), {
    claim: soleClaim(scan),
    href: scanRows(text(scan, "scan_id"), "verdict = 'UNCLEAR'"),
    label: "UNCLEAR over applicable",
  });
}

/** Expectations met, of those that count in the headline (bound, and not an expected UNCLEAR). */
export function metCell(scan: Row): Child {
  const total = number(scan, "expectations_counted");
  if (number(scan, "labeled_judgments") === 0) return h("span", { class: "quiet" }, "no labels");
  return rate(number(scan, "expectations_agreed"), total, {
    href: sqlLink(
      `select conversation, check_id, expected, observed, mismatch, reason\nfrom expectations\nwhere scan_id = ${quote(text(scan, "scan_id"))} and counted\norder by correct, conversation, check_id`,
    ),
    label: "expectations met",
  });
}

/** How many of its cases were seen before its plan, of all; a dash where no register says. */
export function seenCell(scan: Row): HTMLElement {
  const [seen, total] = [maybeNumber(scan, "seen_numerator"), maybeNumber(scan, "seen_denominator")];
  if (seen === null || total === null)
    return h("span", { title: "No register covers these conversations", class: "quiet" }, "-");
  const title =
    seen === 0
      ? "No answer to these cases existed outside the wave this scan was planned in"
      : "Cases that some judge answered before this scan's plan and outside its wave: no fresh validation";
  return h(
    "span",
    { title, class: seen === 0 ? "quiet" : "" },
    seen === 0 ? `unseen (0/${total})` : `${seen}/${total} seen`,
  );
}

/** Attempts that ended in a technical error, opening the requests they were made for. */
export function technicalCell(scan: Row): HTMLElement {
  return count(
    number(scan, "technical_attempts"),
    sqlLink(
      `select * from requests where scan_id = ${quote(text(scan, "scan_id"))} and technical_attempts > 0 order by technical_attempts desc`,
    ),
    "technical attempts",
  );
}

export const costCell = (scan: Row): HTMLElement => h("span", { class: "nowrap" }, usd(maybeNumber(scan, "cost_usd")));
