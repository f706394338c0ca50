import { rows } from "./db.js";
import type { Row } from "./db.js";
import { h, uid } from "./dom.js";
import type { Child } from "./dom.js";
import { figure } from "./figure.js";
import { conversationLink } from "./links.js";
import { cellsOf, verdictMatrix } from "./matrix.js";
import { rateText } from "./rate.js";
import { number, text, verdict } from "./read.js";
import { verdictsOf } from "./saved-scan.js";
import type { Rules, SavedVerdict } from "./saved-scan.js";
import { claimOf } from "./scan.js";
import { errorState, loadingState } from "./states.js";
import { dataTable } from "./table.js";
import { isVerdict, possibleChips, verdictChip } from "./verdict.js";
import type { Verdict } from "./verdict.js";

export type { Rules } from "./saved-scan.js";

/** Up to this many observations are laid out at once; more of them wait for the reader to ask. */
const AT_ONCE = 30_000;

/** Verdicts of the saved answers under another band: exploratory, and never a reason to move a frozen one. */
export async function whatIfView(scan: Row, check: string, rules: () => Promise<Rules>): Promise<Child[]> {
  const place = h("div", {});
  const start = async (): Promise<void> => {
    place.replaceChildren(loadingState("Laying the answers over the transcripts"));
    await explore(scan, check, rules).then(
      (node) => place.replaceChildren(node),
      (error: unknown) => place.replaceChildren(errorState(error)),
    );
  };
  if (number(scan, "observations") <= AT_ONCE) await start();
  else
    place.append(
      h(
        "button",
        { type: "button", class: "plain", on: { click: () => void start() } },
        `Read ${number(scan, "observations").toLocaleString("en")} answers and derive`,
      ),
    );
  return [
    h(
      "aside",
      { class: "caveat" },
      h(
        "p",
        {},
        h("strong", {}, "Exploratory. "),
        "The band of a scan was frozen before its answers existed and stays where it is; a verdict counts under that band only. A band chosen after looking at the answers fits them, and says nothing of the next ones. Fewer UNCLEAR is not better: look at what they turn into.",
      ),
    ),
    place,
  ];
}

async function explore(scan: Row, check: string, rules: () => Promise<Rules>): Promise<HTMLElement> {
  const id = text(scan, "scan_id");
  const frozen = { low: number(scan, "threshold_low"), high: number(scan, "threshold_high") };
  const [verdicts, saved] = await Promise.all([
    verdictsOf(scan, rules),
    rows("select conversation, check_id, verdict from judgments where scan_id = ?", [id]),
  ]);
  const own = (list: readonly SavedVerdict[]): SavedVerdict[] =>
    check === "" ? [...list] : list.filter(({ check_id }) => check_id === check);
  const judged = new Map(
    saved.map((row) => [`${text(row, "conversation")} ${text(row, "check_id")}`, verdict(row, "verdict")]),
  );
  const place = ({ conversation, check_id }: SavedVerdict): string => `${conversation} ${check_id}`;
  const again = verdicts(frozen);
  const same = again.filter((row) => judged.get(place(row)) === row.verdict).length;
  if (same !== saved.length)
    throw new Error(
      `the saved answers give ${same} of ${saved.length} saved verdicts at the frozen band; no other band is shown`,
    );
  const result = h("div", { role: "region", "aria-label": "Verdicts under the chosen band", "aria-live": "polite" });
  const draw = (band: { low: number; high: number }): void => {
    const now = own(verdicts(band)).flatMap((row) => {
      const before = judged.get(place(row));
      return isVerdict(before) && isVerdict(row.verdict) ? [{ ...row, before, after: row.verdict }] : [];
    });
    result.replaceChildren(changes(scan, now, band));
  };
  const controls = bandControls(frozen, draw);
  draw(frozen);
  return h(
    "div",
    {},
    h(
      "p",
      { class: "plate-note" },
      `At the frozen band the rules derive ${rateText(same, saved.length)} saved verdicts again, here in the page.`,
    ),
    controls,
    result,
  );
}

type Change = SavedVerdict & { before: Verdict; after: Verdict };

