import { answersOf } from "./answers.js";
import { claimBanner } from "./claim.js";
import { rows } from "./db.js";
import type { Row } from "./db.js";
import { h } from "./dom.js";
import type { Child } from "./dom.js";
import { effectsView } from "./effects-view.js";
import { quote, scanLink, sqlLink } from "./links.js";
import { chooser, chosen as chosenIn } from "./params.js";
import { familiesFigure, noiseFigure } from "./question-families.js";
import { rate } from "./rate.js";
import { flag, number, text } from "./read.js";
import { byCollection, claimOf, collection, judgeNote, scanLabel } from "./scan.js";
import { emptyState } from "./states.js";
import { whatIfView } from "./what-if.js";
import type { Rules } from "./what-if.js";

export interface Chosen {
  /** null where the site shows no scan. */
  scan: Row | null;
  /** A check id, or "" for every check. */
  check: string;
}

/** Selects whose `value` is the chosen scan and check: a view in the sense of Framework. */
export async function scanChooser(): Promise<HTMLElement> {
  const [scans, checks] = await Promise.all([
    rows(
      "select * from scans order by is_fixture, run_date desc, study_id, is_baseline, judge_position, judge, scan_id",
    ),
    rows("select distinct check_id from judgments order by 1"),
  ]);
  const named = byCollection(scans).flatMap(([, own]) => own);
  const onChange = (): void => undefined;
  const element = h(
    "div",
    { class: "controls", role: "group", "aria-label": "Which answers" },
    chooser(
      "scan",
      "Scan",
      named.map((scan) => ({
        value: text(scan, "scan_id"),
        label: `${scanLabel(scan)}${flag(scan, "is_baseline") ? " (baseline)" : ""} · ${collection(scan)}`,
      })),
      { onChange },
    ),
    chooser(
      "check",
      "Check",
      [
        { value: "", label: "every check" },
        ...checks.map((row) => ({ value: text(row, "check_id"), label: text(row, "check_id") })),
      ],
      { onChange },
    ),
  );
  const value = (): Chosen => {
    const { scan, check = "" } = chosenIn(element);
    return { scan: named.find((row) => row["scan_id"] === scan) ?? null, check };
  };
  return Object.defineProperty(element, "value", { get: value });
}

const none = (): Child[] => [emptyState("There is no scan here yet", "Run one, and build the site again.")];

/** What the numbers below are of, and the claim they support. */
export function whichScan({ scan, check }: Chosen): HTMLElement {
  if (scan === null) return h("div", {});
  const id = text(scan, "scan_id");
  const note = judgeNote(scan);
  return h(
    "div",
    {},
    h(
      "p",
      {},
      h("a", { href: scanLink(id) }, scanLabel(scan)),
      note !== null && ` (${note})`,
      ` over ${number(scan, "conversations")} conversations of ${collection(scan)}`,
      check === "" ? "" : `, ${check} only`,
      ". UNCLEAR: ",
      rate(number(scan, "unclears"), number(scan, "unclear_all_denominator"), {
        href: sqlLink(
          `select conversation, check_id, possible, open, rationale\nfrom judgments\nwhere scan_id = ${quote(id)} and verdict = 'UNCLEAR'\norder by check_id, conversation`,
        ),
        label: "UNCLEAR judgments of this scan",
      }),
      " of all its judgments.",
    ),
    claimBanner(claimOf(scan)),
  );
}

export async function families({ scan, check }: Chosen): Promise<Child> {
  return scan === null ? none() : await familiesFigure(scan, answersOf(text(scan, "scan_id")), check);
}

export async function effects({ scan, check }: Chosen): Promise<Child> {
  return scan === null ? none() : await effectsView(scan, check);
}

export async function noise({ scan, check }: Chosen): Promise<Child> {
  if (scan === null) return none();
  const shown = await noiseFigure(scan, answersOf(text(scan, "scan_id")), check);
  return (
    shown ??
    emptyState(
      "Each request of this scan was asked once",
      "Plan a scan with --repeats 2 or more to see how far one judge's answers to the same request lie apart.",
    )
  );
}

export async function whatIf({ scan, check }: Chosen, rules: () => Promise<Rules>): Promise<Child> {
  return scan === null ? none() : await whatIfView(scan, check, rules);
}
