import { appendFileSync, writeSync } from "node:fs";
import { digestOf } from "../../engine/canon/json.ts";
import { openJudge } from "../../engine/judges/index.ts";
import { readPlan } from "../../engine/scan/bundle.ts";
import { runScan } from "../../engine/scan/run.ts";

// A run whose judge and card take their time, so that it can be killed in the middle. Arguments: the scan, the log
// of asked requests, milliseconds a request. Says "first" at the first question and "card" when all are answered.
const [directory = "", log = "", delay = "0"] = process.argv.slice(2);
const judge = await openJudge(readPlan(directory).plan.judge);
const pause = (ms: number): Promise<void> => new Promise((done) => setTimeout(done, ms));
let asked = 0;

await runScan({
  directory,
  concurrency: 3,
  judge: {
    settings: judge.settings,
    async ask(request) {
      appendFileSync(log, `${digestOf(request)}\n`);
      if (asked++ === 0) writeSync(1, "first\n");
      await pause(Number(delay) * (0.5 + Math.random()));
      return await judge.ask(request);
    },
  },
  async finish() {
    writeSync(1, "card\n");
    await pause(20);
    return "# A card\n";
  },
});
