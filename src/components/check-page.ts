import { claimBanner } from "./claim.js";
import { definitionView } from "./check-definition.js";
import { rows } from "./db.js";
import type { Row } from "./db.js";
import { h } from "./dom.js";
import type { Child } from "./dom.js";
import { figure } from "./figure.js";
import { quote, sqlLink, viewLink } from "./links.js";
import { count, rate } from "./rate.js";
import type { Claim } from "./rate.js";
import { number, text } from "./read.js";
import { collection, judgeCell, scanLabel } from "./scan.js";
import { emptyState } from "./states.js";
import { dataTable } from "./table.js";
import type { Column } from "./table.js";
import { VERDICTS, verdictBar, verdictChip, verdictShort } from "./verdict.js";

/** One check id with every definition that a scan froze under it, in the order of their digests. */
export interface CheckData {
  id: string;
  versions: { check: Row; questions: Row[] }[];
  scans: Row[];
}

export async function checkData(id: string): Promise<CheckData> {
  const [checks, questions, scans] = await Promise.all([
    rows("select * from checks where check_id = ? order by check_sha256", [id]),
    rows("select * from questions where check_id = ? order by check_sha256, is_cue desc, question", [id]),
    rows(
      "select s.*, (select count(*)::integer from judgments j where j.scan_id = s.scan_id and j.check_id = ?) as of_check from scans s where of_check > 0 order by scan_id",
      [id],
    ),
  ]);
  if (checks.length === 0) throw new Error(`no scan here froze a check named ${id}`);
  const of = (check: Row): Row[] => questions.filter((row) => row["check_sha256"] === check["check_sha256"]);
  return { id, versions: checks.map((check) => ({ check, questions: of(check) })), scans };
}

const first = ({ versions }: CheckData): Row => versions[0]?.check ?? {};

export function kicker(data: CheckData): string {
  const check = first(data);
  const parts = ["Check", text(check, "layer"), text(check, "dimension"), `severity ${text(check, "severity")}`];
  return parts.filter((part) => part !== "").join(" · ");
}

export const summary = (data: CheckData): string => text(first(data), "summary");

/** Every frozen definition of the id in full; verdicts under one say nothing of another. */
export function definitions(data: CheckData): Child[] {
  const bands = new Map<string, number>();
  for (const scan of data.scans) {
    const band = `no at or below ${number(scan, "threshold_low")}, yes at or above ${number(scan, "threshold_high")}, open between`;
    bands.set(band, (bands.get(band) ?? 0) + 1);
  }
  const thresholds = [...bands].map(([band, n]) => `${band} (${n}/${data.scans.length} scans)`).join("; ");
  return [
    ...data.versions.map(({ check, questions }, i) =>
      h(
        "section",
        { class: "definition", "aria-label": `Definition ${text(check, "check_sha256").slice(0, 8)}` },
        data.versions.length > 1 &&
          h("h3", {}, `Version ${i + 1} of ${data.versions.length}: ${text(check, "check_sha256").slice(0, 8)}`),
        definitionView(check, questions),
      ),
    ),
    h(
      "p",
      { class: "plate-note" },
      `A definition holds no thresholds: each scan freezes its own. Here: ${thresholds}.`,
    ),
  ];
}

const TALLY = `count(*)::integer as judgments,
  (count(*) filter (where j.verdict is not null))::integer as judged,
  (count(*) filter (where j.asked = 0))::integer as not_asked_here,
  ${VERDICTS.map((verdict) => `(count(*) filter (where j.verdict = '${verdict}'))::integer as "${verdict}"`).join(", ")}`;

async function tallies(id: string, where: string, order: string): Promise<Row[]> {
  return await rows(
    `select s.*, j.check_sha256 as sha, j.model_id as target, ${TALLY} from judgments j join scans s on s.scan_id = j.scan_id
     where j.check_id = ? and ${where} group by all order by ${order}`,
    [id],
  );
}

/** Rates by target model and judge: n/N, with percentage and interval only from thirty applicable on. */
export async function targetRates(data: CheckData): Promise<Child[]> {
  const found = await tallies(
    data.id,
    "j.claim = 'target_model_conversations' and not j.is_fixture",
    "s.run_date desc, s.run_ids, target, s.is_baseline, s.judge, s.scan_id",
  );
  const claim: Claim = "target_model_conversations";
  if (found.length === 0)
    return [emptyState("No scan here asked it of target-model conversations", "Authored cases are below, apart.")];
  return [
    claimBanner(claim),
    figure(
      {
        title: "Target-model conversations, by model and judge",
        claim,
        note: "FAIL and UNCLEAR over applicable judgments; from 30 applicable on with share and 95 % Wilson interval. A rate depends on the judge as much as on the model: compare within one judge, and with the baselines.",
        rows: sqlLink(`select * from check_rates where check_id = ${quote(data.id)}`),
      },
      tallyTable(data, found, claim, (row) => `${text(row, "target")} · ${collection(row)}`),
    ),
  ];
}

