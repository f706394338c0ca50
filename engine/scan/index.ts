export { openAnswers, answerKey, type Answers, type JournalIndex } from "./answers.ts";
export {
  CARD_FILE,
  JOURNAL_FILE,
  JUDGMENTS_FILE,
  PLAN_FILE,
  readConversation,
  readJudgments,
  readPlan,
  readRequestLines,
  SEAL_FILE,
  type Bundle,
} from "./bundle.ts";
export { closeScan, type CloseResult } from "./close.ts";
export { finishScan, type WriteCard } from "./finish.ts";
export { scanIdOf, slugOf } from "./identity.ts";
export { planScan, type PlanOptions } from "./plan.ts";
export { planProbe, type ProbeOptions } from "./probe.ts";
export { rejudgeScan } from "./rejudge.ts";
export { replayScan, type Difference, type Replay } from "./replay.ts";
export { conversationRequests, judgedConversation } from "./requests.ts";
export { runScan, type Progress, type RunOptions, type RunResult } from "./run.ts";
export { readSeal } from "./seal.ts";
export { loadSource, type LoadedSource } from "./source.ts";
export { statusOf, type ScanStatus } from "./status.ts";
export { type Finding } from "./findings.ts";
export { verifyScan, type Verification } from "./verify.ts";
