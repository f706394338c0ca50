import { createHash } from "node:crypto";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { checksDir, madeScan, plainCard, scratchDirectory } from "../../tests/helpers/made-scan.ts";
import { scriptedJudge } from "../../tests/helpers/scripted-judge.ts";
import { packageRoot } from "../canon/root.ts";
import { observe } from "../evidence/observations.ts";
import { parseJudge } from "../judges/index.ts";
import { linesByConversation, savedValues } from "../reports/saved-values.ts";
import { possibleOf } from "../rules/index.ts";
import { openAnswers } from "../scan/answers.ts";
import { readJudgments, readRequestLines, type Bundle } from "../scan/bundle.ts";
import { judgedConversation } from "../scan/requests.ts";
import { runScan } from "../scan/run.ts";
import { loadStudy } from "../studies/load.ts";
import { planStudy } from "../studies/plan.ts";
import { openTables } from "./open.ts";
import { runQuery } from "./query.ts";
import { savedVerdicts } from "./saved-verdicts.ts";

const directory = scratchDirectory();
const settings = { repeats: 2 };
let bundles: Bundle[] = [];

/** Any probability, the same for the same question, state and repeat; a choice never sums to one by chance alone. */
function chance(...parts: unknown[]): number {
  return createHash("sha256").update(JSON.stringify(parts)).digest().readUInt16BE(0) / 65_535;
}

beforeAll(async () => {
  const study = loadStudy(join(packageRoot, "studies", "caregiver-boundaries"));
  const plan = async (context: "full" | "final_pair"): Promise<Bundle> =>
    await planStudy(study, {
      output: join(directory, context),
      judge: parseJudge("lexicon", { ...settings, context }),
      checksDir,
    });
  bundles = [
    await plan("full"),
    await plan("final_pair"),
    await madeScan(directory, "made", { settings, checksDir, cases: 4 }),
  ];
  for (const bundle of bundles) {
    const judge = scriptedJudge(bundle, ({ type, instructions, criteria }, state, call) => {
      const p = chance(instructions, state, call);
      const options = Object.keys(criteria ?? {});
      if (type === "noul") return p;
      return Object.fromEntries(options.map((option, i) => [option, i === 0 ? p : (1 - p) / (options.length - 1)]));
    });
    await runScan({ directory: bundle.directory, judge, finish: plainCard });
  }
}, 120_000);

/** The rows that a page would hand over. */
async function rowsOf(bundle: Bundle): Promise<unknown> {
  const database = await openTables([bundle.directory], join(directory, "scratch"), {
    cache: join(directory, "cache"),
  });
  const rows = async (sql: string): Promise<Record<string, unknown>[]> => {
    const { columns, rows } = await runQuery(database, sql);
    return rows.map((row) => Object.fromEntries(row.map((cell, i) => [columns[i]?.name ?? "", cell])));
  };
  const tables = {
    context: bundle.plan.judge.context,
    checks: await rows("select check_id, definition from checks"),
    conversations: await rows("select conversation, transcript_sha256, persistent_memory from conversations"),
    turns: await rows("select * from turns order by transcript_sha256, position"),
    answers: await rows("select * from answers"),
  };
  database.closeSync();
  return tables;
}

const key = ({ conversation, check_id }: { conversation: string; check_id: string }): string =>
  `${conversation} ${check_id}`;

describe("verdicts from the tables", () => {
  it("are the scan's own judgments at the frozen thresholds", async () => {
    for (const bundle of bundles) {
      const found = new Map(
        savedVerdicts(await rowsOf(bundle))(bundle.plan.judge.thresholds).map((row) => [key(row), row]),
      );
      let judgments = 0;
      for await (const { model_id, scenario_id, check_id, verdict, possible, asked } of readJudgments(
        bundle.directory,
      )) {
        judgments += 1;
        expect(found.get(`${model_id}/${scenario_id} ${check_id}`)).toMatchObject({ verdict, possible, asked });
      }
      expect(found.size).toBe(judgments);
    }
  });

  it("are what the rules give from the journal, at other thresholds and from another repeat", async () => {
    let changed = 0;
    for (const bundle of bundles) {
      const { directory: path, plan } = bundle;
      const given = savedVerdicts(await rowsOf(bundle));
      const answers = await openAnswers(path);
      for (const thresholds of [
        { low: 0.1, high: 0.9 },
        { low: 0.49, high: 0.5 },
        { low: 0, high: 0.2 },
      ])
        for (const repeat of [0, 1]) {
          const found = new Map(given(thresholds, repeat).map((row) => [key(row), row]));
          const frozen = new Map(given(plan.judge.thresholds).map((row) => [key(row), row]));
          for await (const [index, lines] of linesByConversation(
            readRequestLines(path, plan),
            plan.conversations.length,
          )) {
            const conversation = judgedConversation(path, plan, index);
            const lookup = savedValues(lines, answers, plan.judge.repeats).at(repeat);
            const { model_id, scenario_id } = plan.conversations[index]!;
            for (const { id, check } of plan.checks) {
              const place = `${model_id}/${scenario_id} ${id}`;
              const possible = possibleOf(check, conversation, lookup, thresholds);
              expect(found.get(place)?.possible, place).toEqual(possible);
              if (observe(check, conversation).length > 0 && String(frozen.get(place)?.possible) !== String(possible))
                changed += 1;
            }
          }
        }
      answers.close();
    }
    expect(changed).toBeGreaterThan(100);
  });

  it("leave a judgment without a verdict where an answer is missing", async () => {
    const bundle = bundles[0];
    if (bundle === undefined) throw new Error("three scans were made");
    const rows = await rowsOf(bundle);
    const without = JSON.parse(JSON.stringify(rows), (name, value: unknown) =>
      name === "probability" ? null : value,
    ) as unknown;
    for (const { verdict, asked } of savedVerdicts(without)(bundle.plan.judge.thresholds))
      expect(verdict === null).toBe(asked > 0);
  });
});
