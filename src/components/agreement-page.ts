import type { Stats } from "./agreement-cells.js";
import { foreignSection } from "./agreement-foreign.js";
import { pairDetail } from "./agreement-pair.js";
import { pooled } from "./agreement-pooled.js";
import { SHARED } from "./agreement-query.js";
import { selfSection } from "./agreement-self.js";
import { claimBanner, isClaim } from "./claim.js";
import { rows } from "./db.js";
import type { Row } from "./db.js";
import { h } from "./dom.js";
import { cellsOf } from "./matrix.js";
import type { Cells } from "./matrix.js";
import { chooser, chosen, setParams } from "./params.js";
import type { Claim } from "./rate.js";
import { flag, number, text } from "./read.js";
import type { Rules } from "./saved-scan.js";
import { byCollection, scanLabel } from "./scan.js";
import { emptyState, part } from "./states.js";

/** The engine's modules, loaded by the page: estimators at once, rules where a judge was asked more than once. */
export interface Modules {
  stats: Stats;
  rules: () => Promise<Rules>;
}

/** Judges over the conversations of one study or run: a chosen pair check by check, then every pair, then each alone. */
export async function agreementPage(modules: Modules): Promise<HTMLElement> {
  const scans = await rows(
    "select * from scans order by is_fixture, study_id, run_date desc, judge_position nulls last, is_baseline, judge, scan_id",
  );
  const groups = byCollection(scans);
  if (groups.length === 0) return emptyState("There is no scan to compare yet");
  const place = h("div", {});
  const redraw = (): void => {
    const [, own] = groups.find(([name]) => name === chosen(controls)["over"]) ?? [];
    const claim = own?.[0]?.["claim"];
    if (own === undefined || !isClaim(claim)) return;
    place.replaceChildren(part(() => overview(own, claim, modules)));
  };
  const choices = groups.map(([name, [first]]) => ({
    value: name,
    label: `${first?.["is_fixture"] === true ? "Authored cases" : "Target-model conversations"}: ${name}`,
  }));
  const controls = h(
    "div",
    { class: "controls", role: "group", "aria-label": "What is compared" },
    chooser("over", "Over", choices, {
      onChange: () => {
        setParams({ a: "", b: "" });
        redraw();
      },
    }),
  );
  redraw();
  return h("div", {}, controls, place);
}

async function overview(scans: readonly Row[], claim: Claim, { stats, rules }: Modules): Promise<HTMLElement[]> {
  const counts = await rows(
    `select a.scan_id as scan_a, b.scan_id as scan_b, a.verdict as row, b.verdict as "column", count(*)::integer as n ${SHARED} and a.claim = ? and b.claim = a.claim group by all`,
    [claim],
  );
  const cells = (a: string, b: string): Cells =>
    cellsOf(
      counts
        .filter((row) => row["scan_a"] === a && row["scan_b"] === b)
        .map((row) => ({ row: text(row, "row"), column: text(row, "column"), n: number(row, "n") })),
    );
  const detail = h("div", { id: "pair" });
  const show = (): void => {
    detail.replaceChildren(part(() => pairDetail(scans, chosen(choice), claim, stats, cells)));
  };
  const choices = scans.map((scan) => ({
    value: text(scan, "scan_id"),
    label: `${scanLabel(scan)}${flag(scan, "is_baseline") ? " (baseline)" : ""}`,
  }));
  const choice = h(
    "div",
    { class: "controls", role: "group", "aria-label": "Two judges" },
    chooser("a", "From", choices, { onChange: show }),
    chooser("b", "To", choices, { fallback: choices[1]?.value ?? "", onChange: show }),
  );
  show();
  const open = (a: string, b: string): void => {
    setParams({ a, b });
    for (const select of choice.querySelectorAll("select")) select.value = select.name === "a" ? a : b;
    show();
    choice.scrollIntoView({ block: "start" });
  };
  return [
    claimBanner(claim),
    h("h2", {}, "Two judges, check by check"),
    choice,
    detail,
    h("h2", {}, "Every pair"),
    ...pooled(scans, claim, stats, cells, open),
    h("h2", {}, "A judge against itself"),
    part(() => selfSection(scans, claim, rules)),
    ...(claim === "target_model_conversations"
      ? [h("h2", {}, "Other engines"), part(() => foreignSection(scans, stats))]
      : []),
  ];
}