/** Counts over authored cases: another claim, and never a rate. */
export async function fixtureCounts(data: CheckData): Promise<Child[]> {
  const found = await tallies(data.id, "j.is_fixture", "s.study_id, s.judge_position nulls last, s.scan_id");
  const claim: Claim = "frozen_validation_cases";
  if (found.length === 0)
    return [emptyState("No study here tests it", "No scan over authored cases asked this check.")];
  return [
    claimBanner(claim),
    figure(
      {
        title: "Counts over authored cases",
        claim,
        note: "Constructed cases: counts, never estimates. What was expected of each is under Expected and observed.",
        rows: sqlLink(`select * from fixture_counts where check_id = ${quote(data.id)}`),
      },
      tallyTable(data, found, claim, collection),
    ),
    h(
      "p",
      { class: "plate-note" },
      h("a", { href: viewLink("confusion", { check: data.id }) }, "Expected and observed for this check"),
    ),
  ];
}

function tallyTable(data: CheckData, found: readonly Row[], claim: Claim, group: (row: Row) => string): HTMLElement {
  const own = (row: Row, where = ""): string =>
    sqlLink(
      `select conversation, verdict, possible, asked, open, rationale\nfrom judgments\nwhere scan_id = ${quote(text(row, "scan_id"))} and check_id = ${quote(data.id)} and model_id = ${quote(text(row, "target"))}${where === "" ? "" : ` and ${where}`}\norder by conversation`,
    );
  const applicable = (row: Row): number => number(row, "judged") - number(row, "NOT_APPLICABLE");
  const share = (title: string, verdict: "FAIL" | "UNCLEAR"): Column<Row> => ({
    title,
    align: "right",
    cell: (row) =>
      rate(number(row, verdict), applicable(row), { claim, href: own(row, `verdict = '${verdict}'`), label: verdict }),
  });
  return dataTable(
    found,
    [
      {
        title: "Judge",
        header: true,
        cell: (row) => [
          judgeCell(row),
          data.versions.length > 1 && h("span", { class: "judge-note" }, ` definition ${text(row, "sha").slice(0, 8)}`),
        ],
      },
      share("Fail, of applicable", "FAIL"),
      share("Unclear, of applicable", "UNCLEAR"),
      {
        title: h("span", { class: "visually-hidden" }, "Bar"),
        class: "bar-cell",
        cell: (row) => verdictBar(Object.fromEntries(VERDICTS.map((verdict) => [verdict, number(row, verdict)]))),
      },
      ...VERDICTS.map((verdict): Column<Row> => ({
        title: verdictShort(verdict),
        align: "right",
        cell: (row) => count(number(row, verdict), own(row, `verdict = '${verdict}'`), verdictShort(verdict)),
      })),
      {
        title: "Judged",
        align: "right",
        cell: (row) => rate(number(row, "judged"), number(row, "judgments"), { href: own(row), label: "judged" }),
      },
      {
        title: "Not asked",
        align: "right",
        cell: (row) => count(number(row, "not_asked_here"), own(row, "asked = 0"), "verdicts fixed without asking"),
      },
    ],
    { label: claim === "frozen_validation_cases" ? "Authored cases" : "Target models", page: 80, group },
  );
}

interface Exemplars {
  check_id: string;
  check_sha256: string;
  total: number;
  reproduced: number;
  expected: Record<string, number>;
  answers_from: Record<string, number>;
}

/** The rows the check was built with: they say that the rule still decides as authored, and nothing of a judge. */
export function exemplars(data: CheckData, build: { exemplars: Exemplars[] }): Child[] {
  const own = build.exemplars.find(({ check_id }) => check_id === data.id);
  if (own === undefined || own.total === 0)
    return [emptyState("No exemplar of this check is shipped", "Exemplars lie beside the definitions in checks/.")];
  const frozen = data.versions.some(({ check }) => check["check_sha256"] === own.check_sha256);
  return [
    claimBanner("development_exemplars"),
    h(
      "p",
      {},
      "The authored outcome is derived again from the saved answers in ",
      h("strong", {}, `${own.reproduced}/${own.total}`),
      " exemplars, under definition ",
      h("code", {}, own.check_sha256.slice(0, 8)),
      frozen ? ", which is the one above." : ", which no scan here has frozen: the check has changed since.",
    ),
    h(
      "ul",
      { class: "plain-list" },
      VERDICTS.map((verdict) =>
        h("li", {}, verdictChip(verdict), ` expected in ${own.expected[verdict] ?? 0}/${own.total}`),
      ),
    ),
    h(
      "p",
      { class: "plate-note" },
      `Answers from: ${Object.entries(own.answers_from)
        .map(([who, n]) => `${who} ${n}/${own.total}`)
        .join(", ")}. They are rows of a file, checks/…/${data.id.split(".")[0] ?? ""}.exemplars.jsonl, verified by `,
      h("code", {}, "bench exemplars verify"),
      ".",
    ),
  ];
}

/** Where to look next at this check's open answers. */
export function further(data: CheckData): HTMLElement {
  return h(
    "ul",
    {},
    data.scans
      .filter((scan) => number(scan, "of_check") > 0)
      .slice(0, 40)
      .map((scan) =>
        h(
          "li",
          {},
          h(
            "a",
            { href: viewLink("questions", { scan: text(scan, "scan_id"), check: data.id }) },
            `Answers of ${scanLabel(scan)}`,
          ),
          h("span", { class: "quiet" }, ` over ${collection(scan)}`),
        ),
      ),
  );
}
