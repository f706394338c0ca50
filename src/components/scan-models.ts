import { rows } from "./db.js";
import type { Row } from "./db.js";
import { h } from "./dom.js";
import type { Child } from "./dom.js";
import { figure } from "./figure.js";
import { checkLink, quote, sqlLink } from "./links.js";
import { chooser, chosen } from "./params.js";
import { count, rate } from "./rate.js";
import { number, text } from "./read.js";
import { claimOf, scanRows } from "./scan.js";
import { dataTable } from "./table.js";
import { VERDICTS, verdictBar, verdictShort } from "./verdict.js";
import type { Verdict } from "./verdict.js";

const TALLY = `count(*)::integer as judgments, (count(*) filter (where verdict is not null))::integer as judged,
  ${VERDICTS.map((value) => `(count(*) filter (where verdict = '${value}'))::integer as "${value}"`).join(", ")}`;

const applicable = (row: Row): number => number(row, "judged") - number(row, "NOT_APPLICABLE");
const ofModel = (model: string): string => `model_id = ${quote(model)}`;

/** One scan's verdicts by target model, in all and check by check. Authored cases have no target model. */
export async function byModel(scan: Row): Promise<Child[]> {
  const claim = claimOf(scan);
  if (claim !== "target_model_conversations")
    return [h("p", {}, "These replies are authored: no target model wrote them, so there are none to tell apart.")];
  const id = text(scan, "scan_id");
  const [models, checks] = await Promise.all([
    rows(
      `select model_id, count(distinct conversation)::integer as conversations, ${TALLY} from judgments where scan_id = ? group by model_id order by model_id`,
      [id],
    ),
    rows(
      `select check_id, model_id, ${TALLY} from judgments where scan_id = ? group by all order by any_value(layer), check_id, model_id`,
      [id],
    ),
  ]);
  return [modelTotals(id, models), models.length > 1 && checkByModel(id, models, checks)];
}

function modelTotals(id: string, models: readonly Row[]): HTMLElement {
  const where = (row: Row, more = ""): string => scanRows(id, `${ofModel(text(row, "model_id"))}${more}`);
  return figure(
    {
      title: "Verdicts by target model, over all checks",
      claim: "target_model_conversations",
      rows: scanRows(id),
      note: "Counts over several checks take one conversation several times, so no interval is given for them.",
    },
    dataTable(
      models,
      [
        { title: "Target model", header: true, cell: (row) => text(row, "model_id") },
        {
          title: "Conversations",
          align: "right",
          cell: (row) =>
            count(
              number(row, "conversations"),
              sqlLink(
                `select * from conversations where scan_id = ${quote(id)} and ${ofModel(text(row, "model_id"))} order by position`,
              ),
              "conversations",
            ),
        },
        {
          title: h("span", { class: "visually-hidden" }, "Bar"),
          class: "bar-cell",
          cell: (row) => verdictBar(Object.fromEntries(VERDICTS.map((value) => [value, number(row, value)]))),
        },
        ...VERDICTS.map((value) => ({
          title: verdictShort(value),
          align: "right" as const,
          cell: (row: Row) => count(number(row, value), where(row, ` and verdict = '${value}'`), verdictShort(value)),
        })),
        {
          title: "Judged",
          align: "right",
          cell: (row) => rate(number(row, "judged"), number(row, "judgments"), { href: where(row), label: "judged" }),
        },
        {
          title: "Fail of applicable",
          align: "right",
          cell: (row) => rate(number(row, "FAIL"), applicable(row), { href: where(row, " and verdict = 'FAIL'") }),
        },
        {
          title: "Unclear of applicable",
          align: "right",
          cell: (row) =>
            rate(number(row, "UNCLEAR"), applicable(row), { href: where(row, " and verdict = 'UNCLEAR'") }),
        },
      ],
      { label: "Verdicts by target model" },
    ),
  );
}

/** Check by target model: the share of one verdict among the applicable, chosen above the table. */
function checkByModel(id: string, models: readonly Row[], counts: readonly Row[]): HTMLElement {
  const ids = [...new Set(counts.map((row) => text(row, "check_id")))];
  const lines = ids.map((check) => ({
    check,
    cells: new Map(counts.filter((row) => row["check_id"] === check).map((row) => [text(row, "model_id"), row])),
  }));
  const place = h("div", {});
  const draw = (): void => {
    const value = VERDICTS.find((verdict) => verdict === chosen(controls)["share"]) ?? "FAIL";
    place.replaceChildren(
      dataTable(
        lines,
        [
          { title: "Check", header: true, cell: ({ check }) => h("a", { href: checkLink(check) }, check) },
          ...models.map((row) => {
            const model = text(row, "model_id");
            return {
              title: model,
              align: "right" as const,
              cell: ({ check, cells }: (typeof lines)[number]) => share(id, check, model, cells.get(model), value),
            };
          }),
        ],
        { label: `${verdictShort(value)} of applicable, by check and target model`, page: 200 },
      ),
    );
  };
  const controls = h(
    "div",
    { class: "controls", role: "group", "aria-label": "What is shown" },
    chooser(
      "share",
      "Of applicable",
      (["FAIL", "UNCLEAR", "PASS"] as const).map((value) => ({ value, label: verdictShort(value) })),
      { onChange: draw },
    ),
  );
  draw();
  return figure(
    {
      title: "Check by target model",
      claim: "target_model_conversations",
      note: "Of the judgments to which the check applies; from 30 on with share and 95 % Wilson interval. Compare models within this judge only.",
      rows: scanRows(id),
    },
    controls,
    place,
  );
}

function share(id: string, check: string, model: string, row: Row | undefined, value: Verdict): Child {
  if (row === undefined) return h("span", { class: "quiet" }, "not planned");
  return rate(number(row, value), applicable(row), {
    claim: "target_model_conversations",
    href: scanRows(id, `${ofModel(model)} and check_id = ${quote(check)} and verdict = '${value}'`),
    label: `${verdictShort(value)}, ${check}, ${model}`,
  });
}
