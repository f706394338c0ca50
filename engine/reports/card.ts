import { join } from "node:path";
import { COMMENTARY_MARKER, registerNote } from "../canon/commentary.ts";
import { sha256OfFile } from "../canon/stream.ts";
import { JUDGMENTS_FILE, readPlan } from "../scan/bundle.ts";
import { scanIdOf } from "../scan/identity.ts";
import type { Judgment } from "../schema/judgment.ts";
import {
  bindExpectations,
  countAgreement,
  frozenExpectations,
  frozenTrivialVerdicts,
  powerOf,
  type Agreement,
  type Power,
} from "../validation/index.ts";
import { claimSection, judgeSection, sourceSection, suspectSection, verdictSections } from "./card-sections.ts";
import { expectationSection } from "./card-expectations.ts";
import { finding } from "./card-findings.ts";
import { seenLabels, seenNote } from "./seen.ts";
import { viewScan, type ScanView } from "./scan-view.ts";
import { studyResults } from "./study-results.ts";
import { emptyTally, tallyJudgment, type Tally } from "./tally.ts";

/**
 * The Jury Card of a scan whose answers and judgments are written: Markdown that depends only on them and the plan.
 * It ends with the commentary marker, a note of what the seen register says now, and an empty section; keeping what
 * readers wrote there is the writer's part.
 */
export async function writeCard(directory: string): Promise<string> {
  const { plan, plan_sha256 } = readPlan(directory);
  const judgments_sha256 = await sha256OfFile(join(directory, JUDGMENTS_FILE));
  const view = await viewScan(directory, plan, plan_sha256);
  const powers = new Map<string, Power>();
  for (const [source, { study }] of view.sources.entries()) {
    const trivial = study === null ? null : await frozenTrivialVerdicts({ directory, plan }, source, study);
    if (study !== null && trivial !== null) powers.set(study.study.id, powerOf(study.study, trivial));
  }
  return cardOf(view, judgments_sha256, powers);
}

/** The card of a view, with the power of its studies' batteries by study id. Memory holds one card, never the judgments. */
export async function cardOf(
  scan: ScanView,
  judgments_sha256: string,
  powers: ReadonlyMap<string, Power> = new Map(),
): Promise<string> {
  const frozen = frozenExpectations(scan.attachments);
  const binding = bindExpectations(frozen.accepted, scan.plan);
  const labels = countAgreement(binding);
  const read = await readJudgments(scan, (judgment) => labels.add(judgment));
  const agreement: Agreement = labels.result();
  const id = scanIdOf(scan.plan, scan.plan_sha256);
  const parts = [
    claimSection(scan, id, judgments_sha256),
    judgeSection(scan, read.all),
    ...verdictSections(scan, read.byCheck),
    expectationSection(scan, frozen.rejected, agreement, studyResults(scan, agreement), powers),
    listed("FAIL", read.fails, read.all.verdicts.FAIL),
    listed("UNCLEAR", read.unclears, read.all.verdicts.UNCLEAR),
    sourceSection(scan),
    suspectSection(scan),
  ];
  const seen = seenLabels(scan.sources);
  const note = seen.length === 0 ? "" : registerNote(seenNote(seen));
  return `${parts.join("\n\n")}\n\n${COMMENTARY_MARKER}\n\n${note}## Commentary\n\nWhat readers add below this line is kept, and is not under the seal.\n`;
}

interface ReadJudgments {
  all: Tally;
  /** In the plan's order of checks. */
  byCheck: Tally[];
  fails: string[];
  unclears: string[];
}

async function readJudgments(scan: ScanView, also: (judgment: Judgment) => void): Promise<ReadJudgments> {
  const place = new Map(scan.plan.checks.map((check, index) => [check.id, index]));
  const all = emptyTally();
  const byCheck = scan.plan.checks.map(emptyTally);
  const fails: string[] = [];
  const unclears: string[] = [];
  let line = 0;
  for await (const judgment of scan.judgments()) {
    line += 1;
    also(judgment);
    tallyJudgment(all, judgment);
    tallyJudgment(byCheck[place.get(judgment.check_id)!]!, judgment);
    if (judgment.verdict === "FAIL") fails.push(finding(scan.plan, judgment, line));
    if (judgment.verdict === "UNCLEAR") unclears.push(finding(scan.plan, judgment, line));
  }
  return { all, byCheck, fails, unclears };
}

function listed(verdict: string, entries: readonly string[], count: number): string {
  const body = entries.length === 0 ? "None." : entries.join("\n\n");
  return `## ${verdict} (${count})\n\nEach with its line in \`${JUDGMENTS_FILE}\`, exact quotes, and the answers it rests on.\n\n${body}`;
}