function changes(scan: Row, all: readonly Change[], band: { low: number; high: number }): HTMLElement {
  const id = text(scan, "scan_id");
  const list = h("div", { class: "cell-rows" });
  const show = (title: string, wanted: readonly Change[]): void => {
    list.replaceChildren(
      figure(
        { title: `${wanted.length} ${title}`, claim: claimOf(scan) },
        dataTable(
          wanted,
          [
            {
              title: "Conversation",
              header: true,
              cell: (row) =>
                h("a", { href: conversationLink(id, row.conversation, { check: row.check_id }) }, row.conversation),
              sort: (row) => row.conversation,
            },
            { title: "Check", cell: (row) => row.check_id, sort: (row) => row.check_id },
            { title: "Frozen band", cell: (row) => verdictChip(row.before) },
            {
              title: `Band ${band.low}–${band.high}`,
              cell: (row) => [verdictChip(row.after), row.after === "UNCLEAR" && [" ", possibleChips(row.possible)]],
            },
          ],
          { label: "Judgments under another band", page: 25, empty: "No verdict differs." },
        ),
      ),
    );
  };
  const differing = all.filter((row) => row.before !== row.after);
  show("judgments differ from the frozen band", differing);
  const matrix = verdictMatrix(cellsOf(all.map((row) => ({ row: row.before, column: row.after, n: 1 }))), {
    rowTitle: "Frozen",
    columnTitle: "This band",
    neutral: true,
    href: (row, column) => `#${row}-${column}`,
  });
  matrix.addEventListener("click", (event) => {
    const link = event.target instanceof Element ? event.target.closest("a[href]") : null;
    const [row, column] = (link?.getAttribute("href") ?? "").replace("#", "").split("-");
    if (link === null) return;
    event.preventDefault();
    show(
      `judgments: ${row ?? ""} frozen, ${column ?? ""} here`,
      all.filter((change) => change.before === row && change.after === column),
    );
    list.scrollIntoView({ block: "nearest" });
  });
  return h(
    "div",
    {},
    figure(
      {
        title: `Verdicts under the frozen band and under ${band.low}–${band.high}: exploratory`,
        claim: claimOf(scan),
        note: "A count lists its judgments below. Exact: every world that the saved answers leave open is followed by the rules themselves.",
      },
      matrix,
    ),
    list,
  );
}

/** Two sliders that keep low below high, and a way back. */
function bandControls(
  frozen: { low: number; high: number },
  onBand: (band: { low: number; high: number }) => void,
): HTMLElement {
  const slider = (name: string, value: number): { field: HTMLElement; input: HTMLInputElement; say: () => void } => {
    const id = uid("band");
    const input = h("input", { id, type: "range", min: 0, max: 1, step: 0.01, value });
    const output = h("output", { for: id }, value.toFixed(2));
    return {
      field: h("div", { class: "field" }, h("label", { for: id }, name, " ", output), input),
      input,
      say: () => (output.textContent = Number(input.value).toFixed(2)),
    };
  };
  const low = slider("No at or below", frozen.low);
  const high = slider("Yes at or above", frozen.high);
  const read = (moved: "low" | "high"): void => {
    const [a, b] = [Number(low.input.value), Number(high.input.value)];
    if (a >= b) {
      if (moved === "low") low.input.value = String(Math.max(0, Math.round(b * 100 - 1) / 100));
      else high.input.value = String(Math.min(1, Math.round(a * 100 + 1) / 100));
    }
    low.say();
    high.say();
    const band = { low: Number(low.input.value), high: Number(high.input.value) };
    if (band.low < band.high) onBand(band);
  };
  low.input.addEventListener("input", () => read("low"));
  high.input.addEventListener("input", () => read("high"));
  const reset = h(
    "button",
    {
      type: "button",
      class: "plain",
      on: {
        click: () => {
          low.input.value = String(frozen.low);
          high.input.value = String(frozen.high);
          read("low");
        },
      },
    },
    "Back to the frozen band",
  );
  return h("div", { class: "controls", role: "group", "aria-label": "Another band" }, low.field, high.field, reset);
}
