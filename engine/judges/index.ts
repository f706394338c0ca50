import { AssayError } from "../canon/errors.ts";
import type { JudgeSettings } from "../schema/judge.ts";
import { embeddedJudge } from "./embedded.ts";
import type { Judge } from "./judge.ts";
import { adapters } from "./list.ts";
import { Pace } from "./wire/pace.ts";

export { questionDigest } from "./digest.ts";
export { judgeList } from "./list.ts";
export type { Judge, JudgeAnswer } from "./judge.ts";
export { parseJudge, type JudgeOptions } from "./settings.ts";

export interface OpenOptions {
  /** Whole-call limit of a provider in ms. */
  timeoutMs?: number | undefined;
  env?: Readonly<Record<string, string | undefined>>;
  /** Of a replay judge. */
  answersFile?: string | undefined;
}

const TIMEOUT_MS = 120_000;

/**
 * A judge ready to be asked. Provider SDKs are loaded only here, only for the adapter that needs them. Throws
 * `no_key` where a provider's key is not in the environment.
 */
export async function openJudge(settings: JudgeSettings, options: OpenOptions = {}): Promise<Judge> {
  const wire = { timeoutMs: options.timeoutMs ?? TIMEOUT_MS, env: options.env ?? process.env, pace: new Pace() };
  switch (settings.adapter) {
    case "lexicon":
    case "overlap":
    case "constant":
      return embeddedJudge(settings);
    case "decisions":
      return keepingSecret((await import("./wire/decisions.ts")).decisionsJudge(settings, wire), wire.env);
    case "systemone":
      return keepingSecret((await import("./wire/systemone.ts")).systemoneJudge(settings, wire), wire.env);
    case "chat":
      return keepingSecret((await import("./chat/chat.ts")).chatJudge(settings, wire), wire.env);
    case "replay":
      return await (await import("./replay.ts")).replayJudge(settings, options.answersFile);
  }
}

/** A server may echo a key in a model's or a question's name, which errors quote. */
function keepingSecret(judge: Judge, env: NonNullable<OpenOptions["env"]>): Judge {
  const keys = Object.values(adapters).flatMap(({ key }) => (key === undefined ? [] : (env[key]?.trim() ?? [])));
  return {
    settings: judge.settings,
    async ask(request, signal, repeat) {
      try {
        const answer = await judge.ask(request, signal, repeat);
        const text = JSON.stringify([answer.model, answer.answers]);
        if (keys.some((key) => key !== "" && text.includes(key)))
          throw new AssayError("echoed_key", "the response holds the provider's key", { billed_usd: answer.cost_usd });
        return answer;
      } catch (error) {
        if (!(error instanceof AssayError) || !keys.some((key) => key !== "" && error.message.includes(key)))
          throw error;
        const message = keys.filter(Boolean).reduce((text, key) => text.replaceAll(key, "[key]"), error.message);
        throw new AssayError(error.code, message, error.details);
      }
    },
  };
}
